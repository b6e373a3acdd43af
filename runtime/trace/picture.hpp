// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the Chrome JSON exporter draws, and where: lanes, slices and arrows with their times.
///
/// Viewers tie an arrow's end to the slice that encloses it, so that what takes no time must be
/// drawn for a nanosecond, and an arrow must not point back in time. Operations that take time are
/// drawn exactly. The others have a lane of their own beside the stream's, one nanosecond before
/// their time (what waits for them may go on at that time) but not before their causes. A thread's
/// calls are pushed later where earlier ones that take no time need room.

#include <millrace/trace.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace millrace::chrome {

/// A row: a host thread or a part of a stream.
struct Lane {
  std::uint32_t process = 0;
  TraceIndex owner = none;  ///< the thread or stream
  std::uint32_t part = 0;   ///< more than one where slices overlap; the last holds the waits
  std::string name;
};
inline constexpr std::uint32_t waits_part = std::numeric_limits<std::uint32_t>::max();

struct Slice {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  ///< later than the begin
  std::uint32_t lane = none;

  [[nodiscard]] bool exists() const { return lane != none; }
  [[nodiscard]] std::int64_t last_ns() const { return end_ns - 1; }
};

/// The time for which something other than its stream's order kept an operation from starting.
struct BlockedSlice {
  TraceIndex operation = none;
  Slice slice;
};

struct ArrowEnd {
  Step step;
  std::uint32_t lane = none;
  std::int64_t time_ns = 0;  ///< inside of the step's slice
};

struct Arrow {
  TraceIndex dependency = none;  ///< none: from a call to its operation
  ArrowEnd from;
  ArrowEnd to;  ///< not before `from`
};

struct Picture {
  std::vector<std::string> processes;  ///< the host, then the devices
  std::vector<Lane> lanes;
  std::vector<Slice> operations;  ///< one an operation; without a lane: it never started
  std::vector<Slice> calls;
  std::vector<BlockedSlice> blocked;
  std::vector<Arrow> arrows;
  std::size_t arrows_left_out = 0;  ///< an end is not drawn, or it would point back in time

  [[nodiscard]] const Slice& slice(Step step) const {
    return step.is_call ? calls[step.index] : operations[step.index];
  }
};

Picture draw(const Trace& trace);

}  // namespace millrace::chrome
