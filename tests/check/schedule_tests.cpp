// SPDX-License-Identifier: Apache-2.0
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {
namespace {

struct World : TraceBuilder {
  TraceIndex s1 = stream("s1");
  TraceIndex s2 = stream("s2");
  TraceIndex a = buffer("A", 1024, MemoryKind::pinned);
  TraceIndex e = event("e");
  TraceIndex g = signal("g");
  TraceIndex other = start_thread("other");
};

}  // namespace

TEST_CASE("a race that every schedule has does not depend on it") {
  World b;
  b.kernel(b.s1, "fill").writes(b.a);
  b.on(b.other).kernel(b.s2, "use").reads(b.a);
  CHECK(found(b) == Lines{"race A: fill, use"});
}

TEST_CASE("a wait that came before the record of another thread might have come after it") {
  World b;
  b.record(b.s1, b.e);
  b.on(b.other).wait(b.s2, b.e);
  b.kernel(b.s2, "use").reads(b.a);
  b.on(0).kernel(b.s1, "fill").writes(b.a);
  SECTION("depends") {
    b.record(b.s1, b.e);
    CHECK(found(b) == Lines{"?race A: use, fill"});
  }
  SECTION("but not without that record") { CHECK(found(b) == Lines{"race A: use, fill"}); }
}

TEST_CASE("threads that signal leave nothing to the schedule") {
  World b;
  b.record(b.s1, b.e);
  b.on(b.other).wait(b.s2, b.e);
  b.kernel(b.s2, "use").reads(b.a);
  b.raise(b.g);
  b.on(0).await(b.g);
  b.kernel(b.s1, "fill").writes(b.a);
  b.record(b.s1, b.e);
  CHECK(found(b) == Lines{"race A: use, fill"});
}

TEST_CASE("two threads that enqueue on one stream may come in the other order") {
  World b;
  // main: s1 fill, record; s2 wait. The other thread's work on s2 came before that wait.
  b.on(b.other).kernel(b.s2, "use").reads(b.a);
  b.on(0).kernel(b.s1, "fill").writes(b.a);
  b.record(b.s1, b.e);
  b.wait(b.s2, b.e);
  CHECK(found(b) == Lines{"?race A: use, fill"});
}

TEST_CASE("work of another thread that a synchronization came too early for") {
  World b;
  b.sync_stream(b.s1);
  const Step read = b.read(b.a);
  b.on(b.other).copy(b.s1, b.buffer("B"), b.a);
  CHECK(found(b) == Lines{"?race A: read, copy"});
  CHECK(read.is_call);
}

TEST_CASE("locks could be taken in the other order") {
  World b;
  const auto m = b.mutex("m");
  b.lock(m);
  b.copy(b.s1, b.buffer("B"), b.a);
  b.sync_stream(b.s1);
  b.unlock(m);
  b.copy(b.s1, b.buffer("C"), b.a);
  b.on(b.other).lock(m);
  b.unlock(m);
  b.read(b.a);
  // The second copy is after the lock in every run.
  CHECK(found(b) == Lines{"race A: copy, read"});
}

TEST_CASE("legacy work of one thread and blocking work of another") {
  World b;
  const auto blocking = b.stream("blocking", true);
  b.kernel(b.legacy(), "first").writes(b.a);
  b.on(b.other).kernel(b.s2, "use").reads(b.a);
  b.record(b.s2, b.e);
  b.wait(blocking, b.e);
  b.kernel(blocking, "second");
  CHECK(found(b) == Lines{"?race A: first, use"});
}

TEST_CASE("one thread alone leaves nothing to the schedule") {
  TraceBuilder b;
  const auto s1 = b.stream("s1");
  const auto s2 = b.stream("s2");
  const auto a = b.buffer("A");
  const auto e = b.event("e");
  b.wait(s2, e);
  b.kernel(s2, "use").reads(a);
  b.kernel(s1, "fill").writes(a);
  b.record(s1, e);
  for (const std::string& line : found(b)) CHECK_FALSE(line.starts_with("?"));
}

}  // namespace millrace::test
