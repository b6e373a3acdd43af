// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the simulated backend keeps of each object, and how handles name them.

#include "engine.hpp"

#include <millrace/backend.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

namespace millrace::sim {

/// A handle is the kind of its object and its number, never used again.
enum class HandleKind : std::uint8_t { stream = 1, event, memory, flag };

constexpr Handle make_handle(HandleKind kind, std::size_t index) {
  return (Handle{static_cast<std::uint8_t>(kind)} << 56) | (index + 1);
}
constexpr bool is_handle(HandleKind kind, Handle handle) {
  return handle >> 56 == static_cast<std::uint8_t>(kind);
}
constexpr std::size_t handle_index(Handle handle) {
  return static_cast<std::size_t>(handle & 0x00ff'ffff'ffff'ffff) - 1;
}

/// Where an object came from and how it went.
struct Origin {
  Name name;
  SourceLocation made;
  SourceLocation destroyed;
  bool gone = false;
  TraceIndex traced = none;
};

struct StreamRecord {
  Origin origin;
  int device = 0;
  int priority = 0;
  bool blocking = false;
  StreamKind kind = StreamKind::created;
  std::uint32_t queue = 0;  ///< the engine's
  OperationRef tail;
  std::uint64_t legacy_joined = 0;  ///< serial of the last legacy operation it is ordered after
  bool since_legacy = false;        ///< listed in its device's `since_legacy`
};

struct EventRecord {
  Origin origin;
  int device = -1;  ///< -1: that of its first record
  bool timing = false;
  bool interprocess = false;
  bool recorded = false;
  OperationRef latest;  ///< the latest record
  std::uint32_t latest_stream = 0;
  Time completed{-1};  ///< of the latest record; negative: not yet
};

struct FreeBytes {
  void operator()(std::byte* data) const { std::free(data); }
};
using Bytes = std::unique_ptr<std::byte, FreeBytes>;

struct MemoryRecord {
  Origin origin;
  int device = 0;
  MemoryKind kind = MemoryKind::device;
  std::uint64_t bytes = 0;
  Bytes data;  ///< null when not backed
};

struct FlagRecord {
  Origin origin;
};

struct DeviceRecord {
  std::size_t legacy = 0;                        ///< index of its legacy stream
  std::map<TraceIndex, std::size_t> per_thread;  ///< by host thread
  std::vector<std::size_t> since_legacy;         ///< blocking streams with work newer than legacy's
  std::vector<std::size_t> streams;              ///< all of them, in order of creation
  Errc fault = Errc::Success;
  std::string fault_reason;
};

}  // namespace millrace::sim
