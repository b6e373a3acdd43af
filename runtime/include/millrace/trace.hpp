// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The one trace model: what a run did, whoever produced it. Everything downstream (checker,
/// explanations, pictures, exports, tests) works on it alone.
///
/// Objects and strings are referred to by their index in the trace's own tables, operations and
/// host calls by their index in order of issue. Steps (host calls and operations) also carry a
/// sequence number: the order in which they happened, in which every step comes after all that
/// ordered it.

#include <millrace/access.hpp>
#include <millrace/error.hpp>
#include <millrace/time.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

/// An index into one of the trace's tables; `none` where there is nothing to refer to.
using TraceIndex = std::uint32_t;
inline constexpr TraceIndex none = std::numeric_limits<TraceIndex>::max();

// clang-format off
enum class StreamKind : std::uint8_t { created, legacy, per_thread };

enum class OperationKind : std::uint8_t {
  kernel, copy, fill, host_function, record, wait, allocate, free, set_flag, await_flag, graph_node
};

enum class OperationState : std::uint8_t {
  pending,    ///< never started: stuck behind a deadlock or a fault, or the trace ends before
  running,    ///< started, and the trace ends before its end
  completed,
  failed,     ///< a kernel that faulted
  cancelled,  ///< thrown away by a device reset
};

enum class CallKind : std::uint8_t {
  launch, copy, fill, host_function, record, wait, allocate, free,      // enqueue an operation
  set_flag, await_flag, begin_capture, end_capture, launch_graph,
  synchronize_stream, synchronize_event, synchronize_device,            // wait for something
  query_stream, query_event, elapsed_time,
  create_stream, destroy_stream, create_event, destroy_event,
  create_graph,                                                         // and what else shapes one
  destroy_graph, malloc, host_free, reset_device, set_device,
  read, write,                                                          // the host touches memory
  work,                                                                 // host computation
  start_thread, join_thread, raise, await, lock, unlock, try_lock,      // between host threads
};

/// Whether the call waits for work of a device.
[[nodiscard]] constexpr bool synchronizes(CallKind kind) {
  return kind == CallKind::synchronize_stream || kind == CallKind::synchronize_event ||
         kind == CallKind::synchronize_device;
}
/// Whether the call is made to wait: for a device, or for another host thread.
[[nodiscard]] constexpr bool may_wait(CallKind kind) {
  return synchronizes(kind) || kind == CallKind::join_thread || kind == CallKind::await ||
         kind == CallKind::lock;
}

enum class CallOutcome : std::uint8_t {
  success,
  not_ready,  ///< a query that answered so
  error,      ///< `error` says which
  blocked,    ///< never returned: a deadlock, or the run was given up
};

/// Why a step had to come after another.
enum class DependencyKind : std::uint8_t {
  stream_order,    ///< first in, first out: only where it is not plain from the stream's own order
  record_wait,     ///< operation record -> operation wait
  legacy_barrier,  ///< the implicit order between the legacy stream and blocking streams
  synchronize,     ///< operation -> the host call that waited for it
  query_ready,     ///< operation -> the query that answered ready
  call_return,     ///< operation -> the return of the synchronous call that made it
  thread_start,    ///< call start_thread -> the first call of that thread
  thread_join,     ///< last call of a thread -> call join_thread
  signal,          ///< call raise -> call await (counting; see `candidates` in the checker)
  lock,            ///< call unlock -> call lock
  flag,            ///< operation set_flag -> operation await_flag
  host_function,   ///< order made inside host functions: an operation and a call, either way
  graph_edge,      ///< between nodes; also: the call that made the node (its place in the program;
                   ///< the operation's own `call` is the launch) -> the node
  graph_launch,    ///< the launch before of the same graph
  memory_reuse,
};

/// Whether the producer knew the dependency or it was inferred from times and order.
enum class DependencyState : std::uint8_t { exact, inferred, unresolved };

/// A step: an operation or a host call.
struct Step {
  TraceIndex index = none;
  bool is_call = false;

  static constexpr Step operation(TraceIndex i) { return {i, false}; }
  static constexpr Step call(TraceIndex i) { return {i, true}; }
  [[nodiscard]] constexpr bool exists() const { return index != none; }
  friend constexpr bool operator==(Step, Step) = default;
};

/// What kept an operation from starting earlier: of everything it needed, what came last.
enum class ConstraintKind : std::uint8_t {
  enqueue,         ///< it started when it was enqueued; `because` is the host call
  stream_order,    ///< the operation before it in its stream
  record_wait,     ///< the record that its wait is bound to
  legacy_barrier,
  host_server,     ///< the host function before it on the device's one server
  flag,            ///< the operation that set the flag
  engine,          ///< a copy engine was busy with `because`
  multiprocessors, ///< no room on the SMs until `because` ended
  grid_limit,      ///< as many kernels as the device can hold were running
  queue_neighbour, ///< `because` stood before it in the same hardware queue
  launch_ring,     ///< the host waited for a place in the launch queue
  graph_edge,
  graph_launch,
  unknown,         ///< an imported trace does not say
  memory_reuse,    ///< the free of bytes that an allocation uses again
};

/// When within its step an access may happen.
enum class AccessOrder : std::uint8_t {
  in_order,      ///< from the step's start to its end
  from_call,     ///< from the host call on, without regard to the stream's earlier work, to the end
  until_return,  ///< in stream order, and over when the host call returns
};

struct Operation {
  std::int64_t enqueue_ns = 0;
  std::int64_t start_ns = -1;  ///< -1: never started
  std::int64_t end_ns = -1;    ///< -1: never ended
  std::uint64_t bytes = 0;     ///< copies and fills
  TraceIndex name = 0;         ///< string; empty for records, waits and the like
  TraceIndex stream = none;
  TraceIndex call = none;      ///< the host call that enqueued it
  TraceIndex sequence = none;  ///< place in the order of steps, taken when it starts; none: never
  TraceIndex object = none;    ///< event, memory, flag or graph, by kind
  TraceIndex first_access = 0;
  Step because{};              ///< what bound its start
  std::uint32_t access_count = 0;
  OperationKind kind = OperationKind::kernel;
  OperationState state = OperationState::pending;
  ConstraintKind constraint = ConstraintKind::enqueue;

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// What the `object` of a host call or a blocked step is.
enum class ObjectKind : std::uint8_t {
  nothing, device, stream, event, memory, thread, signal, mutex, flag, graph
};

struct HostCall {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  TraceIndex thread = none;
  TraceIndex file = 0;           ///< string
  std::uint32_t line = 0;
  TraceIndex object = none;      ///< by `object_kind`
  TraceIndex sequence = none;    ///< place in the order of steps, taken when it returns
  TraceIndex operation = none;   ///< the first one that it enqueued
  TraceIndex first_access = 0;
  std::uint32_t access_count = 0;
  std::uint16_t error = 0;       ///< an Errc
  CallKind kind = CallKind::launch;
  CallOutcome outcome = CallOutcome::success;
  ObjectKind object_kind = ObjectKind::nothing;
  bool used_destroyed = false;   ///< failed because `object` was destroyed before
  bool unrecorded = false;       ///< a wait on an event that was never recorded

  friend bool operator==(const HostCall&, const HostCall&) = default;
};

struct TraceAccess {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t pitch = 0;
  std::uint64_t width = 0;
  TraceIndex memory = none;
  AccessMode mode = AccessMode::read;
  AccessOrder order = AccessOrder::in_order;

  friend bool operator==(const TraceAccess&, const TraceAccess&) = default;
};

/// `from` comes before `to`. Not listed, because plain from the steps themselves: the order of a
/// thread's calls, the order of a stream's operations, a call before the operations it enqueues.
/// A graph launch is one thing in its stream's order: its operations, those of one call, come after
/// what was before it in the stream, and what follows comes after all of them; among themselves
/// they are ordered by `graph_edge` alone.
struct Dependency {
  Step from{};
  Step to{};
  DependencyKind kind = DependencyKind::record_wait;
  DependencyState state = DependencyState::exact;

  friend bool operator==(const Dependency&, const Dependency&) = default;
};

/// A host thread or operation that could never go on, and what it waits for.
struct Blocked {
  Step step{};                  ///< the call that does not return, or the operation
  ObjectKind waits_for = ObjectKind::nothing;
  TraceIndex object = none;     ///< by `waits_for`
  Step behind{};                ///< the step that it waits for, where there is one

  friend bool operator==(const Blocked&, const Blocked&) = default;
};

struct TraceDevice {
  TraceIndex name = 0;  ///< e.g. "sim:0"

  friend bool operator==(const TraceDevice&, const TraceDevice&) = default;
};
struct TraceStream {
  TraceIndex name = 0;
  TraceIndex device = 0;
  TraceIndex thread = none;  ///< the owner of a per-thread stream
  std::int32_t priority = 0;
  StreamKind kind = StreamKind::created;
  bool blocking = false;     ///< takes part in the legacy stream's order
  TraceIndex created_by = none;  ///< host call

  friend bool operator==(const TraceStream&, const TraceStream&) = default;
};
struct TraceEvent {
  TraceIndex name = 0;
  TraceIndex device = none;
  bool timing = false;
  TraceIndex created_by = none;

  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};
struct TraceMemory {
  TraceIndex name = 0;
  TraceIndex device = none;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  TraceIndex created_by = none;

  friend bool operator==(const TraceMemory&, const TraceMemory&) = default;
};
struct TraceThread {
  TraceIndex name = 0;

  friend bool operator==(const TraceThread&, const TraceThread&) = default;
};
/// Signals, mutexes, flags and graphs: only their names matter.
struct TraceObject {
  TraceIndex name = 0;

  friend bool operator==(const TraceObject&, const TraceObject&) = default;
};

/// A part of a device that operations compete for.
enum class ResourceKind : std::uint8_t {
  copy_engine,      ///< amounts count copies
  hardware_queue,   ///< operations that stand in it
  multiprocessors,  ///< all of a device's together; warps
};

struct TraceResource {
  TraceIndex name = 0;         ///< e.g. "hardware queue 3"
  TraceIndex device = 0;
  std::uint32_t capacity = 0;  ///< the most that it can hold; 0: no bound
  ResourceKind kind = ResourceKind::copy_engine;

  friend bool operator==(const TraceResource&, const TraceResource&) = default;
};

/// What an operation holds of a resource for a length of time. An operation may hold several things
/// at once, and hold one several times: the blocks of a kernel come and go.
struct ResourceUse {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = -1;  ///< -1: it still holds it when the trace ends
  TraceIndex resource = none;
  TraceIndex operation = none;
  std::uint32_t amount = 1;  ///< in the unit of the resource's kind

  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

/// A complete run. A value: copy, compare and keep it as you like. Two equal programs with equal
/// options give equal traces, byte by byte in the native file.
struct Trace {
  std::vector<std::string> strings{""};  ///< index 0 is the empty string
  std::string producer;                  ///< e.g. "millrace sim, profile ideal, seed 0"
  std::vector<TraceDevice> devices;
  std::vector<TraceStream> streams;
  std::vector<TraceEvent> events;
  std::vector<TraceMemory> memories;
  std::vector<TraceThread> threads;
  std::vector<TraceObject> signals;
  std::vector<TraceObject> mutexes;
  std::vector<TraceObject> flags;
  std::vector<TraceObject> graphs;
  std::vector<Operation> operations;
  std::vector<HostCall> calls;
  std::vector<TraceAccess> accesses;
  std::vector<Dependency> dependencies;
  std::vector<Blocked> blocked;  ///< not empty: the run ended in a deadlock
  std::vector<TraceResource> resources;  ///< those that were used; none where nothing competes
  std::vector<ResourceUse> uses;         ///< in no order
  std::int64_t end_ns = 0;       ///< when all work, host work included, was done
  TraceIndex steps = 0;          ///< number of sequence numbers taken; a step takes at most one
  bool has_dependencies = true;  ///< false: an imported trace that cannot say what orders what

  friend bool operator==(const Trace&, const Trace&) = default;

  [[nodiscard]] std::string_view string(TraceIndex index) const { return strings[index]; }
  /// The operation's name, or e.g. "record ready" where it has none of its own.
  [[nodiscard]] std::string describe(TraceIndex operation) const;
  /// The k-th operation of that name, from 1 on; k = 0: the last one. `none` if there is none.
  [[nodiscard]] TraceIndex find_operation(std::string_view name, std::size_t k = 0) const;
  /// The name of an object, or e.g. "stream 3" where it has none.
  [[nodiscard]] std::string object_name(ObjectKind kind, TraceIndex index) const;
};
// clang-format on

/// What the `object` of an operation of this kind is; `nothing` where it has none.
ObjectKind object_kind(OperationKind kind);

/// Each of them in words, e.g. "host function", "synchronize stream", "record wait".
std::string_view to_string(OperationKind kind);
std::string_view to_string(CallKind kind);
std::string_view to_string(DependencyKind kind);
std::string_view to_string(ConstraintKind kind);
std::string_view to_string(MemoryKind kind);
std::string_view to_string(AccessMode mode);
std::string_view to_string(ObjectKind kind);
std::string_view to_string(StreamKind kind);
std::string_view to_string(OperationState state);
std::string_view to_string(CallOutcome outcome);
std::string_view to_string(DependencyState state);
std::string_view to_string(AccessOrder order);
std::string_view to_string(ResourceKind kind);

}  // namespace millrace
