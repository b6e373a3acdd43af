// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Regions of bytes, contiguous or 2D, and whether two of them have bytes in common: exactly, and
/// without walking over the bytes.

#include <millrace/trace.hpp>

#include <compare>
#include <cstdint>
#include <optional>

namespace millrace::checker {

/// The bytes [begin, end).
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend constexpr bool operator==(ByteRange, ByteRange) = default;
};

/// A region of one piece of memory, in one form for each set of bytes: contiguous regions have no
/// pitch, `end` is one past the last byte of the region, and empty regions are all zero.
struct Region {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t pitch = 0;
  std::uint64_t width = 0;

  static Region of(const TraceAccess& access) {
    if (access.begin >= access.end) return {};
    if (access.pitch == 0) return {access.begin, access.end, 0, 0};
    return of_rows(access);
  }
  [[nodiscard]] constexpr bool empty() const { return begin == end; }
  [[nodiscard]] constexpr bool contiguous() const { return pitch == 0; }
  // clang-tidy 14 misreads a defaulted <=>. NOLINTNEXTLINE(modernize-use-nullptr)
  friend constexpr auto operator<=>(const Region&, const Region&) = default;

 private:
  static Region of_rows(const TraceAccess& access);
};

/// From the first to one past the last byte that both have; nothing when they have none in common.
/// Constant time, except for two 2D regions of different pitch: there linear in the rows of the
/// one with fewer rows.
std::optional<ByteRange> common_bytes(const Region& a, const Region& b);

/// Whether every byte of `inner` is one of `outer`. May answer no where it is so but hard to see.
bool contains(const Region& outer, const Region& inner);

}  // namespace millrace::checker
