// SPDX-License-Identifier: Apache-2.0
#include "golden.hpp"
#include "render/findings.hpp"
#include "render/report.hpp"
#include "render/summary.hpp"
#include "render/why.hpp"
#include "run_text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace millrace;
using millrace::test::golden;
using millrace::test::plain;

namespace {

std::string report(const std::string& name) {
  const std::string file = "tests/cases/" + name + ".mill";
  const sim::ScriptReport outcome = sim::run(Script::load(file));
  return cli::render_report({.file = file, .profile = "ideal"}, outcome, plain);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("The whole report of programs right and wrong") {
  for (const std::string name :
       {"pipeline", "W02-bound-input-no-wait", "DL02-both-send-first",
        "L01-empty-launch-serialises-streams", "Q05-fence-by-host-polling"}) {
    const std::string text = report(name);
    CHECK(text == golden("report-" + name, text));
  }
}

TEST_CASE("A script that is not as it expects says what differs") {
  const sim::ScriptReport outcome = test::simulated("stream s\ns: kernel a\nexpect end = 7us");
  const std::string text = cli::render_verdict(outcome.verdict, plain);
  CHECK(contains(text, "not as the script expects"));
  CHECK(contains(text, "7us"));
}

TEST_CASE("The table of operations stops after forty, unless all are asked for") {
  const Trace trace = test::traced("stream s\nrepeat 100 {\n  s: kernel k\n}");
  CHECK(contains(cli::render_why(trace, plain), "and 60 more operations (--all shows them)"));
  cli::Look all = plain;
  all.all = true;
  CHECK(contains(cli::render_why(trace, all), "k#100"));
}

TEST_CASE("Records and waits stand in the table only when all operations are asked for") {
  const Trace trace = test::traced("stream s\nevent e\ns: kernel k; record e");
  cli::Look all = plain;
  all.all = true;
  CHECK_FALSE(contains(cli::render_why(trace, plain), "record e"));
  CHECK(contains(cli::render_why(trace, all), "record e"));
}

TEST_CASE("Overlap is measured over all streams") {
  const cli::Load load = cli::find_load(
      test::traced("stream s t\ns: kernel a for 10us\nt: kernel b for 30us\ns: kernel c for 5us"));
  CHECK(load.sum_ns == 45'000);
  CHECK(load.one_or_more_ns == 30'000);
  CHECK(load.two_or_more_ns == 15'000);
}

TEST_CASE("Findings are counted by kind") {
  Finding race;
  Finding deadlock;
  deadlock.kind = FindingKind::deadlock;
  CHECK(cli::count_findings({}) == "none");
  CHECK(cli::count_findings({race}) == "1 race");
  CHECK(cli::count_findings({race, deadlock, race}) == "2 races, 1 deadlock");
}
