// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A pool of streams that hands out the same few in turn, as PyTorch does.

#include <millrace/device.hpp>
#include <millrace/source_location.hpp>
#include <millrace/stream.hpp>

#include <cstddef>
#include <memory>

namespace millrace {

/// Non-blocking streams, 32 of each device and priority, handed out round robin: the 33rd request
/// gets the first stream again. Streams are made when they are first asked for; copies of the pool
/// share them, and there is no empty one. Safe from any host thread.
class StreamPool {
 public:
  static constexpr std::size_t size = 32;  ///< streams of one device and priority

  StreamPool();
  StreamPool(const StreamPool&) noexcept = default;
  StreamPool& operator=(const StreamPool&) noexcept = default;
  ~StreamPool() = default;

  /// The next stream of that priority, which is clamped to the device's range.
  [[nodiscard]] Stream get(const Device& device, int priority = 0,
                           SourceLocation where = SourceLocation::current());
  /// The same on the current device.
  [[nodiscard]] Stream get(int priority = 0, SourceLocation where = SourceLocation::current());

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace millrace
