// SPDX-License-Identifier: Apache-2.0
#include "packing.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace millrace::mtrace {
namespace {

/// The best packing with this slope.
Packing fit(std::span<const std::uint64_t> numbers, std::uint64_t slope) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
  std::uint64_t line = 0;
  for (const std::uint64_t number : numbers) {
    const auto rest = static_cast<std::int64_t>(number - line);
    least = std::min(least, rest);
    greatest = std::max(greatest, rest);
    line += slope;
  }
  const auto base = static_cast<std::uint64_t>(least);
  const std::uint64_t range = static_cast<std::uint64_t>(greatest) - base;
  const auto width = static_cast<unsigned>(std::bit_width(range));
  return Packing{base, slope, width > 56 ? 64 : width};
}

/// The slope from the first to the last number, rounded towards zero.
std::uint64_t average_slope(std::span<const std::uint64_t> numbers) {
  const auto rise = static_cast<std::int64_t>(numbers.back() - numbers.front());
  const auto steps = static_cast<std::int64_t>(numbers.size() - 1);
  return static_cast<std::uint64_t>(rise / steps);
}

}  // namespace

Packing choose_packing(std::span<const std::uint64_t> numbers) {
  if (numbers.empty()) return Packing{};
  const Packing level = fit(numbers, 0);
  if (level.width <= 1) return level;
  const std::uint64_t slope = average_slope(numbers);
  if (slope == 0) return level;
  const Packing sloped = fit(numbers, slope);
  return sloped.width < level.width ? sloped : level;
}

void store_packing(std::byte* header, const Packing& packing) {
  store(header, packing.base);
  store(header + 8, packing.slope);
  store(header + 16, static_cast<std::uint8_t>(packing.width));
}

Packing load_packing(const std::byte* header) {
  return Packing{load<std::uint64_t>(header), load<std::uint64_t>(header + 8),
                 load<std::uint8_t>(header + 16)};
}

void pack(std::span<const std::uint64_t> numbers, const Packing& packing, Bytes& out) {
  if (packing.width == 0) return;
  const std::size_t begin = out.size();
  const std::size_t size = packing.data_bytes(numbers.size());
  out.resize(begin + size + sizeof(std::uint64_t));  // whole words are stored
  std::byte* to = out.data() + begin;
  std::uint64_t line = packing.base;
  std::uint64_t word = 0;
  unsigned filled = 0;
  for (const std::uint64_t number : numbers) {
    const std::uint64_t rest = number - line;
    line += packing.slope;
    word |= rest << filled;
    filled += packing.width;
    if (filled < 64) continue;
    store(to, word);
    to += sizeof word;
    filled -= 64;
    word = filled == 0 ? 0 : rest >> (packing.width - filled);
  }
  if (filled != 0) store(to, word);
  out.resize(begin + size);
}

void unpack(const PackedColumn& column, std::size_t first, std::span<std::uint64_t> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = column[first + i];
}

}  // namespace millrace::mtrace
