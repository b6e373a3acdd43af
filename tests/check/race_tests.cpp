// SPDX-License-Identifier: Apache-2.0
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {
namespace {

/// Two streams, an event and a buffer.
struct Two : TraceBuilder {
  TraceIndex s1 = stream("s1");
  TraceIndex s2 = stream("s2");
  TraceIndex a = buffer("A");
  TraceIndex ready = event("ready");
};

}  // namespace

TEST_CASE("a write and a read on two streams race, whichever is enqueued first") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK(found(b) == Lines{"race A: fill, use"});
}

TEST_CASE("that one was long over when the other started does not matter") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a).lasting(10);
  b.kernel(b.s2, "before").lasting(1'000'000);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK(found(b) == Lines{"race A: fill, use"});
}

TEST_CASE("two reads do not race") {
  Two b;
  b.kernel(b.s1, "one").reads(b.a);
  b.kernel(b.s2, "other").reads(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("a record and a wait order what was before with what comes after") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.record(b.s1, b.ready);
  b.wait(b.s2, b.ready);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("one stream is in order") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.kernel(b.s1, "use").updates(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("work after the record is not covered by a synchronization with the event") {
  Two b;
  b.kernel(b.s1, "early");
  b.record(b.s1, b.ready);
  b.kernel(b.s1, "late").writes(b.a);
  b.sync_event(b.ready);
  b.read(b.a);
  CHECK(found(b) == Lines{"race A: late, read"});
}

TEST_CASE("work after the record is not covered by a wait for the event") {
  Two b;
  b.record(b.s1, b.ready);
  b.kernel(b.s1, "late").writes(b.a);
  b.wait(b.s2, b.ready);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK(found(b) == Lines{"race A: late, use"});
}

TEST_CASE("an event recorded again on another stream stands for that one only") {
  Two b;
  const auto s3 = b.stream("s3");
  b.kernel(b.s1, "fill").writes(b.a);
  b.record(b.s1, b.ready);
  b.record(b.s2, b.ready);
  b.wait(s3, b.ready);
  b.kernel(s3, "use").reads(b.a);
  CHECK(found(b) == Lines{"race A: fill, use"});
}

TEST_CASE("a wait keeps the record that it found, whatever is recorded later") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.record(b.s1, b.ready);
  b.wait(b.s2, b.ready);
  b.record(b.stream("s3"), b.ready);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("the halves of a buffer are apart, and ranges that touch do not overlap") {
  Two b;
  b.kernel(b.s1, "low").writes(b.a, 0, 512);
  b.kernel(b.s2, "high").writes(b.a, 512, 1024);
  CHECK(found(b) == clean);
}

TEST_CASE("one byte in common is a race, and the finding names it") {
  Two b;
  b.kernel(b.s1, "low").writes(b.a, 0, 513);
  b.kernel(b.s2, "high").writes(b.a, 512, 1024);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].begin == 512);
  CHECK(findings[0].end == 513);
}

TEST_CASE("an empty region touches nothing") {
  Two b;
  b.kernel(b.s1, "one").writes(b.a, 64, 64);
  b.kernel(b.s2, "other").writes(b.a, 64, 64);
  b.kernel(b.s2, "rest").writes(b.a, 0, 64);
  CHECK(found(b) == clean);
}

TEST_CASE("column tiles of one pitched buffer are apart") {
  Two b;
  const auto tile = [&](std::uint64_t column, std::uint64_t width) {
    return TraceAccess{column, 1024, 64, width, b.a, AccessMode::write, AccessOrder::in_order};
  };
  b.kernel(b.s1, "left").access(tile(0, 32));
  b.kernel(b.s2, "right").access(tile(32, 32));
  CHECK(found(b) == clean);
  b.kernel(b.stream("s3"), "wide").access(tile(0, 33));
  CHECK(found(b) == Lines{"race A: left, wide", "race A: right, wide"});
}

TEST_CASE("every earlier access that is not ordered is found, not only the last") {
  Two b;
  b.kernel(b.s1, "first").writes(b.a);
  b.kernel(b.s1, "second").writes(b.a);
  b.kernel(b.s2, "use").reads(b.a);
  CHECK(found(b.build_shuffled(1)).size() == 2);
}

TEST_CASE("equal pairs at the same two places are one finding with a count") {
  Two b;
  for (int i = 0; i < 5; ++i) {
    b.at(3).kernel(b.s1, "fill").writes(b.a);
    b.at(4).kernel(b.s2, "use").reads(b.a);
  }
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].count == 25);
}

TEST_CASE("the reverse edge of a loop is missed too") {
  Two b;
  for (std::uint32_t i = 0; i < 2; ++i) {
    b.at(5).kernel(b.s1, "fill").writes(b.a);
    b.record(b.s1, b.ready);
    b.wait(b.s2, b.ready);
    b.kernel(b.s2, "use").reads(b.a);
  }
  const Trace trace = b.build();
  CHECK(found(trace) == Lines{"race A: use, fill"});
  const OrderRelation order(trace);
  const auto step = [&](const char* name, std::size_t k) {
    return Step::operation(trace.find_operation(name, k));
  };
  CHECK(is_race(trace, order, "A", step("use", 1), step("fill", 2)));
  CHECK(is_race(trace, order, "A", step("fill", 2), step("use", 1)));
  CHECK_FALSE(is_race(trace, order, "A", step("fill", 1), step("use", 1)));
  CHECK_FALSE(is_race(trace, order, "A", step("fill", 2), step("use", 2)));
  CHECK_FALSE(is_race(trace, order, "B", step("use", 1), step("fill", 2)));
}

TEST_CASE("a step does not race with itself") {
  Two b;
  b.kernel(b.s1, "move").reads(b.a, 0, 512).writes(b.a, 256, 768);
  CHECK(found(b) == clean);
}

TEST_CASE("the legacy stream and blocking streams are in order, non-blocking ones are not") {
  TraceBuilder b;
  const auto a = b.buffer("A");
  const auto blocking = b.stream("blocking", true);
  const auto other = b.stream("other");
  b.kernel(b.legacy(), "fill").writes(a);
  b.kernel(blocking, "use").reads(a);
  b.kernel(b.legacy(), "again").writes(a);
  CHECK(found(b) == clean);
  b.kernel(other, "stray").reads(a);
  CHECK(found(b) == Lines{"race A: fill, stray", "race A: stray, again"});
}

TEST_CASE("two blocking streams are not in order by themselves") {
  TraceBuilder b;
  const auto a = b.buffer("A");
  b.kernel(b.stream("one", true), "fill").writes(a);
  b.kernel(b.stream("two", true), "use").reads(a);
  CHECK(found(b) == Lines{"race A: fill, use"});
}

TEST_CASE("operations that never run take no part") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a).never();
  b.kernel(b.s2, "use").reads(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("a trace without dependencies is not judged") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.kernel(b.s2, "use").reads(b.a);
  Trace trace = b.build();
  trace.has_dependencies = false;
  CHECK_FALSE(can_check(trace));
  CHECK(found(trace) == clean);
}

TEST_CASE("what does not exist is passed over") {
  Two b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.kernel(b.s2, "use").reads(b.a);
  Trace trace = b.build();
  trace.accesses[0].memory = 77;
  trace.operations[1].stream = 99;
  trace.operations[0].call = 1234;
  trace.calls[1].thread = 5;
  trace.dependencies.push_back({Step::call(500), Step::operation(600)});
  trace.operations[0].access_count = 60'000;
  trace.calls[0].sequence = 4'000'000'000U;
  CHECK_NOTHROW(found(trace));
}

}  // namespace millrace::test
