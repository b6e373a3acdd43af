// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What an operation asks of the device, and what the model of the device asks of the engine.

#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <cstdint>

namespace millrace::sim {

/// Which part of the device does the work.
enum class Path : std::uint8_t {
  none,  ///< takes nothing that others could lack
  kernel,
  to_device,  ///< the copy engine of that direction
  to_host,
  on_device,  ///< memory's bandwidth, and room on a multiprocessor
  fill,
  inline_fill,  ///< too small to need a multiprocessor
};

struct Demand {
  std::uint64_t blocks = 1;        ///< kernels
  std::uint32_t threads = 1;       // … of a block
  std::uint32_t shared_bytes = 0;  // … of a block
  std::uint16_t registers = 32;    // … of a thread
  Path path = Path::none;
  bool timed = false;     ///< a record of an event with timing
  bool in_graph = false;  ///< a node behind the first one
};

/// Whether its blocks or its block of threads need room on multiprocessors.
constexpr bool is_grid(Path path) {
  return path == Path::kernel || path == Path::on_device || path == Path::fill;
}
constexpr bool is_link_copy(Path path) { return path == Path::to_device || path == Path::to_host; }

/// No operation.
inline constexpr std::uint32_t no_slot = 0xffff'ffff;

/// The engine as the device model sees it. Operations are named by their slot.
class Stage {
 public:
  virtual ~Stage() = default;
  /// The operation starts now; `kind` and `because` are what bound it, where that was the device
  /// (`kind` unknown: it was not).
  virtual void mark_started(std::uint32_t slot, ConstraintKind kind, TraceIndex because) = 0;
  /// The engine goes on with the operation as if nothing competed.
  virtual void commence(std::uint32_t slot) = 0;
  /// DeviceModel::happened(slot, at) is called then.
  virtual void schedule(std::uint32_t slot, Time at) = 0;
  /// The operation has one thing less to wait for.
  virtual void release(std::uint32_t slot, ConstraintKind kind, TraceIndex because) = 0;
  /// Hosts::changed: a place in a launch ring is free.
  virtual void place_freed() = 0;
};

}  // namespace millrace::sim
