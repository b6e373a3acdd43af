// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace millrace::mtrace {

/// Between the host's byte order and the file's; its own inverse.
template <std::unsigned_integral T>
constexpr T little_endian(T value) noexcept {
  if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

template <std::unsigned_integral T>
T load(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return little_endian(value);
}

template <std::unsigned_integral T>
void store(std::byte* to, T value) noexcept {
  value = little_endian(value);
  std::memcpy(to, &value, sizeof value);
}

using Bytes = std::vector<std::byte>;

template <std::unsigned_integral T>
void append(Bytes& out, T value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  store(out.data() + at, value);
}

inline void append(Bytes& out, std::string_view text) {
  const std::size_t at = out.size();
  out.resize(at + text.size());
  if (!text.empty()) std::memcpy(out.data() + at, text.data(), text.size());
}

}  // namespace millrace::mtrace
