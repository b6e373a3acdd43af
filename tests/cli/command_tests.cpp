// SPDX-License-Identifier: Apache-2.0
#include "golden.hpp"
#include "process.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

using millrace::test::file_text;
using millrace::test::Outcome;
using millrace::test::run_command;
using millrace::test::Scratch;
using Json = nlohmann::json;

namespace {

constexpr const char* good = "stream s\ns: kernel a for 5us\nexpect end = 5us\n";
constexpr const char* failing = "stream s\ns: kernel a for 5us\nexpect end = 7us\n";
constexpr const char* broken = "stream s\ns: kernl a\n";
constexpr const char* racy =
    "buffer A 4KiB\nstream s t\ns: kernel a writes A\nt: kernel b reads A\nexpect race A\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// One value a line of the text.
std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> values;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) values.push_back(Json::parse(line));
  return values;
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

}  // namespace

TEST_CASE("run shows a timeline and answers by its exit code") {
  const Scratch scratch;
  const Outcome yes = run_command({"run", scratch.file("good.mill", good)});
  CHECK(yes.exit_code == 0);
  CHECK(contains(yes.out, "as the script expects"));
  CHECK(yes.error.empty());
  const Outcome no = run_command({"run", scratch.file("failing.mill", failing)});
  CHECK(no.exit_code == 1);
  CHECK(contains(no.out, "not as the script expects"));
}

TEST_CASE("run reads a script from standard input") {
  const Scratch scratch;
  const Outcome outcome = run_command({"run", "-"}, {.input = scratch.file("good.mill", good)});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "standard input"));
}

TEST_CASE("run points at the place that cannot be read") {
  const Scratch scratch;
  const std::string file = scratch.file("broken.mill", broken);
  const Outcome outcome = run_command({"run", file});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.error, file + ":2:4: "));
  CHECK(contains(outcome.error, "\n  s: kernl a\n     ^\n"));
}

TEST_CASE("run writes the traces that info and convert read") {
  const Scratch scratch;
  const std::string trace = scratch.path("t.mtrace");
  const std::string chrome = scratch.path("t.json");
  REQUIRE(
      run_command({"run", scratch.file("racy.mill", racy), "--trace", trace, "--chrome", chrome})
          .exit_code == 0);
  CHECK(Json::parse(file_text(chrome)).contains("traceEvents"));

  const Outcome text = run_command({"info", trace});
  CHECK(text.exit_code == 0);
  CHECK(contains(text.out, "1 race"));
  const Outcome json = run_command({"info", trace, "--json"});
  CHECK(json.exit_code == 0);
  CHECK(json_lines(json.out).at(0)["findings"]["race"] == 1);

  const std::string converted = scratch.path("converted.json");
  CHECK(run_command({"convert", trace, converted}).exit_code == 0);
  CHECK(file_text(converted) == file_text(chrome));
}

TEST_CASE("check prints a line a file, in the order in which they were given") {
  const Scratch scratch;
  const std::string a = scratch.file("a.mill", good);
  const std::string b = scratch.file("b.mill", failing);
  const std::string c = scratch.file("c.mill", racy);
  const Outcome outcome = run_command({"check", c, b, a, "--jobs", "3"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.starts_with("ok " + c + "\nFAIL " + b + ": "));
  CHECK(outcome.out.ends_with("\nok " + a + "\n"));
  CHECK(run_command({"check", a, c}).exit_code == 0);
}

TEST_CASE("check says where a script cannot be read, and that counts more than a failure") {
  const Scratch scratch;
  const std::string a = scratch.file("a.mill", failing);
  const std::string b = scratch.file("b.mill", broken);
  const Outcome outcome = run_command({"check", b, a});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.starts_with("FAIL " + b + ":2:4: "));
  CHECK(contains(outcome.out, "\nFAIL " + a + ": "));
}

TEST_CASE("check takes the scripts of a folder, sorted by name") {
  const Scratch scratch;
  const std::string b = scratch.file("b.mill", good);
  const std::string a = scratch.file("a.mill", good);
  static_cast<void>(scratch.file("readme.txt", "no script"));
  const Outcome outcome = run_command({"check", scratch.path("")});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "a.mill\nok "));
  CHECK(contains(outcome.out, "b.mill\n"));
  CHECK_FALSE(contains(outcome.out, "readme"));
}

TEST_CASE("The JSON of a verdict has the fields that the language's page lists") {
  const Scratch scratch;
  const std::string file = scratch.file("racy.mill", racy);
  const Outcome outcome = run_command({"check", file, "--json"});
  CHECK(outcome.exit_code == 0);
  const std::vector<Json> lines = json_lines(outcome.out);
  REQUIRE(lines.size() == 1);
  const Json& verdict = lines[0];
  CHECK(keys(verdict) == std::vector<std::string>{"end_ns", "file", "findings", "ok", "ops"});
  CHECK(verdict["file"] == file);
  CHECK(verdict["ok"] == true);
  CHECK(verdict["end_ns"] == 10'000);
  REQUIRE(verdict["findings"].size() == 1);
  const Json& finding = verdict["findings"][0];
  CHECK(keys(finding) == std::vector<std::string>{"explanation", "first", "kind", "object", "range",
                                                  "schedule_dependent", "second"});
  CHECK(finding["kind"] == "race");
  CHECK(finding["object"] == "A");
  CHECK(finding["range"] == Json{{"begin", 0}, {"end", 4096}});
  CHECK(finding["first"] ==
        Json{{"operation", "a"}, {"stream", "s"}, {"thread", "main"}, {"line", 3}});
  CHECK(finding["schedule_dependent"] == false);
  REQUIRE(verdict["ops"].size() == 2);
  CHECK(verdict["ops"][1] ==
        Json{{"name", "b"}, {"stream", "t"}, {"line", 4}, {"start_ns", 0}, {"end_ns", 10'000}});
  CHECK(run_command({"run", file, "--json"}).out == outcome.out);
}

TEST_CASE("The JSON of a script that cannot be read says where and why") {
  const Scratch scratch;
  const std::string bad = scratch.file("broken.mill", broken);
  const Outcome outcome = run_command({"check", "--json", bad, "/nowhere/at.mill"});
  CHECK(outcome.exit_code == 2);
  const std::vector<Json> lines = json_lines(outcome.out);
  REQUIRE(lines.size() == 2);
  CHECK(keys(lines[0]) == std::vector<std::string>{"error", "file", "ok"});
  CHECK(lines[0]["ok"] == false);
  CHECK(lines[0]["error"]["line"] == 2);
  CHECK(lines[0]["error"]["column"] == 4);
  CHECK_FALSE(lines[0]["error"]["message"].get<std::string>().empty());
  CHECK(lines[1]["file"] == "/nowhere/at.mill");
  CHECK(contains(outcome.error, bad + ":2:4: "));
}

TEST_CASE("What never ran has no times in JSON") {
  const Scratch scratch;
  const std::string file =
      scratch.file("stuck.mill", "stream s\nflag f\ns: await f >= 1\ns: kernel k\nexpect deadlock");
  const Outcome outcome = run_command({"check", file, "--json"});
  CHECK(outcome.exit_code == 0);
  CHECK(json_lines(outcome.out).at(0)["ops"][1]["start_ns"].is_null());
}

TEST_CASE("Help and version are answers, not errors") {
  CHECK(run_command({"--version"}).out == "millrace " MILLRACE_VERSION "\n");
  const Outcome help = run_command({"--help"});
  CHECK(help.exit_code == 0);
  for (const std::string command : {"run", "check", "info", "convert"}) {
    CHECK(contains(help.out, "\n  " + command + " "));
    const Outcome of_command = run_command({command, "--help"});
    CHECK(contains(of_command.out, "Usage: millrace " + command + " [OPTIONS] "));
    CHECK(of_command.exit_code == 0);
    CHECK(contains(of_command.out, "Examples:"));
    CHECK(of_command.error.empty());
  }
}

TEST_CASE("Colours and characters follow the options and the environment") {
  const Scratch scratch;
  const std::string file = scratch.file("good.mill", good);
  const auto out = [&](std::vector<std::string> more, std::vector<std::string> environment) {
    more.insert(more.begin(), {"run", file});
    return run_command(more, {.environment = std::move(environment)}).out;
  };
  CHECK_FALSE(contains(out({}, {"LANG=C.UTF-8"}), "\x1b["));
  CHECK(contains(out({"--color", "always"}, {"NO_COLOR=1"}), "\x1b["));
  CHECK(contains(out({}, {"LANG=C.UTF-8"}), "█"));
  CHECK(contains(out({}, {"LANG=C.UTF-8", "LC_ALL=C"}), "##a##"));
  CHECK(contains(out({}, {}), "##a##"));
  CHECK(contains(out({"--unicode"}, {}), "█"));
  CHECK(contains(out({"--ascii"}, {"LANG=C.UTF-8"}), "##a##"));
  CHECK(out({}, {"COLUMNS=60"}) == out({"--width", "60"}, {}));
  CHECK(out({}, {}) == out({"--width", "100"}, {}));
}

TEST_CASE("The bounds of a run end it with an answer") {
  const Scratch scratch;
  const std::string file =
      scratch.file("long.mill", "stream s\nrepeat 1000 {\n  s: kernel a for 1ms\n}\n");
  CHECK(run_command({"check", file, "--max-ops", "10"}).exit_code != 0);
  CHECK(run_command({"check", file, "--max-time", "10ms"}).exit_code != 0);
  CHECK(run_command({"check", file, "--max-time", "1500ms", "--max-ops", "1000"}).exit_code == 0);
}

TEST_CASE("run meets the faults that it is given") {
  const Scratch scratch;
  const std::string file = scratch.file("good.mill", good);
  const Outcome slow = run_command({"run", file, "--inject", "slow:kernels:3"});
  CHECK(slow.exit_code == 1);
  CHECK(contains(slow.out, "ends at 15us"));
  const std::string syncs =
      std::string("stream s\ns: kernel a\nhost: sync s\nexpect error ") + "IllegalAddress\n";
  const Outcome failed =
      run_command({"run", scratch.file("fails.mill", syncs), "--inject", "fail:a:IllegalAddress"});
  CHECK(failed.exit_code == 0);
  CHECK(contains(failed.out, "fault: a in s (line 2)"));
}
