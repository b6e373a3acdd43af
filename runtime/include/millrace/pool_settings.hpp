// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What memory pools do and hold, as programs and backends say it.

#include <cstdint>

namespace millrace {

/// When a pool may hand out a block that was freed on another stream. On the stream that freed it,
/// and once a host thread has synchronized with the free, it always may.
struct ReusePolicy {
  /// To a stream that events, or the legacy stream's rule, order after the free.
  bool follow_event_dependencies = true;
  /// When the free has completed, as chance will have it.
  bool allow_opportunistic = true;
  /// When no memory is left: the allocation then waits for the free.
  bool allow_internal_dependencies = true;

  friend constexpr bool operator==(const ReusePolicy&, const ReusePolicy&) = default;
};

struct PoolSettings {
  ReusePolicy reuse{};
  /// How many bytes the pool keeps reserved when a host thread synchronizes with a stream, an event
  /// or a device; what is beyond and not in use goes back to the device then.
  std::uint64_t release_threshold = 0;

  friend constexpr bool operator==(const PoolSettings&, const PoolSettings&) = default;
};

/// Bytes of a pool.
struct PoolStats {
  std::uint64_t reserved_bytes = 0;       ///< taken from the device
  std::uint64_t peak_reserved_bytes = 0;  ///< the most of them so far
  std::uint64_t used_bytes = 0;           ///< allocated, and not freed by a call
  std::uint64_t peak_used_bytes = 0;

  friend constexpr bool operator==(const PoolStats&, const PoolStats&) = default;
};

/// Bytes of a device.
struct MemoryInfo {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;

  friend constexpr bool operator==(const MemoryInfo&, const MemoryInfo&) = default;
};

}  // namespace millrace
