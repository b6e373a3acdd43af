// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the simulated backend keeps of each object, and how handles name them.

#include "address_space.hpp"
#include "block_pool.hpp"
#include "engine.hpp"
#include "shared_event.hpp"

#include <millrace/backend.hpp>
#include <millrace/graph_node.hpp>
#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace millrace::sim {

/// A handle is the kind of its object and its number, never used again.
enum class HandleKind : std::uint8_t {
  stream = 1,
  event,
  memory,
  flag,
  graph,
  executable,
  builder,  ///< what add_node gives to the functions of streams
  pool,
};

/// No object of that kind.
inline constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

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

/// "app.cpp:12"
inline std::string place(const SourceLocation& where) {
  return std::string(where.file) + ":" + std::to_string(where.line);
}

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
  std::size_t capture = no_index;   ///< it is being captured by
  std::vector<NodeId> frontier;     ///< the nodes that its next one comes after
  std::map<int, std::size_t> elsewhere;  ///< by device: where nodes of its graphs run there
  std::size_t builds = no_index;  ///< no stream of the program: its work is added to this graph

  [[nodiscard]] bool capturing() const { return capture != no_index || builds != no_index; }
};

/// `EventRecord::latest_stream` of a record whose place in its stream says nothing of other
/// records.
inline constexpr std::uint32_t unordered_record = 0xffff'ffff;

/// A record of this process's by its two numbers.
struct SharedSerial {
  std::uint64_t own = 0;     ///< the operation's serial
  std::uint64_t shared = 0;  ///< the record's among those of all processes
};

/// What an event that other processes see has besides.
struct EventSharing {
  std::unique_ptr<SharedEvent> memory;
  bool imported = false;                 ///< another process made it
  std::uint64_t current = 0;             ///< the record that is the latest one here
  std::vector<std::uint64_t> lost;       ///< records that were never complete
  std::size_t elsewhere = no_index;      ///< the stream that others' records stand in here
  std::vector<SharedSerial> unfinished;  ///< this process's own
};

/// Another process's record that this one waits for or has asked about.
struct ForeignRecord {
  std::shared_ptr<EventSharing> sharing;
  std::uint64_t number = 0;
  OperationRef operation;
  Time since = Time::never();  ///< virtual time stands still for it there
  bool is_late = false;        ///< but not any more
};

struct EventRecord {
  Origin origin;
  int device = -1;  ///< -1: that of its first record
  bool timing = false;
  bool interprocess = false;
  bool recorded = false;
  OperationRef latest;  ///< the latest record
  std::uint32_t latest_stream = 0;
  Time completed{-1};                     ///< of the latest record; negative: not yet
  std::size_t capture = no_index;         ///< the latest record was captured by
  std::vector<NodeId> frontier;           ///< and stands behind these nodes
  std::shared_ptr<EventSharing> sharing;  ///< where other processes see it

  [[nodiscard]] bool captured() const { return capture != no_index; }
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
  std::uint64_t address = 0;    ///< where the device sees it; 0: nowhere
  std::size_t pool = no_index;  ///< it came from
  Bytes data;                   ///< null when not backed
  bool in_graph = false;        ///< a node touches it: its bytes stay until the run ends
  bool of_graph = false;        ///< launches of a graph allocate it, each for a life of its own …
  bool live = false;            ///< … and the last one has, and nothing has freed it since
  bool lived = false;           ///< it was allocated once

  [[nodiscard]] bool freed() const { return of_graph ? !live : origin.gone; }
};

struct PoolRecord {
  PoolRecord(std::uint64_t first_address, std::uint64_t chunk) : blocks(first_address, chunk) {}

  Origin origin;
  int device = 0;
  PoolSettings settings{};
  std::uint64_t largest_bytes = 0;  ///< it may reserve; 0: all that the device has
  BlockPool blocks;
  std::uint64_t used_bytes = 0;
  std::uint64_t peak_used_bytes = 0;
  std::uint64_t peak_reserved_bytes = 0;
};

struct FlagRecord {
  Origin origin;
};

struct DeviceRecord {
  explicit DeviceRecord(int index)
      : addresses((std::uint64_t{1} << 63) + (static_cast<std::uint64_t>(index) << 52)) {}

  std::size_t legacy = 0;                        ///< index of its legacy stream
  std::map<TraceIndex, std::size_t> per_thread;  ///< by host thread
  std::vector<std::size_t> since_legacy;         ///< blocking streams with work newer than legacy's
  std::vector<std::size_t> streams;  ///< in order of creation, but those that have departed
  std::vector<std::pair<std::size_t, OperationRef>> departed;  ///< destroyed and done: the last one
  std::map<TraceIndex, std::size_t> departed_known;  ///< by host thread: how many it has waited for
  Errc fault = Errc::Success;
  std::string fault_reason;
  std::uint64_t used_bytes = 0;         ///< of its memory, what its pools have reserved included
  std::size_t default_pool = no_index;  ///< none was asked for yet
  std::size_t current_pool = no_index;  ///< the default pool
  AddressSpace addresses;               ///< of what comes from no pool
};

}  // namespace millrace::sim
