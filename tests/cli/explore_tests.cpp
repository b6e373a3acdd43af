// SPDX-License-Identifier: Apache-2.0
#include "golden.hpp"
#include "process.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using millrace::test::file_text;
using millrace::test::Outcome;
using millrace::test::run_command;
using millrace::test::Scratch;
using Json = nlohmann::json;

namespace {

/// Right as long as the query says that the work is not done.
constexpr const char* lucky =
    "buffer h 4KiB pinned\nbuffer A 4KiB\nstream s t\nevent e\n"
    "s: kernel first; record e\nt: copy A -> h\n"
    "if query e {\n  host: read h\n} else {\n}\nhost: sync t\n";
constexpr const char* right = "stream s\ns: kernel a for 5us\nhost: sync s\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("explore finds what run and check do not, and says how to meet it again") {
  const Scratch scratch;
  const std::string script = scratch.file("lucky.mill", lucky);
  CHECK(run_command({"check", script}).exit_code == 0);
  const Outcome explored = run_command({"explore", script});
  CHECK(explored.exit_code == 1);
  CHECK(contains(explored.out, "2 executions"));
  CHECK(contains(explored.out, "all behaviours seen"));
  CHECK(contains(explored.out, "race h (copy1, read)"));
  CHECK(contains(explored.out, "--replay mr1-"));
  const Outcome checked = run_command({"check", "--explore", script});
  CHECK(checked.exit_code == 1);
  CHECK(contains(checked.out, "FAIL " + script + ": unexpected race on h"));
  CHECK(contains(checked.out, "--replay mr1-"));
  CHECK(run_command({"explore", scratch.file("right.mill", right)}).exit_code == 0);
}

TEST_CASE("A token repeats a run in another process, byte by byte") {
  const Scratch scratch;
  const std::string script = scratch.file("lucky.mill", lucky);
  const auto trace_of = [&](const std::vector<std::string>& more, const std::string& name,
                            const millrace::test::Circumstances& how) {
    std::vector<std::string> arguments{"explore", script, "--json", "--trace", scratch.path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_command(arguments, how);
    CHECK(outcome.exit_code == 1);
    return Json::parse(outcome.out);
  };
  const Json explored = trace_of({}, "explored.mtrace", {});
  const std::string token = explored["replay"];
  CHECK(token.size() <= 24);
  const Json by_option = trace_of({"--replay", token}, "option.mtrace", {});
  const Json by_variable =
      trace_of({}, "variable.mtrace", {.environment = {"MILLRACE_REPLAY=" + token}});
  CHECK(by_option["executions"] == 1);
  CHECK(by_variable["executions"] == 1);
  CHECK(by_option["findings"] == explored["findings"]);
  const std::string trace = file_text(scratch.path("explored.mtrace"));
  CHECK(file_text(scratch.path("option.mtrace")) == trace);
  CHECK(file_text(scratch.path("variable.mtrace")) == trace);
}

TEST_CASE("A token of another script is refused as an option, and not meant by the variable") {
  const Scratch scratch;
  const std::string script = scratch.file("lucky.mill", lucky);
  const std::string token = Json::parse(run_command({"explore", script, "--json"}).out)["replay"];
  const std::string other = scratch.file("right.mill", right);
  const Outcome refused = run_command({"explore", other, "--replay", token});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.error, "is of another program"));
  CHECK(run_command({"explore", other}, {.environment = {"MILLRACE_REPLAY=" + token}}).exit_code ==
        0);
}

TEST_CASE("explore says which bound it hit") {
  const Scratch scratch;
  const Outcome outcome =
      run_command({"explore", scratch.file("lucky.mill", lucky), "--runs", "1"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "bound hit: the bound of 1 runs"));
}
