// SPDX-License-Identifier: Apache-2.0
#include "golden.hpp"
#include "process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using millrace::test::file_text;
using millrace::test::Outcome;
using millrace::test::run_command;
using millrace::test::Scratch;

namespace {

constexpr const char* good = "stream s\ns: kernel a for 5us\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Refusal {
  std::vector<std::string> arguments;
  std::string message;  ///< a part of what standard error must say
};

/// Each must be refused with that message and exit code 2, and print nothing else.
void check_refusals(const std::vector<Refusal>& refusals) {
  for (const auto& [arguments, message] : refusals) {
    const Outcome outcome = run_command(arguments);
    CAPTURE(arguments, outcome.error);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.error, message));
    CHECK(outcome.error.starts_with("millrace: "));
  }
}

}  // namespace

TEST_CASE("Wrong command lines are refused, with what was meant") {
  check_refusals({
      {{"chekc", "a.mill"}, "there is no command 'chekc'; did you mean 'check'?"},
      {{"fly"}, "there is no command 'fly'"},
      {{"explore"}, "FILE is required"},
      {{"explore", "a.mill", "--strategy", "lucky"}, "--strategy"},
      {{"explore", "a.mill", "--strategie=pct"}, "did you mean '--strategy'?"},
      {{"explore", "a.mill", "--depth", "0"}, "--depth"},
      {{"explore", "a.mill", "--depth", "3"}, "--depth: is for the strategies orders and pct"},
      {{"explore", "a.mill", "--runs", "-1"}, "--runs: '-1' is no whole number"},
      {{"explore", "a.mill", "--timeout", "soon"}, "--timeout: 'soon' is no duration"},
      {{"check", "a.mill", "--depth", "3"}, "--depth"},
      {{"check", "a.mill", "--strategy", "pct"}, "--explore"},
      {{"--verbose"}, "there is no option '--verbose'"},
      {{"run"}, "FILE is required"},
      {{"run", "a.mill", "--jsn"}, "there is no option '--jsn'; did you mean '--json'?"},
      {{"run", "a.mill", "--profil=h200"}, "there is no option '--profil'; did you mean"},
      {{"run", "a.mill", "b.mill"}, "'b.mill': one argument too many"},
      {{"run", "a.mill", "--seed"}, "--seed"},
      {{"run", "a.mill", "--seed", "-1"}, "--seed: '-1' is no whole number"},
      {{"run", "a.mill", "--seed", "1.5"}, "--seed: '1.5' is no whole number"},
      {{"run", "a.mill", "--max-ops", "-1"}, "--max-ops: '-1' is no whole number"},
      {{"run", "a.mill", "--max-ops", "18446744073709551616"}, "is no whole number"},
      {{"run", "a.mill", "--on", "cuda"}, "only sim is supported"},
      {{"run", "a.mill", "--max-time", "10"}, "'10' is no duration"},
      {{"run", "a.mill", "--max-time", "-1ms"}, "'-1ms' is no duration"},
      {{"run", "a.mill", "--max-time", "0ns"}, "'0ns' is no duration above 0"},
      {{"run", "a.mill", "--inject", "fail:k"}, "fault 'fail:k': the error, e.g. LaunchFailure,"},
      {{"run", "a.mill", "--inject", "lose:0:now"}, "'now' is not a time"},
      {{"run", "a.mill", "--color", "green"}, "--color"},
      {{"run", "a.mill", "--width", "3"}, "--width"},
      {{"run", "a.mill", "--ascii", "--unicode"}, "--ascii"},
      {{"check", "a.mill", "--jobs", "0"}, "--jobs"},
      {{"convert", "a.mtrace"}, "OUT is required"},
  });
}

TEST_CASE("Without a command the help is shown on standard error") {
  const Outcome outcome = run_command({});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.error, "Examples:"));
}

TEST_CASE("Files that are no scripts are refused by name and reason") {
  const Scratch scratch;
  const Scratch empty;
  const std::string nul("a\0b", 3);
  check_refusals({
      {{"run", scratch.path("none.mill")}, "none.mill: cannot be opened: No such file"},
      {{"run", scratch.path("")}, "is a directory, not a script"},
      {{"run", scratch.file("binary.mill", nul)}, "binary.mill: is a binary file"},
      {{"run", scratch.file("t.mtrace", nul)}, "is a trace, not a script: `millrace info`"},
      {{"run", "/dev/zero"}, "/dev/zero: is a binary file"},
      {{"check", empty.path("")}, "is a directory without a .mill script"},
      {{"run", "--profile", "h9000", scratch.file("a.mill", good)}, "h9000"},
  });
}

TEST_CASE("A file without end is no script") {
  const Scratch scratch;
  const std::string huge = scratch.file("huge.mill", "");
  std::filesystem::resize_file(huge, 10);
  std::ofstream(huge) << std::string((std::size_t{64} << 20) + 1, '#');
  check_refusals({{{"run", huge}, "huge.mill: is larger than 64 MiB"}});
}

TEST_CASE("An empty script is a script") {
  const Scratch scratch;
  CHECK(run_command({"run", scratch.file("empty.mill", "")}).exit_code == 0);
  CHECK(run_command({"check", scratch.file("empty.mill", "")}).exit_code == 0);
}

TEST_CASE("Traces that cannot be read are refused with the place of the damage") {
  const Scratch scratch;
  const std::string trace = scratch.path("t.mtrace");
  REQUIRE(run_command({"run", scratch.file("a.mill", good), "--trace", trace}).exit_code == 0);
  std::string bytes = file_text(trace);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  check_refusals({
      {{"info", scratch.path("none.mtrace")}, "none.mtrace: cannot be read: No such file"},
      {{"info", scratch.path("")}, "is a directory, not a trace"},
      {{"info", scratch.file("empty.mtrace", "")}, "empty.mtrace: "},
      {{"info", scratch.file("damaged.mtrace", bytes)}, "at byte "},
      {{"info", scratch.file("cut.mtrace", bytes.substr(0, 100))}, "at byte "},
      {{"info", scratch.file("a.mill", good)}, "at byte "},
      {{"convert", trace, scratch.path("a.xlsx")}, "not to '.xlsx'"},
      {{"convert", scratch.path("a.csv"), scratch.path("a.json")}, "only .mtrace files"},
      {{"convert", scratch.file("a.mill", good), "a.json"}, "is a script: `millrace run"},
  });
}

TEST_CASE("The place of damage is said once") {
  const Scratch scratch;
  const Outcome outcome = run_command({"info", scratch.file("empty.mtrace", "")});
  const std::size_t place = outcome.error.find(" (at byte ");
  REQUIRE(place != std::string::npos);
  CHECK(outcome.error.find(" (at byte ", place + 1) == std::string::npos);
}

TEST_CASE("No output takes the place of the script or of another output") {
  const Scratch scratch;
  const std::string script = scratch.file("a.mill", good);
  const std::string link = scratch.path("link.json");
  std::filesystem::create_symlink(script, link);
  const std::string out = scratch.path("out");
  check_refusals({
      {{"run", script, "--trace", script}, "a.mill: is the same file as "},
      {{"run", script, "--chrome", link}, "link.json: is the same file as "},
      {{"run", script, "--trace", out, "--chrome", out}, "out: is the same file as "},
  });
  CHECK(file_text(script) == good);
  CHECK(run_command({"run", script, "--trace", "/dev/null", "--chrome", "/dev/null"}).exit_code ==
        0);
}

TEST_CASE("An output that cannot be written is an error, after the picture was shown") {
  const Scratch scratch;
  const std::string file = scratch.file("a.mill", good);
  for (const std::string option : {"--trace", "--chrome"}) {
    for (const std::string& target : {std::string("/nowhere/out"), scratch.path("")}) {
      const Outcome outcome = run_command({"run", file, option, target});
      CAPTURE(option, target, outcome.error);
      CHECK(outcome.exit_code == 2);
      CHECK(contains(outcome.out, "as the script expects"));
      CHECK(contains(outcome.error, target + ": cannot be written: "));
    }
  }
}

TEST_CASE("A standard output that takes nothing is an error, never a crash") {
  const Scratch scratch;
  const std::string file = scratch.file("a.mill", good);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", file}, {"check", file, file}, {"--help"}, {"--version"}}) {
    CAPTURE(arguments);
    const Outcome closed = run_command(arguments, {.close_output = true});
    CHECK(closed.exit_code == 2);
    CHECK(contains(closed.error, "standard output"));
    const Outcome broken = run_command(arguments, {.break_output = true});
    CHECK(broken.exit_code == 2);
    CHECK(contains(broken.error, "cannot write to standard output: Broken pipe"));
    const Outcome full = run_command(arguments, {.output = "/dev/full"});
    CHECK(full.exit_code == 2);
    CHECK(contains(full.error, "cannot write to standard output: No space left"));
  }
}

TEST_CASE("A trace is never written into a closed standard output") {
  const Scratch scratch;
  const std::string trace = scratch.path("t.mtrace");
  const Outcome outcome =
      run_command({"run", scratch.file("a.mill", good), "--trace", trace}, {.close_output = true});
  CHECK(outcome.exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(trace));
}
