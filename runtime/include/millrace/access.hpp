// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Regions of memory, as operations declare them.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace millrace {

/// What a backend calls a stream, event or piece of memory. Never reused within a backend's life,
/// so that a handle whose object is gone is recognised. 0 is no object.
using Handle = std::uint64_t;

/// Where memory lives. `pageable` is ordinary host memory, `pinned` page-locked host memory.
enum class MemoryKind : std::uint8_t { device, pinned, pageable, managed };

/// How a step touches memory; `allocate` and `free` bound its life.
enum class AccessMode : std::uint8_t { read, write, update, allocate, free };

/// A region of one piece of memory: the bytes [begin, end), or with a pitch the `width` bytes from
/// `begin` on, again every `pitch` bytes, up to `end`. An empty region touches nothing.
struct Access {
  Handle memory = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t pitch = 0;  ///< 0: one contiguous range
  std::uint64_t width = 0;  ///< bytes a row; only with a pitch

  /// Bytes covered: rows times width in 2D.
  [[nodiscard]] constexpr std::uint64_t bytes() const {
    if (begin >= end) return 0;
    if (pitch == 0) return end - begin;
    const std::uint64_t rows = (end - begin) / pitch;
    const std::uint64_t rest = (end - begin) % pitch;
    return rows * width + (rest < width ? rest : width);
  }

  friend constexpr bool operator==(const Access&, const Access&) = default;
};

/// A list of regions that owns nothing: it must not outlive the full expression of the call that it
/// is written in (`{.reads = {a, b}}`), or else the array that it was made of.
class AccessList {
 public:
  constexpr AccessList() = default;
  constexpr AccessList(std::span<const Access> list)  // NOLINT(google-explicit-constructor)
      : data_(list.data()), size_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  constexpr AccessList(std::initializer_list<Access> list)
      : data_(list.begin()), size_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

  [[nodiscard]] constexpr const Access* begin() const { return data_; }
  [[nodiscard]] constexpr const Access* end() const { return data_ + size_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

 private:
  const Access* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace millrace
