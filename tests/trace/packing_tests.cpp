// SPDX-License-Identifier: Apache-2.0
#include "checksum.hpp"
#include "packing.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

using namespace millrace;
using namespace millrace::mtrace;

namespace {

using Numbers = std::vector<std::uint64_t>;

struct Packed {
  Packing packing;
  Bytes data;

  explicit Packed(const Numbers& numbers) : packing(choose_packing(numbers)) {
    pack(numbers, packing, data);
    CHECK(data.size() == packing.data_bytes(numbers.size()));
    data.resize(data.size() + tail_bytes);
  }

  [[nodiscard]] Numbers numbers(std::size_t count) const {
    Numbers numbers(count);
    unpack(PackedColumn(data.data(), count, packing.base, packing.slope, packing.width), 0,
           numbers);
    return numbers;
  }
};

}  // namespace

TEST_CASE("Numbers of any width come back, whichever it is") {
  for (unsigned width = 0; width <= 64; ++width) {
    Numbers numbers;
    std::uint64_t random = 0x9E37'79B9'7F4A'7C15U;
    for (std::size_t i = 0; i < 100; ++i) {
      random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      numbers.push_back(width == 0 ? 42 : random >> (64 - width));
    }
    const Packed packed(numbers);
    CHECK(packed.packing.is_valid());
    CHECK(packed.numbers(numbers.size()) == numbers);
  }
}

TEST_CASE("Equal numbers and even steps take no room") {
  Numbers steps;
  for (std::uint64_t i = 0; i < 1'000; ++i) steps.push_back(500 + 3 * i);
  CHECK(Packed(Numbers(1'000, 7)).packing.width == 0);
  CHECK(Packed(steps).packing.width == 0);
  CHECK(Packed(steps).numbers(1'000) == steps);
}

TEST_CASE("Negative and extreme numbers come back") {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const Numbers numbers{0, most, std::uint64_t{1} << 63, most >> 1, 1, most - 1};
  CHECK(Packed(numbers).numbers(numbers.size()) == numbers);
  const Numbers one{most};
  CHECK(Packed(one).numbers(1) == one);
  CHECK(Packed(Numbers{}).numbers(0).empty());
}

TEST_CASE("The checksum is CRC-32C") {
  const auto crc = [](std::string_view text) {
    return crc32c(std::as_bytes(std::span(text.data(), text.size())));
  };
  CHECK(crc("") == 0);
  CHECK(crc("123456789") == 0xE3069283);
  CHECK(crc("The quick brown fox jumps over the lazy dog") == 0x22620404);
  CHECK(crc(std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                             "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                             32)) == 0x8A9136AA);
}
