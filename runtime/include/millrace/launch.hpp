// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What is said of an operation when it is enqueued.

#include <millrace/access.hpp>
#include <millrace/name.hpp>
#include <millrace/time.hpp>

#include <cstdint>
#include <optional>

namespace millrace {

/// Extent of a grid (in blocks) or a block (in threads).
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  constexpr Dim3() = default;
  constexpr Dim3(std::uint32_t x_, std::uint32_t y_ = 1, std::uint32_t z_ = 1)  // NOLINT
      : x(x_), y(y_), z(z_) {}
  [[nodiscard]] constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// A kernel: its shape, its duration in simulated time, and the memory that it touches. Any cost is
/// from 0 to Duration::longest().
struct LaunchOptions {
  Dim3 grid{1};     ///< at most 2^31-1 by 65,535 by 65,535, each at least 1
  Dim3 block{256};  ///< at most 1,024 by 1,024 by 64 and 1,024 in all, each at least 1
  std::uint32_t shared_bytes = 0;           ///< dynamic shared memory a block, at most 232,448
  std::uint32_t registers_per_thread = 32;  ///< at most 255, and 65,536 a block
  std::optional<Duration> cost{};  ///< simulated time; the profile's default when not given
  AccessList reads{};
  AccessList writes{};
  AccessList updates{};  ///< read and written
};

/// A host function.
struct CallOptions {
  std::optional<Duration> cost{};  ///< simulated time; the profile's default when not given
  AccessList reads{};
  AccessList writes{};
  AccessList updates{};
};

/// A copy or fill.
struct TransferOptions {
  std::optional<Duration> cost{};  ///< simulated time; the profile's answer by size when not given
  /// The synchronous form (cudaMemcpy, cudaMemset): only on the legacy or the per-thread stream.
  /// It returns when the contract says so: see Stream::copy.
  bool synchronous = false;
  Name name{};  ///< what reports call it; empty: its kind and place
};

}  // namespace millrace
