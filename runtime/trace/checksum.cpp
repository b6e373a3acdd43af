// SPDX-License-Identifier: Apache-2.0
#include "checksum.hpp"

#include "little_endian.hpp"

#include <array>

namespace millrace::mtrace {
namespace {

constexpr std::uint32_t polynomial = 0x82F63B78;  // reflected

// tables[k][b]: what byte b does to the sum when k more bytes follow it in its group of eight.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? polynomial : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept {
  std::uint32_t sum = 0xFFFFFFFF;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::uint64_t group = load<std::uint64_t>(bytes.data() + i) ^ sum;
    sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum ^= tables[7 - k][(group >> (8 * k)) & 0xFF];
  }
  for (; i < bytes.size(); ++i) {
    sum = (sum >> 8) ^ tables[0][(sum ^ std::to_integer<std::uint32_t>(bytes[i])) & 0xFF];
  }
  return ~sum;
}

}  // namespace millrace::mtrace
