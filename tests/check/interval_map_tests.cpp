// SPDX-License-Identifier: Apache-2.0
#include "interval_map.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>
#include <vector>

namespace millrace::checker {

TEST_CASE("an interval map holds what an array of bytes holds, in the fewest nodes") {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) {
    return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random);
  };
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t size = round < 10 ? 40 : 2000;
    IntervalMap<int> map;
    std::vector<int> array(size, 0);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t begin = below(size);
      const std::uint64_t end = begin + 1 + below(std::min<std::uint64_t>(size - begin, 30));
      const int value = static_cast<int>(below(4));
      const bool set = below(2) == 0;
      map.update(begin, end, [&](int& old) { old = set ? value : old + 1; });
      for (std::uint64_t byte = begin; byte < end; ++byte) {
        array[byte] = set ? value : array[byte] + 1;
      }
    }
    std::size_t nodes = 0;
    std::uint64_t next = 0;
    map.for_each([&](std::uint64_t begin, std::uint64_t end, int value) {
      REQUIRE(begin == next);
      next = end;
      ++nodes;
      for (std::uint64_t byte = begin; byte < std::min(end, size); ++byte) {
        REQUIRE(array[byte] == value);
      }
    });
    REQUIRE(next == ~std::uint64_t{0});
    REQUIRE(nodes == map.nodes());
    std::size_t changes = 1;
    for (std::uint64_t byte = 1; byte <= size; ++byte) {
      const int here = byte < size ? array[byte] : 0;
      if (here != array[byte - 1]) ++changes;
    }
    CHECK(nodes == changes);
  }
}

}  // namespace millrace::checker
