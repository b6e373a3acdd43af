// SPDX-License-Identifier: Apache-2.0
#include <millrace/explore.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace millrace;

namespace {

sim::ScriptExploreReport explored(const std::string& text) {
  return sim::explore(Script::parse(text));
}

}  // namespace

TEST_CASE("A race behind a branch that the usual run does not take is found") {
  const std::string text = R"(
buffer h 4KiB pinned
buffer A 4KiB
stream s t
event e
s: kernel first; record e
t: copy A -> h
host: query e
if query e {
  host: read h
} else {
}
)";
  const sim::ScriptExploreReport found = explored(text);
  CHECK(!found.verdict.ok);
  REQUIRE(found.report.findings.size() == 1);
  CHECK(found.report.findings[0].kind == FindingKind::race);
  CHECK(found.report.findings[0].object == "h");
  CHECK(found.report.replay.size() <= 24);
}

TEST_CASE("A script that is right in every run is right") {
  const sim::ScriptExploreReport found = explored(R"(
buffer h 4KiB pinned
buffer A 4KiB
stream s
event e
s: copy A -> h; record e
if query e {
  host: read h
} else {
  host: sync e; read h
}
)");
  CHECK(found.verdict.ok);
  CHECK(found.report.complete);
  CHECK(found.report.executions == 2);
  CHECK(found.report.coverage == "all behaviours seen");
}

TEST_CASE("A finding that is expected need be in one run only") {
  const std::string text = R"(
buffer h 4KiB pinned
buffer A 4KiB
stream s
s: copy A -> h
if query s {
} else {
  host: read h
}
host: sync s
)";
  CHECK(explored(text + "expect race h\n").verdict.ok);
  CHECK(!explored(text).verdict.ok);
  CHECK(!explored("stream s\nbuffer A 4KiB\ns: kernel k writes A\nexpect race A\n").verdict.ok);
}

TEST_CASE("A deadlock that needs two threads to meet is found") {
  const sim::ScriptExploreReport found = explored(R"(
stream s
thread a {
  s: kernel k
  if query s {
    host: await never
  } else {
  }
}
host: join a
)");
  CHECK(!found.verdict.ok);
  REQUIRE(found.report.findings.size() == 1);
  CHECK(found.report.findings[0].kind == FindingKind::deadlock);
}
