// SPDX-License-Identifier: Apache-2.0
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {
namespace {

struct Two : TraceBuilder {
  TraceIndex s1 = stream("s1");
  TraceIndex s2 = stream("s2");
  TraceIndex e = event("e");
  TraceIndex f = event("f");
};

}  // namespace

TEST_CASE("allocation, use and release in one stream are right, also twice") {
  Two b;
  for (int i = 0; i < 2; ++i) {
    const auto x = b.alloc(b.s1, "x");
    b.kernel(b.s1, "use").updates(x);
    b.free(b.s1, x);
  }
  CHECK(found(b) == clean);
}

TEST_CASE("a free on the allocating stream does not wait for the use on another") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.record(b.s1, b.e);
  b.wait(b.s2, b.e);
  b.kernel(b.s2, "use").reads(x);
  b.free(b.s1, x);
  CHECK(found(b) == Lines{"use-after-free x: use, free x"});
}

TEST_CASE("a free on the stream of the last use is right") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.record(b.s1, b.e);
  b.wait(b.s2, b.e);
  b.kernel(b.s2, "use").reads(x);
  b.free(b.s2, x);
  CHECK(found(b) == clean);
}

TEST_CASE("a block that is freed, and taken again by another stream while it is used") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.kernel(b.s1, "first").writes(x);
  b.record(b.s1, b.e);
  b.wait(b.s2, b.e);
  b.free(b.s2, x);
  b.kernel(b.s1, "still").reads(x);
  const auto y = b.alloc(b.s2, "x");
  b.kernel(b.s2, "next").writes(y);
  CHECK(found(b) == Lines{"use-after-free x: free x, still"});
}

TEST_CASE("a use that is not ordered after the allocation") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.kernel(b.s2, "use").writes(x);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const Lines lines = found(b.build_shuffled(seed));
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with("use-after-free x: "));
  }
}

TEST_CASE("a free that may come before the memory exists") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.free(b.s2, x);
  const Lines lines = found(b);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("use-after-free x: "));
}

TEST_CASE("a use after the free, though in order, is a use after free") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.free(b.s1, x);
  b.kernel(b.s1, "late").reads(x);
  CHECK(found(b) == Lines{"use-after-free x: free x, late"});
}

TEST_CASE("a plain free orders nothing") {
  Two b;
  const auto x = b.malloc("x");
  for (std::uint32_t i = 0; i < 3; ++i) b.at(7).kernel(b.s1, "use").reads(x);
  b.host_free(x);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::use_after_free);
  CHECK(findings[0].count == 3);
}

TEST_CASE("a plain free after a synchronization is right, also in another thread") {
  Two b;
  const auto x = b.malloc("x");
  b.kernel(b.s1, "use").reads(x);
  b.record(b.s1, b.e);
  const auto reaper = b.start_thread("reaper");
  b.on(reaper).sync_event(b.e);
  b.host_free(x);
  b.on(0).join(reaper);
  CHECK(found(b) == clean);
}

TEST_CASE("two frees without an order are a use after free, with one they are not") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.record(b.s1, b.e);
  b.wait(b.s2, b.e);
  b.free(b.s1, x);
  SECTION("without") {
    b.free(b.s2, x);
    CHECK(found(b) == Lines{"use-after-free x: free x, free x"});
  }
  SECTION("with") {
    b.record(b.s1, b.f);
    b.wait(b.s2, b.f);
    b.free(b.s2, x);
    CHECK(found(b) == clean);
  }
}

TEST_CASE("allocation and release are no accesses: they do not race") {
  Two b;
  const auto x = b.alloc(b.s1, "x");
  b.record(b.s1, b.e);
  b.wait(b.s2, b.e);
  b.record(b.s2, b.f);
  b.wait(b.s1, b.f);
  b.free(b.s1, x);
  CHECK(found(b) == clean);
}

TEST_CASE("memory that was there from the start needs no allocation") {
  Two b;
  b.kernel(b.s1, "use").writes(b.buffer("A"));
  CHECK(found(b) == clean);
}

TEST_CASE("a use of a local host buffer by a copy that was not waited for") {
  Two b;
  const auto local = b.malloc("local", 64, MemoryKind::pageable);
  b.write(local);
  b.copy(b.s1, local, b.buffer("coefficients", 64));
  b.host_free(local);
  CHECK(found(b) == Lines{"use-after-free local: copy, host free"});
}

TEST_CASE("host reads count for the life of memory, though two of them never race") {
  Two b;
  const auto other = b.start_thread("other");
  const auto x = b.malloc("x", 64, MemoryKind::pinned);
  b.on(other).read(x);
  b.on(0).host_free(x);
  CHECK(found(b).size() == 2);  // neither after the allocation nor before the free
}

}  // namespace millrace::test
