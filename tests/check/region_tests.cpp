// SPDX-License-Identifier: Apache-2.0
#include "region.hpp"

#include <catch2/catch_test_macros.hpp>

#include <bitset>
#include <random>

namespace millrace::checker {
namespace {

constexpr std::size_t most = 96;

std::bitset<most> bytes_of(const TraceAccess& access) {
  std::bitset<most> bytes;
  for (std::uint64_t byte = access.begin; byte < access.end; ++byte) {
    const std::uint64_t column = access.pitch == 0 ? 0 : (byte - access.begin) % access.pitch;
    if (access.pitch == 0 || column < access.width) bytes.set(byte);
  }
  return bytes;
}

TraceAccess random_region(std::mt19937& random) {
  const auto below = [&](std::uint64_t n) {
    return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random);
  };
  TraceAccess access;
  access.begin = below(most + 1);
  access.end = below(most + 1);
  if (below(3) != 0) access.pitch = 1 + below(20);
  access.width = below(access.pitch + 3);
  return access;
}

ByteRange hull(const std::bitset<most>& bytes) {
  ByteRange range{0, most};
  while (!bytes[range.begin]) ++range.begin;
  while (!bytes[range.end - 1]) --range.end;
  return range;
}

}  // namespace

TEST_CASE("common bytes are those that a walk over all bytes finds") {
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const TraceAccess a = random_region(random);
    const TraceAccess b = random_region(random);
    const auto both = bytes_of(a) & bytes_of(b);
    const auto common = common_bytes(Region::of(a), Region::of(b));
    REQUIRE(common.has_value() == both.any());
    if (common) REQUIRE(*common == hull(both));
    if (contains(Region::of(a), Region::of(b))) REQUIRE((bytes_of(b) & ~bytes_of(a)).none());
  }
}

TEST_CASE("regions of equal bytes are equal where it is easy to see") {
  CHECK(Region::of({8, 8, 0, 0}) == Region{});
  CHECK(Region::of({9, 8, 0, 0}) == Region{});
  CHECK(Region::of({0, 64, 16, 0}) == Region{});
  CHECK(Region::of({0, 64, 16, 16}) == Region::of({0, 64, 0, 0}));
  CHECK(Region::of({0, 16, 16, 8}) == Region::of({0, 8, 0, 0}));
  CHECK(Region::of({0, 64, 16, 8}) == Region::of({0, 56, 16, 8}));
}

TEST_CASE("the ends of the address space are no trouble") {
  const std::uint64_t end = ~std::uint64_t{0};
  const Region all = Region::of({0, end, 0, 0});
  const Region rows = Region::of({0, end, 1U << 20U, 16});
  CHECK(common_bytes(all, rows).has_value());
  CHECK(common_bytes(rows, rows) == ByteRange{0, rows.end});
  CHECK_FALSE(common_bytes(rows, Region::of({16, 32, 0, 0})).has_value());
}

}  // namespace millrace::checker
