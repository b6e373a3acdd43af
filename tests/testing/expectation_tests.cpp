// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include <millrace/testing.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <sstream>
#include <string>

namespace millrace::test {
namespace {

using namespace std::chrono_literals;  // style-ok: literals only
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

std::string difference(const expect::Expectation& expectation, const sim::Report& report) {
  const expect::Outcome outcome = expectation(report);
  CHECK(outcome.ok == outcome.difference.empty());
  CHECK(static_cast<bool>(outcome) == outcome.ok);
  return outcome.difference;
}

}  // namespace

TEST_CASE("a run without findings is free of them, another shows finding and cure") {
  CHECK(difference(expect::is_free_of_findings(), upload_and_use(true)).empty());
  const std::string shown = difference(expect::is_free_of_findings(), upload_and_use(false));
  CHECK_THAT(shown, StartsWith("1 finding\nrace on numbers, bytes 0B to 4KiB\n"));
  CHECK_THAT(shown, ContainsSubstring("upload on stream producer, writes numbers"));
  CHECK_THAT(shown, ContainsSubstring("\n  fix:    "));
}

TEST_CASE("nothing is free of findings of which nothing is known") {
  CHECK_THAT(difference(expect::is_free_of_findings(), upload_and_use(true, {.trace = false})),
             ContainsSubstring("kept no trace"));
  sim::Report imported = upload_and_use(true);
  imported.trace.has_dependencies = false;
  CHECK_THAT(difference(expect::is_free_of_findings(), imported),
             ContainsSubstring("does not hold what orders what"));
  CHECK_THAT(difference(expect::has_race_on("numbers"), imported),
             ContainsSubstring("does not hold what orders what"));
}

TEST_CASE("a finding is expected by its kind, and by its object where one is named") {
  const sim::Report racy = upload_and_use(false);
  CHECK(difference(expect::has_race_on("numbers"), racy).empty());
  CHECK(difference(expect::has_finding(FindingKind::race), racy).empty());
  CHECK_THAT(difference(expect::has_race_on("others"), racy),
             StartsWith("it has 1 finding\nrace on numbers"));
  CHECK_FALSE(difference(expect::has_finding(FindingKind::deadlock), racy).empty());
  CHECK(difference(expect::has_race_on("numbers"), upload_and_use(true)) == "it has no finding");
  CHECK(difference(expect::has_finding(FindingKind::deadlock), deadlock()).empty());
}

TEST_CASE("operations run before others when every legal run orders them so") {
  const sim::Report ordered = upload_and_use(true);
  const sim::Report racy = upload_and_use(false);
  CHECK(difference(expect::runs_before("upload", "use"), ordered).empty());
  CHECK(difference(expect::runs_before("use", "upload"), ordered) ==
        "upload ends before use starts");
  CHECK_THAT(difference(expect::runs_before("upload", "use"), racy),
             StartsWith("nothing orders them"));
  CHECK(difference(expect::are_unordered("upload", "use"), racy).empty());
  CHECK(difference(expect::are_unordered("use", "upload"), ordered) ==
        "upload ends before use starts in every legal run");
  CHECK(difference(expect::are_overlapping("upload", "use"), racy).empty());
  CHECK(difference(expect::are_overlapping("upload", "use"), ordered) ==
        "upload runs from 0ns to 120us, use runs from 120us to 200us");
}

TEST_CASE("an operation that the run lacks is named") {
  const sim::Report report = upload_and_use(true);
  CHECK(difference(expect::runs_before("upload", "download"), report) ==
        "download is not in this run");
  CHECK(difference(expect::are_unordered("upload#2", "use"), report) ==
        "this run has upload only once");
  CHECK(difference(expect::are_overlapping("no#3", "use"), report) == "no is not in this run");
}

TEST_CASE("of several operations of a name the last is meant, or one by its number") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    for (const char* const name : {"step", "step", "end#2", "step"}) stream.launch(name, {});
  });
  CHECK(difference(expect::runs_before("step#1", "step#2"), report).empty());
  CHECK(difference(expect::runs_before("step#2", "end#2"), report).empty());
  CHECK(difference(expect::runs_before("end#2", "step"), report).empty());
  CHECK_FALSE(difference(expect::runs_before("step", "end#2"), report).empty());
  CHECK(difference(expect::runs_before("step#0", "step"), report) == "step#0 is not in this run");
}

TEST_CASE("a run ends by a time, unless it is later or stuck") {
  const sim::Report report = upload_and_use(true);
  CHECK(difference(expect::ends_by(200us), report).empty());
  CHECK(difference(expect::ends_by(199us), report) == "it ends at 200us");
  CHECK_THAT(difference(expect::ends_by(1h), deadlock()), StartsWith("it never ends: 1 finding"));
}

TEST_CASE("a failure ends with the line that replays it, a success says nothing") {
  const sim::Report racy = upload_and_use(false);
  const expect::Outcome outcome = expect::is_free_of_findings()(racy);
  CHECK(outcome.replay == racy.replay);
  CHECK(outcome.message("uploads") ==
        outcome.difference + "replay: MILLRACE_REPLAY=" + racy.replay + " ctest -R 'uploads'\n");
  std::ostringstream shown;
  shown << outcome;
  CHECK(shown.str() ==
        outcome.difference + "replay: MILLRACE_REPLAY=" + racy.replay + " and this test\n");
  CHECK(expect::is_free_of_findings()(upload_and_use(true)).message("uploads").empty());
}

TEST_CASE("the line that replays names the test alone, whatever characters its name has") {
  CHECK(expect::replay_line("mr1-a-0", "one (of 2), it's [x].*") ==
        R"(MILLRACE_REPLAY=mr1-a-0 ctest -R 'one \(of 2\), it'\''s \[x\]\.\*')");
}

}  // namespace millrace::test
