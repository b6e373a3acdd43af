// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Writes to the trace which operation holds what of a device, and for how long. Operations that
/// are not traced (`none`) leave nothing.

#include "../profile.hpp"
#include "../recorder.hpp"

#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace millrace::sim {

/// A part of a device by its number among those of its kind.
struct DevicePart {
  int device = 0;
  ResourceKind kind = ResourceKind::copy_engine;
  std::uint32_t number = 0;

  // clang-tidy 14 misreads a defaulted <=>. NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const DevicePart&, const DevicePart&) = default;
};

class ResourceLog {
 public:
  ResourceLog(const Profile& profile, Recorder& recorder);

  /// The operation takes so much of it, and keeps that until `end`: of one thing at a time.
  void begin(const DevicePart& part, TraceIndex operation, std::uint32_t amount, Time at) {
    if (operation != none && recorder_.enabled()) open(part, operation, amount, at);
  }
  void end(TraceIndex operation, Time at) {
    if (operation < open_.size()) close(operation, at);
  }
  /// The same where the end is known.
  void add(const DevicePart& part, TraceIndex operation, std::uint32_t amount, Time begin,
           Time end);
  /// All that is held of this device ends.
  void cut(int device, Time at);

 private:
  TraceIndex resource(const DevicePart& part);
  void open(const DevicePart& part, TraceIndex operation, std::uint32_t amount, Time at);
  void close(TraceIndex operation, Time at);

  Recorder& recorder_;
  std::uint32_t ring_;
  std::uint32_t warps_;
  std::map<DevicePart, TraceIndex> resources_;
  std::vector<TraceIndex> open_;  // by operation: its use that has not ended
};

}  // namespace millrace::sim
