// SPDX-License-Identifier: Apache-2.0
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace millrace::test {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("using what was destroyed names both calls") {
  TraceBuilder b;
  const auto s = b.stream("worker");
  b.kernel(s, "step");
  b.at(9).destroy_stream(s);
  b.at(12).use_destroyed(CallKind::synchronize_stream, ObjectKind::stream, s);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::use_after_destroy);
  CHECK(findings[0].object == "worker");
  CHECK(findings[0].first.line == 9);
  CHECK(findings[0].second.line == 12);
  CHECK_FALSE(findings[0].schedule_dependent);
}

TEST_CASE("what has no name is called by its kind once") {
  TraceBuilder b;
  const auto s = b.stream("");
  b.destroy_stream(s);
  b.use_destroyed(CallKind::synchronize_stream, ObjectKind::stream, s);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].object == "stream 0");
  CHECK_THAT(findings[0].explanation,
             ContainsSubstring("stream 0 was gone") && !ContainsSubstring("stream stream"));
}

TEST_CASE("a reset destroys too") {
  TraceBuilder b;
  const auto e = b.event("e");
  b.call(CallKind::reset_device, ObjectKind::device, 0);
  b.use_destroyed(CallKind::destroy_event, ObjectKind::event, e);
  CHECK(found(b) == Lines{"use-after-destroy e: reset device, destroy event"});
}

TEST_CASE("whether a destroy comes first may depend on the threads") {
  TraceBuilder b;
  const auto e = b.event("e");
  const auto other = b.start_thread("other");
  b.on(other).destroy_event(e);
  SECTION("without a signal it does") {
    b.on(0).use_destroyed(CallKind::wait, ObjectKind::event, e);
    CHECK(found(b) == Lines{"?use-after-destroy e: destroy event, wait"});
  }
  SECTION("with one it does not") {
    const auto g = b.signal("g");
    b.raise(g);
    b.on(0).await(g);
    b.use_destroyed(CallKind::wait, ObjectKind::event, e);
    CHECK(found(b) == Lines{"use-after-destroy e: destroy event, wait"});
  }
}

TEST_CASE("a wait before any record orders nothing and says so") {
  TraceBuilder b;
  const auto s1 = b.stream("s1");
  const auto s2 = b.stream("s2");
  const auto a = b.buffer("A");
  const auto e = b.event("computed");
  b.wait(s2, e);
  b.kernel(s2, "use").reads(a);
  b.kernel(s1, "fill").writes(a);
  b.record(s1, e);
  const Trace trace = b.build();
  CHECK(found(trace) ==
        Lines{"unrecorded-wait computed: wait, record computed", "race A: use, fill"});
  const auto findings = check(trace);
  CHECK_THAT(findings[1].explanation, ContainsSubstring("found no record"));
  CHECK_THAT(findings[1].fix, ContainsSubstring("before it is waited for"));
}

TEST_CASE("an unrecorded wait depends on the schedule when an unordered thread records") {
  TraceBuilder b;
  const auto s1 = b.stream("s1");
  const auto s2 = b.stream("s2");
  const auto e = b.event("e");
  const auto other = b.start_thread("other");
  b.wait(s2, e);
  b.on(other).record(s1, e);
  CHECK(found(b) == Lines{"?unrecorded-wait e: wait, record e"});
}

TEST_CASE("an event that is never recorded") {
  TraceBuilder b;
  b.wait(b.stream("s"), b.event("e"));
  CHECK(found(b) == Lines{"unrecorded-wait e: wait"});
}

TEST_CASE("equal mistakes in a loop are one finding") {
  TraceBuilder b;
  const auto s = b.stream("s");
  const auto e = b.event("e");
  for (int i = 0; i < 3; ++i) b.at(4).wait(s, e);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].count == 3);
}

TEST_CASE("a deadlock is one finding without an object that tells who waits for what") {
  TraceBuilder b;
  const auto s = b.stream("worker");
  const auto go = b.flag("go");
  b.at(5);
  const auto await = b.await(s, go, 0, 1);
  b.kernel(s, "step").never();
  const Step sync = b.sync_stream(s);
  b.never_returns(sync, ObjectKind::stream, s);
  b.never_returns(await.step(), ObjectKind::flag, go);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::deadlock);
  CHECK(findings[0].object.empty());
  CHECK_THAT(findings[0].explanation,
             ContainsSubstring("thread main in the synchronize stream at line 7 waits for stream "
                               "worker") &&
                 ContainsSubstring("waits for flag go") &&
                 ContainsSubstring("Nothing in the program ever sets flag go"));
}

TEST_CASE("behind a lock that was taken stands what its thread is blocked in") {
  TraceBuilder b;
  const auto lock = b.mutex("m");
  const auto s = b.stream("worker");
  const auto go = b.flag("go");
  const auto await = b.await(s, go, 0, 1);
  const auto other = b.start_thread("other");
  const Step taken = b.lock(lock);
  SECTION("its thread is blocked too") {
    const Step sync = b.sync_stream(s);
    b.never_returns(sync, ObjectKind::stream, s);
    const Step second = b.on(other).lock(lock);
    b.never_returns(second, ObjectKind::mutex, lock, taken);
    b.never_returns(await.step(), ObjectKind::flag, go);
    const auto findings = check(b.build());
    REQUIRE(findings.size() == 1);
    CHECK_THAT(findings[0].explanation, ContainsSubstring("waits for mutex m") &&
                                            ContainsSubstring("Nothing in the program ever sets") &&
                                            !ContainsSubstring("cannot go on"));
  }
  SECTION("its thread has ended") {
    const Step second = b.on(other).lock(lock);
    b.never_returns(second, ObjectKind::mutex, lock, taken);
    const auto findings = check(b.build());
    REQUIRE(findings.size() == 1);
    CHECK_THAT(findings[0].explanation, ContainsSubstring("Thread main locked it in") &&
                                            ContainsSubstring("ended without an unlock") &&
                                            !ContainsSubstring("cannot go on"));
  }
}

TEST_CASE("a deadlock's cycle is told in its order") {
  TraceBuilder b;
  const auto s1 = b.stream("rank0");
  const auto s2 = b.stream("rank1");
  const auto f1 = b.flag("from0");
  const auto f2 = b.flag("from1");
  const auto wait1 = b.await(s1, f2, 0, 1);
  b.set(s1, f1, 1).never();
  const auto wait2 = b.await(s2, f1, 0, 1);
  b.set(s2, f2, 1).never();
  b.never_returns(wait1.step(), ObjectKind::flag, f2);
  b.never_returns(wait2.step(), ObjectKind::flag, f1);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].explanation, ContainsSubstring("A cycle: ") &&
                                          ContainsSubstring("on rank0 waits for flag from1") &&
                                          ContainsSubstring("on rank1 waits for flag from0"));
}

TEST_CASE("two host threads that wait for each other's locks") {
  TraceBuilder b;
  const auto m = b.mutex("m");
  const auto n = b.mutex("n");
  const auto other = b.start_thread("other");
  b.lock(m);
  b.on(other).lock(n);
  b.never_returns(b.lock(m), ObjectKind::mutex, m);
  b.on(0);
  b.never_returns(b.lock(n), ObjectKind::mutex, n);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].explanation, ContainsSubstring("A cycle: ") &&
                                          ContainsSubstring("waits for mutex m") &&
                                          ContainsSubstring("waits for mutex n"));
}

}  // namespace millrace::test
