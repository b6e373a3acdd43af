// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include <millrace/catch2.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>

namespace millrace::test {
namespace {

using namespace std::chrono_literals;  // style-ok: literals only
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

}  // namespace

TEST_CASE("matchers hold where the expectations do") {
  const sim::Report ordered = upload_and_use(true);
  CHECK_THAT(ordered, is_free_of_findings());
  CHECK_THAT(ordered, runs_before("upload", "use") && ends_by(200us));
  CHECK_THAT(ordered, !are_overlapping("upload", "use"));
  CHECK_THAT(ordered, matches_golden("tests/testing/golden/ordered.txt"));
  const sim::Report racy = upload_and_use(false);
  CHECK_THAT(racy, has_race_on("numbers"));
  CHECK_THAT(racy, are_unordered("upload", "use") && are_overlapping("upload", "use"));
  CHECK_THAT(racy, is_free_of_findings() || has_finding(FindingKind::race, "numbers"));
  CHECK_THAT(racy, !is_free_of_findings());
}

TEST_CASE("a matcher that fails says why, and has the token that replays") {
  const sim::Report racy = upload_and_use(false);
  const RunMatcher matcher = is_free_of_findings();
  REQUIRE_FALSE(matcher.match(racy));
  CHECK_THAT(matcher.toString(), ContainsSubstring("is free of findings: 1 finding\nrace on"));
  CHECK_THAT(matcher.toString(),
             EndsWith("\nreplay: MILLRACE_REPLAY=" + racy.replay + " and this test\n"));
}

TEST_CASE("a matcher that meets several reports speaks of the last") {
  const RunMatcher matcher = is_free_of_findings();
  REQUIRE_FALSE(matcher.match(upload_and_use(false)));
  CHECK(matcher.toString() != "is free of findings");
  REQUIRE(matcher.match(upload_and_use(true)));
  CHECK(matcher.toString() == "is free of findings");
}

TEST_CASE("a report is shown in a few words") {
  CHECK(Catch::Detail::stringify(upload_and_use(true)) ==
        "the run (millrace sim, profile ideal, seed 0; 4 operations, ends at 200us)");
}

}  // namespace millrace::test
