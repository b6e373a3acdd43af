// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "little_endian.hpp"

#include <millrace/trace_file.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace millrace::mtrace {

/// Reads a file's directory from front to back, never beyond its end.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::uint64_t offset)
      : bytes_(bytes), offset_(offset) {}

  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  template <std::unsigned_integral T>
  T number() {
    return load<T>(take(sizeof(T)));
  }

  /// A string behind its length in 16 bits.
  std::string text() {
    const std::size_t size = number<std::uint16_t>();
    const std::byte* begin = take(size);
    std::string text(size, '\0');
    if (size != 0) std::memcpy(text.data(), begin, size);
    return text;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw TraceFileError("damaged: the directory describes " + what, offset_ + at_);
  }

 private:
  const std::byte* take(std::size_t size) {
    if (size > left()) fail("more than it has bytes");
    const std::byte* begin = bytes_.data() + at_;
    at_ += size;
    return begin;
  }

  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
};

}  // namespace millrace::mtrace
