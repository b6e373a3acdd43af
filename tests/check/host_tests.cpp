// SPDX-License-Identifier: Apache-2.0
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {
namespace {

struct World : TraceBuilder {
  TraceIndex s = stream("s");
  TraceIndex a = buffer("A");
  TraceIndex pinned = buffer("pinned", 1024, MemoryKind::pinned);
  TraceIndex pageable = buffer("pageable", 1024, MemoryKind::pageable);
  TraceIndex done = event("done");
};

}  // namespace

TEST_CASE("a pinned buffer refilled during its upload is a race") {
  World b;
  b.copy(b.s, b.pinned, b.a);
  b.write(b.pinned);
  CHECK(found(b) == Lines{"race pinned: copy, write"});
}

TEST_CASE("a pinned buffer read during its download is a race, after a synchronization not") {
  World b;
  b.copy(b.s, b.a, b.pinned);
  b.read(b.pinned);
  CHECK(found(b) == Lines{"race pinned: copy, read"});
  World right;
  right.copy(right.s, right.a, right.pinned);
  right.sync_stream(right.s);
  right.read(right.pinned);
  CHECK(found(right) == clean);
}

TEST_CASE("what the host wrote before it enqueued is seen") {
  World b;
  b.write(b.pinned);
  b.copy(b.s, b.pinned, b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("a query that answered ready orders, one that did not orders nothing") {
  World b;
  b.copy(b.s, b.a, b.pinned);
  b.record(b.s, b.done);
  SECTION("ready") {
    b.query_event(b.done, true);
    b.read(b.pinned);
    CHECK(found(b) == clean);
  }
  SECTION("not ready") {
    b.query_event(b.done, false);
    b.read(b.pinned);
    CHECK(found(b) == Lines{"race pinned: copy, read"});
  }
}

TEST_CASE("synchronizing the device covers every stream") {
  World b;
  b.copy(b.s, b.a, b.pinned);
  b.copy(b.stream("t"), b.buffer("B"), b.pageable);
  b.sync_device();
  b.read(b.pinned);
  b.read(b.pageable);
  CHECK(found(b) == clean);
}

TEST_CASE("an asynchronous copy from pageable memory reads its source from the call on") {
  World b;
  SECTION("work of the stream that is still to write it is a race") {
    b.host_function(b.s, "make").access(b.all(b.pageable, AccessMode::write));
    b.copy(b.s, b.pageable, b.a);
    CHECK(found(b) == Lines{"race pageable: make, copy"});
  }
  SECTION("not after a synchronization") {
    b.host_function(b.s, "make").access(b.all(b.pageable, AccessMode::write));
    b.sync_stream(b.s);
    b.copy(b.s, b.pageable, b.a);
    CHECK(found(b) == clean);
  }
  SECTION("from pinned memory it is read in stream order") {
    b.host_function(b.s, "make").access(b.all(b.pinned, AccessMode::write));
    b.copy(b.s, b.pinned, b.a);
    CHECK(found(b) == clean);
  }
  SECTION("the device side is in stream order") {
    b.kernel(b.s, "fill").writes(b.a);
    b.copy(b.s, b.pageable, b.a);
    CHECK(found(b) == clean);
  }
  SECTION("and the host may not touch it before a synchronization") {
    b.copy(b.s, b.pageable, b.a);
    b.write(b.pageable);
    CHECK(found(b) == Lines{"race pageable: copy, write"});
  }
  SECTION("but later work of the stream comes after it") {
    b.copy(b.s, b.pageable, b.a);
    b.host_function(b.s, "refill").access(b.all(b.pageable, AccessMode::write));
    CHECK(found(b) == clean);
  }
}

TEST_CASE("a synchronous copy from pageable memory has left the host buffer, no more") {
  World b;
  const auto legacy = b.legacy();
  b.copy(legacy, b.pageable, b.a, true);
  SECTION("the host may write it") {
    b.write(b.pageable);
    CHECK(found(b) == clean);
  }
  SECTION("another stream may write it") {
    b.host_function(b.s, "refill").access(b.all(b.pageable, AccessMode::write));
    CHECK(found(b) == clean);
  }
  SECTION("a non-blocking stream may not use the target") {
    b.kernel(b.s, "use").reads(b.a);
    CHECK(found(b) == Lines{"race A: copy, use"});
  }
  SECTION("after a synchronization it may") {
    b.sync_stream(legacy);
    b.kernel(b.s, "use").reads(b.a);
    CHECK(found(b) == clean);
  }
}

TEST_CASE("the host side of a synchronous copy begins in stream order") {
  World b;
  const auto legacy = b.legacy();
  b.host_function(legacy, "make").access(b.all(b.pageable, AccessMode::write));
  b.kernel(legacy, "fill").writes(b.a);
  b.copy(legacy, b.pageable, b.buffer("B"), true);
  b.kernel(b.s, "use").reads(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("a recorded synchronous copy that starts after its call returned accuses nobody") {
  World b;
  const auto copy = b.copy(b.legacy(), b.pageable, b.a, true);
  const Step write = b.write(b.pageable);
  Trace trace = b.build();
  std::swap(trace.operations[copy].sequence, trace.calls[write.index].sequence);
  CHECK(found(trace) == clean);
}

TEST_CASE("copies between host memories are synchronous") {
  World b;
  b.copy(b.s, b.pinned, b.pageable);
  b.write(b.pinned);
  b.read(b.pageable);
  CHECK(found(b) == clean);
}

TEST_CASE("two host threads without an order are nobody's race of ours") {
  World b;
  const auto other = b.start_thread("other");
  b.write(b.pinned);
  b.on(other).write(b.pinned);
  CHECK(found(b) == clean);
}

TEST_CASE("host accesses do not hide the device's behind them") {
  World b;
  const auto other = b.start_thread("other");
  b.copy(b.s, b.a, b.pinned);
  b.sync_stream(b.s);
  b.write(b.pinned);
  b.on(other).read(b.pinned);
  CHECK(found(b) == Lines{"race pinned: copy, read"});
}

TEST_CASE("starting and joining threads orders") {
  World b;
  b.kernel(b.s, "fill").writes(b.a);
  b.sync_stream(b.s);
  const auto other = b.start_thread("other");
  const auto t = b.stream("t");
  b.on(other).kernel(t, "use").updates(b.a);
  b.sync_stream(t);
  b.on(0).join(other);
  b.kernel(b.s, "last").writes(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("what a thread knows when it starts holds for the first thing it enqueues") {
  World b;
  b.write(b.pinned);
  const auto other = b.start_thread("other");
  b.on(other).copy(b.stream("t"), b.pinned, b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("a lock orders the calls, not the work") {
  World b;
  const auto m = b.mutex("m");
  const auto other = b.start_thread("other");
  const auto t = b.stream("t");
  b.lock(m);
  b.kernel(b.s, "one").updates(b.a);
  b.unlock(m);
  b.on(other).lock(m);
  b.kernel(t, "two").updates(b.a);
  b.unlock(m);
  CHECK(found(b) == Lines{"race A: one, two"});
}

TEST_CASE("a host function's calls stand in the order of its stream") {
  World b;
  const auto t = b.stream("t");
  const auto told = b.signal("told");
  const auto other = b.start_thread("other");
  b.kernel(b.s, "fill").writes(b.a);
  const auto tell = b.host_function(b.s, "tell");
  b.inside(tell).raise(told);
  b.on(other).await(told);
  b.kernel(t, "use").reads(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("host functions of two streams are not ordered by the one thread that serves them") {
  World b;
  const auto t = b.stream("t");
  const auto m = b.mutex("m");
  const auto n = b.mutex("n");
  const auto first = b.host_function(b.s, "first").access(b.all(b.pinned, AccessMode::write));
  const auto second = b.host_function(t, "second").access(b.all(b.pinned, AccessMode::write));
  b.inside(first).lock(m);
  b.unlock(m);
  b.inside(second).lock(n);
  b.unlock(n);
  CHECK(found(b) == Lines{"race pinned: first, second"});
}

TEST_CASE("a host function that waited for a call comes after it, and so does what follows") {
  World b;
  const auto told = b.signal("told");
  const auto other = b.start_thread("other");
  const auto wait = b.host_function(b.s, "wait");
  b.inside(wait).await(told);
  b.on(other).write(b.pinned);
  b.raise(told);
  b.on(0).copy(b.s, b.pinned, b.a);
  CHECK(found(b) == clean);
}

}  // namespace millrace::test
