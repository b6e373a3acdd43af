// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "little_endian.hpp"

#include <millrace/mapped_trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace millrace::mtrace {

/// How the numbers of a column are kept: number i is base + slope * i + its residual, modulo 2^64,
/// and residuals take `width` bits each. Timestamps and indices that grow evenly cost a few bits,
/// equal numbers none.
struct Packing {
  std::uint64_t base = 0;
  std::uint64_t slope = 0;
  unsigned width = 0;

  /// Bytes in front of the block's data that say it.
  static constexpr std::size_t header_bytes = 17;

  /// Loading 8 bytes and shifting by up to 7 bits must give all of a number.
  [[nodiscard]] constexpr bool is_valid() const { return width <= 56 || width == 64; }
  /// Bytes that the residuals of so many rows take.
  [[nodiscard]] constexpr std::uint64_t data_bytes(std::uint64_t rows) const {
    return (rows * width + 7) / 8;
  }
};

/// Zeros behind the last column, so that reading 8 bytes from any number's first stays inside.
inline constexpr std::size_t tail_bytes = 8;

/// The packing with the fewest bits among those considered; equal numbers give equal answers.
Packing choose_packing(std::span<const std::uint64_t> numbers);

void store_packing(std::byte* header, const Packing& packing);
Packing load_packing(const std::byte* header);

/// Appends the residuals.
void pack(std::span<const std::uint64_t> numbers, const Packing& packing, Bytes& out);
/// Unpacks the numbers from `first` on.
void unpack(const PackedColumn& column, std::size_t first, std::span<std::uint64_t> numbers);

}  // namespace millrace::mtrace
