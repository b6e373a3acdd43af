// SPDX-License-Identifier: Apache-2.0
#include "rich_trace.hpp"

#include <millrace/trace_summary.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace millrace;

TEST_CASE("A summary counts what there is") {
  const TraceSummary summary = summarize(test::example_trace());
  CHECK(summary.producer == "by hand");
  CHECK(summary.end_ns == 38'000);
  CHECK(summary.operations == 5);
  CHECK(summary.never_started == 0);
  CHECK(summary.bytes == 4096);
  REQUIRE(summary.operation_kinds.size() == 4);
  CHECK(summary.operation_kinds[0].word == "kernel");
  CHECK(summary.operation_kinds[0].count == 2);
  CHECK(summary.calls == 6);
  CHECK(summary.waits == 1);
  CHECK(summary.edges_exact == 2);
  CHECK(summary.edges_inferred == 0);
  CHECK(summary.accesses == 4);
}

TEST_CASE("A summary tells how long each stream was busy and blocked") {
  const TraceSummary summary = summarize(test::example_trace());
  REQUIRE(summary.streams.size() == 2);
  CHECK(summary.streams[0].name == "s1");
  CHECK(summary.streams[0].device == "sim:0");
  CHECK(summary.streams[0].operations == 3);
  CHECK(summary.streams[0].busy_ns == 30'000);
  CHECK(summary.streams[0].blocked_ns == 0);
  CHECK(summary.streams[1].busy_ns == 8'000);
  CHECK(summary.streams[1].blocked_ns == 30'000);
}

TEST_CASE("A summary tells how long each host thread waited") {
  const TraceSummary summary = summarize(test::example_trace());
  REQUIRE(summary.threads.size() == 1);
  CHECK(summary.threads[0].name == "main");
  CHECK(summary.threads[0].calls == 6);
  CHECK(summary.threads[0].waiting_ns == 38'000);
}

TEST_CASE("What overlaps is busy once") {
  test::TraceSketch b;
  const TraceIndex s = b.stream("s");
  b.operation(CallKind::launch, OperationKind::kernel, s, "a", 0, 10);
  b.operation(CallKind::launch, OperationKind::kernel, s, "b", 5, 15);
  CHECK(summarize(b.trace).streams[0].busy_ns == 15);
}

TEST_CASE("A summary counts what went wrong") {
  const TraceSummary summary = summarize(test::rich_trace());
  CHECK(summary.never_started == 1);
  CHECK(summary.failed_calls == 1);
  CHECK(summary.waits == 1);
  CHECK(summary.waits_unrecorded == 1);
  CHECK(summary.edges_inferred == 1);
  CHECK(summary.edges_unresolved == 1);
  CHECK(summary.deadlocked == 2);
  CHECK_FALSE(summary.has_dependencies);
}

TEST_CASE("A summary can be read by people") {
  CHECK(describe(summarize(test::example_trace())) ==
        "producer      by hand\n"
        "ends at       38us\n"
        "operations    5: kernel 2, copy 1, record 1, wait 1\n"
        "bytes moved   4096\n"
        "  s1 on sim:0: 3 operations, busy 30us (78%), blocked 0ns\n"
        "  s2 on sim:0: 2 operations, busy 8us (21%), blocked 30us\n"
        "host calls    6: launch 2, copy 1, record 1, wait 1, synchronize stream 1\n"
        "  main: 6 calls, waiting 38us\n"
        "waits         1 on events\n"
        "dependencies  2 exact, 0 inferred, 0 unresolved\n");
}

TEST_CASE("The summary of nothing is nothing") {
  const TraceSummary summary = summarize(Trace{});
  CHECK(summary.operations == 0);
  CHECK(summary.streams.empty());
  CHECK_FALSE(describe(summary).empty());
}
