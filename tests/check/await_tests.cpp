// SPDX-License-Identifier: Apache-2.0
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {
namespace {

struct World : TraceBuilder {
  TraceIndex g = signal("g");
  TraceIndex f = flag("f");
  TraceIndex s1 = stream("s1");
  TraceIndex s2 = stream("s2");
  TraceIndex s3 = stream("s3");
  TraceIndex a = buffer("A", 1024, MemoryKind::pinned);
};

bool before(const Trace& trace, Step a, Step b) { return OrderRelation(trace).before(a, b); }

}  // namespace

TEST_CASE("a raise comes before the await that it satisfies") {
  World b;
  const auto other = b.start_thread("other");
  const Step write = b.on(other).write(b.a);
  b.raise(b.g);
  b.on(0).await(b.g);
  const Step read = b.read(b.a);
  const Trace trace = b.build();
  CHECK(before(trace, write, read));
  CHECK_FALSE(before(trace, read, write));
}

TEST_CASE("of two threads that raise once each, one await knows neither") {
  World b;
  const auto one = b.start_thread("one");
  const auto two = b.start_thread("two");
  const Step first = b.on(one).write(b.a);
  b.raise(b.g);
  const Step second = b.on(two).write(b.a);
  b.raise(b.g);
  const Step await = b.on(0).await(b.g);
  const Step again = b.await(b.g);
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    const Trace trace = b.build_shuffled(seed);
    CHECK_FALSE(before(trace, first, await));
    CHECK_FALSE(before(trace, second, await));
    CHECK(before(trace, first, again));
    CHECK(before(trace, second, again));
  }
}

TEST_CASE("the second await in a row knows two raises of one thread") {
  World b;
  const auto other = b.start_thread("other");
  b.on(other).raise(b.g);
  const Step write = b.write(b.a);
  b.raise(b.g);
  const Step first = b.on(0).await(b.g);
  const Step second = b.await(b.g);
  const Trace trace = b.build();
  CHECK_FALSE(before(trace, write, first));
  CHECK(before(trace, write, second));
}

TEST_CASE("an await of an unordered thread may have taken the raise") {
  World b;
  const auto other = b.start_thread("other");
  const auto third = b.start_thread("third");
  const Step first = b.on(other).write(b.a);
  b.raise(b.g);
  const Step second = b.write(b.a);
  b.raise(b.g);
  const Step await1 = b.on(0).await(b.g);
  const Step await2 = b.on(third).await(b.g);
  const Trace trace = b.build();
  for (const Step await : {await1, await2}) {
    CHECK(before(trace, first, await));
    CHECK_FALSE(before(trace, second, await));
  }
}

TEST_CASE("a raise that can only come after the await is no candidate") {
  // main: await g, raise h.  one: raise g.  two: await h, raise g.
  World b;
  const auto h = b.signal("h");
  const auto one = b.start_thread("one");
  const auto two = b.start_thread("two");
  const Step await = b.on(0).await(b.g);
  const Step write = b.on(one).write(b.a);
  b.raise(b.g);
  b.on(0).raise(h);
  b.on(two).await(h);
  b.raise(b.g);
  CHECK(before(b.build(), write, await));
}

TEST_CASE("a raise that happened later in this run may come first in another") {
  World b;
  const auto one = b.start_thread("one");
  const auto two = b.start_thread("two");
  const Step write = b.on(one).write(b.a);
  b.raise(b.g);
  const Step await = b.on(0).await(b.g);
  b.on(two).raise(b.g);
  CHECK_FALSE(before(b.build(), write, await));
}

TEST_CASE("an await that gave up knows nothing and takes nothing") {
  World b;
  const auto other = b.start_thread("other");
  const Step write = b.on(other).write(b.a);
  b.raise(b.g);
  const TraceIndex gave_up = b.on(0).call(CallKind::await, ObjectKind::signal, b.g);
  b.trace().calls[gave_up].outcome = CallOutcome::not_ready;
  const Step after = b.read(b.a);
  const Step await = b.await(b.g);
  const Trace trace = b.build();
  CHECK_FALSE(before(trace, write, after));
  CHECK(before(trace, write, await));
}

TEST_CASE("a set comes before the await that only it can satisfy") {
  World b;
  const Step fill = b.kernel(b.s1, "fill").step();
  const TraceIndex set = b.set(b.s1, b.f, 1);
  b.await(b.s2, b.f, 0, 1, set);
  const Step use = b.kernel(b.s2, "use").step();
  CHECK(before(b.build(), fill, use));
}

TEST_CASE("the initial 0 counts as a set") {
  World b;
  const Step fill = b.kernel(b.s1, "fill").step();
  b.set(b.s1, b.f, 0);
  b.await(b.s2, b.f, 0, 0);
  const Step use = b.kernel(b.s2, "use").step();
  CHECK_FALSE(before(b.build(), fill, use));
}

TEST_CASE("of two sets that satisfy an await only what both know is ordered") {
  World b;
  const Step both = b.kernel(b.s1, "both").step();
  const auto e = b.event("e");
  b.record(b.s1, e);
  b.wait(b.s3, e);
  const Step fill = b.kernel(b.s1, "fill").step();
  const TraceIndex set = b.set(b.s1, b.f, 1);
  b.set(b.s3, b.f, 2);
  b.await(b.s2, b.f, 0, 1, set);
  const Step use = b.kernel(b.s2, "use").step();
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const Trace trace = b.build_shuffled(seed);
    CHECK(before(trace, both, use));
    CHECK_FALSE(before(trace, fill, use));
  }
}

TEST_CASE("an earlier set of one stream is enough, later ones know more") {
  World b;
  const Step one = b.kernel(b.s1, "one").step();
  const TraceIndex set = b.set(b.s1, b.f, 1);
  const Step two = b.kernel(b.s1, "two").step();
  b.set(b.s1, b.f, 2);
  b.await(b.s2, b.f, 0, 1, set);
  const Step use = b.kernel(b.s2, "use").step();
  const Trace trace = b.build();
  CHECK(before(trace, one, use));
  CHECK_FALSE(before(trace, two, use));
}

TEST_CASE(">= compares cyclically, == exactly, & by bits") {
  const auto orders = [](std::uint64_t condition, std::uint32_t wanted, std::uint32_t first) {
    World b;
    b.set(b.s1, b.f, first);
    const Step two = b.kernel(b.s1, "two").step();
    const TraceIndex set = b.set(b.s1, b.f, wanted);
    b.await(b.s2, b.f, condition, wanted, set);
    const Step use = b.kernel(b.s2, "use").step();
    return before(b.build(), two, use);
  };
  CHECK_FALSE(orders(0, 2, 3));
  CHECK(orders(0, 3, 2));
  CHECK_FALSE(orders(0, 0xffff'fff0U, 5));
  CHECK(orders(1, 2, 3));
  CHECK_FALSE(orders(2, 2, 3));
  CHECK(orders(2, 2, 4));
}

TEST_CASE("a set that was overwritten before the await cannot satisfy it") {
  World b;
  const auto e = b.event("e");
  b.set(b.s1, b.f, 1);
  b.set(b.s1, b.f, 5);
  b.record(b.s1, e);
  b.wait(b.s2, e);
  const Step fill = b.kernel(b.s3, "fill").step();
  const TraceIndex set = b.set(b.s3, b.f, 1);
  b.await(b.s2, b.f, 1, 1, set);
  const Step use = b.kernel(b.s2, "use").step();
  CHECK(before(b.build(), fill, use));
}

TEST_CASE("a long counter is as good as an event, and quick") {
  World b;
  Step fill;
  Step use;
  for (std::uint32_t i = 1; i <= 2000; ++i) {
    fill = b.kernel(b.s1, "fill").step();
    const TraceIndex set = b.set(b.s1, b.f, i);
    b.await(b.s2, b.f, 0, i, set);
    use = b.kernel(b.s2, "use").step();
  }
  CHECK(before(b.build(), fill, use));
}

}  // namespace millrace::test
