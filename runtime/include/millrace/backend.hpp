// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What a world of devices must offer. One narrow interface: the public API, scripts and the
/// drop-in stand on it, the simulator and CUDA behind it. Each function's comment is its contract.

#include <millrace/access.hpp>
#include <millrace/error.hpp>
#include <millrace/flag_condition.hpp>
#include <millrace/graph_node.hpp>
#include <millrace/launch.hpp>
#include <millrace/name.hpp>
#include <millrace/pool_settings.hpp>
#include <millrace/source_location.hpp>
#include <millrace/task.hpp>
#include <millrace/time.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace millrace {

struct Trace;

/// Which public call a backend is asked for, and where it stands: for errors and traces.
struct CallSite {
  const char* call = "";  ///< e.g. "Stream::launch"
  SourceLocation where;
  bool silent = false;  ///< a look from outside the program: leaves no trace and costs no time
  bool of_destructor = false;  ///< the last owner's: what is gone already was not misused
  bool before_start = false;   ///< makes what exists when the program starts: costs no time
};

struct StreamDescription {
  int device = 0;
  int priority = 0;       ///< lower is more urgent; clamped to the device's range
  bool blocking = false;  ///< takes part in the legacy stream's order
  Name name{};
};

struct EventDescription {
  int device = 0;  ///< -1: that of its first record
  bool timing = false;
  bool blocking = false;  ///< the host sleeps instead of spinning while it waits
  bool interprocess = false;
  Name name{};
};

struct MemoryDescription {
  int device = 0;
  MemoryKind kind = MemoryKind::device;
  std::uint64_t bytes = 0;
  bool backed = true;  ///< false: no bytes stand behind it and operations have no effects on it
  Handle pool = 0;     ///< allocate_async takes it from there; 0: the current pool of the stream's
                       ///< device
  Name name{};
};

struct Allocation {
  Handle memory = 0;
  void* data = nullptr;       ///< host-visible bytes behind it; null when not backed
  std::uint64_t address = 0;  ///< where the device sees it: that of an earlier one when its bytes
                              ///< are used again
};

struct MemoryPoolDescription {
  int device = 0;
  PoolSettings settings{};
  std::uint64_t largest_bytes = 0;  ///< 0: all that the device has
  Name name{};
};

struct MemoryPoolInfo {
  PoolSettings settings;
  PoolStats stats;
  Name name{};
  SourceLocation made{};  ///< line 0: nobody made it, as a device's default pool
};

struct DeviceProperties {
  std::string name;
  int least_priority = 0;
  int greatest_priority = 0;  ///< numerically lowest, most urgent
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
};

/// What another process opens an event with; nothing in it is for programs to read.
using IpcEventHandle = std::array<std::byte, 64>;

/// A wait that calls back instead of blocking. Destroying it calls it off.
class BackendWait {
 public:
  BackendWait() = default;
  BackendWait(const BackendWait&) = delete;
  BackendWait& operator=(const BackendWait&) = delete;
  virtual ~BackendWait() = default;

  /// Calls `ready` once, when finish() would return at once or the run has ended: from any thread,
  /// never before this returns on the caller's own. It must not block. When this is destroyed
  /// meanwhile, `ready` may still be under way.
  virtual void notify(Task ready) = 0;
  /// Answers as the synchronizing call would have. Only after `ready`.
  virtual void finish(const CallSite& site) = 0;
};

/// Every function may throw Error; none of them blocks the operating-system thread under sim::run.
/// Those of capabilities that a backend lacks throw Error{Errc::NotSupported} naming themselves.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// The device type, e.g. "sim".
  [[nodiscard]] virtual std::string_view type() const noexcept = 0;
  [[nodiscard]] virtual int device_count() const noexcept = 0;
  virtual DeviceProperties properties(int device) = 0;
  /// Cancels pending work, frees the device's memory, destroys its streams, events and graphs. A
  /// device that failed before does not come back: it answers DevicesUnavailable from then on.
  virtual void reset_device(int device, const CallSite& site) = 0;
  /// Returns when all work of the device that was enqueued before the call is done.
  virtual void synchronize_device(int device, const CallSite& site) = 0;

  // Streams: operations of one stream run first in, first out.
  virtual Handle create_stream(const StreamDescription& description, const CallSite& site) = 0;
  /// Returns at once; pending work completes.
  virtual void destroy_stream(Handle stream, const CallSite& site) = 0;
  /// The default stream of all host threads; the same handle for the life of the backend.
  virtual Handle legacy_stream(int device) = 0;
  /// The calling host thread's own default stream; the same handle for the life of that thread.
  virtual Handle per_thread_stream(int device) = 0;
  /// The stream of a native handle: 0 or 1 legacy, 2 per-thread, else what native_handle gave.
  virtual Handle stream_from_native(void* native, int device, const CallSite& site) = 0;
  virtual void* native_stream(Handle stream, const CallSite& site) = 0;
  virtual int stream_device(Handle stream, const CallSite& site) = 0;
  virtual int stream_priority(Handle stream, const CallSite& site) = 0;
  virtual bool stream_is_capturing(Handle stream, const CallSite& site) = 0;
  /// Whether nothing enqueued before is unfinished.
  virtual bool query_stream(Handle stream, const CallSite& site) = 0;
  virtual void synchronize_stream(Handle stream, const CallSite& site) = 0;

  // Events: a record captures the stream's work at the time of its call; wait, query and
  // synchronize use the latest record at the time of their own call; never recorded is complete.
  virtual Handle create_event(const EventDescription& description, const CallSite& site) = 0;
  virtual void destroy_event(Handle event, const CallSite& site) = 0;
  virtual void record_event(Handle event, Handle stream, bool external, const CallSite& site) = 0;
  virtual void wait_event(Handle stream, Handle event, bool external, const CallSite& site) = 0;
  virtual bool query_event(Handle event, const CallSite& site) = 0;
  virtual void synchronize_event(Handle event, const CallSite& site) = 0;
  /// Errors as Event::elapsed_time; on simulated devices exact to the event clock.
  virtual Duration elapsed_time(Handle start, Handle end, const CallSite& site) = 0;
  virtual bool event_was_recorded(Handle event, const CallSite& site) = 0;

  /// 64 bytes that import_event of another process takes, as long as this event exists. Throws
  /// InvalidResourceHandle for an event that is not interprocess.
  virtual IpcEventHandle export_event(Handle event, const CallSite& site);
  /// An event of this process that shares its records with the one that was exported. Throws
  /// MapBufferObjectFailed when there is none, DeviceUninitialized when it is this process's own.
  virtual Handle import_event(int device, const IpcEventHandle& handle, Name name,
                              const CallSite& site);

  // Completion without blocking.
  /// Begins to wait for what synchronize_event or synchronize_stream would wait for now.
  virtual std::unique_ptr<BackendWait> begin_wait(Handle event_or_stream, const CallSite& site);
  /// Runs `task` soon, on a host thread that the backend has for it: one task after another. One
  /// that a run leaves behind is destroyed.
  virtual void post(Task task, const CallSite& site);

  // Work. Each enqueues one operation and returns; `body` runs once, when the operation executes.
  virtual void launch(Handle stream, Name name, const LaunchOptions& options, Task body,
                      const CallSite& site) = 0;
  virtual void call(Handle stream, Name name, const CallOptions& options, Task body,
                    const CallSite& site) = 0;
  /// As `call`, but `body` runs after a fault of the device too, and is told of it. Not capturable.
  virtual void add_callback(Handle stream, Name name, std::function<void(Errc)> body,
                            const CallSite& site);
  virtual void copy(Handle stream, const Access& to, const Access& from,
                    const TransferOptions& options, const CallSite& site) = 0;
  virtual void fill(Handle stream, const Access& region, std::uint8_t value,
                    const TransferOptions& options, const CallSite& site) = 0;
  /// A kernel that fails with `code` (IllegalAddress, LaunchFailure …): sticky for the device.
  virtual void fault(Handle stream, Errc code, const CallSite& site);

  // Memory.
  virtual Allocation allocate(const MemoryDescription& description, const CallSite& site) = 0;
  virtual void free(Handle memory, const CallSite& site) = 0;
  virtual Allocation allocate_async(Handle stream, const MemoryDescription& description,
                                    const CallSite& site);
  virtual void free_async(Handle stream, Handle memory, const CallSite& site);
  virtual MemoryInfo memory_info(int device, const CallSite& site);
  /// The calling host thread touches memory itself.
  virtual void host_access(AccessList reads, AccessList writes, const CallSite& site) = 0;

  // Memory pools: where allocate_async takes memory from and free_async gives it back to.
  virtual Handle create_memory_pool(const MemoryPoolDescription& description, const CallSite& site);
  /// Returns at once; memory of it lives on.
  virtual void destroy_memory_pool(Handle pool, const CallSite& site);
  virtual Handle default_memory_pool(int device, const CallSite& site);
  /// The default pool, until another one is set and after that is destroyed.
  virtual Handle current_memory_pool(int device, const CallSite& site);
  /// Of the device that the pool is on.
  virtual void set_memory_pool(Handle pool, const CallSite& site);
  virtual MemoryPoolInfo memory_pool_info(Handle pool, const CallSite& site);
  virtual void configure_memory_pool(Handle pool, const PoolSettings& settings,
                                     const CallSite& site);
  virtual void reset_memory_pool_peaks(Handle pool, const CallSite& site);
  /// Gives back to the device what is not in use and beyond `bytes_to_keep`.
  virtual void trim_memory_pool(Handle pool, std::uint64_t bytes_to_keep, const CallSite& site);

  // Flags: 32-bit words for stream memory operations, 0 at the start.
  virtual Handle create_flag(Name name, const CallSite& site);
  /// Returns at once; operations on it that are enqueued complete.
  virtual void destroy_flag(Handle flag, const CallSite& site);
  virtual void set_flag(Handle stream, Handle flag, std::uint32_t value, const CallSite& site);
  virtual void await_flag(Handle stream, Handle flag, FlagCondition condition, std::uint32_t value,
                          const CallSite& site);

  // Capture: work of the stream, and of those that wait for its events, does not run but becomes
  // nodes of a graph, ordered as the streams and events order it.
  virtual void begin_capture(Handle stream, CaptureMode mode, const CallSite& site);
  /// The nodes are added to `graph`, the first of them after `after`.
  virtual void begin_capture_to_graph(Handle stream, Handle graph, std::span<const NodeId> after,
                                      CaptureMode mode, const CallSite& site);
  /// The graph. Whatever it answers, the capture of the stream that it began on is over then.
  virtual Handle end_capture(Handle stream, Name graph, const CallSite& site);
  virtual CaptureInfo capture_info(Handle stream, const CallSite& site);
  /// Relaxed lets the calling host thread make unsafe calls during captures. Returns its former
  /// mode.
  virtual CaptureMode exchange_capture_mode(CaptureMode mode, const CallSite& site);

  // Graphs. Nodes start after the nodes that they come after; nothing else orders them.
  virtual Handle create_graph(int device, Name name, const CallSite& site);
  virtual AddedNode add_node(Handle graph, std::span<const NodeId> after, NodeWork work,
                             const CallSite& site);
  /// `to` comes after `from`. Cycles are found by instantiate_graph.
  virtual void add_dependency(Handle graph, NodeId from, NodeId to, const CallSite& site);
  virtual GraphInfo graph_info(Handle graph, const CallSite& site);
  /// Returns at once; launched work completes.
  virtual void destroy_graph(Handle graph, const CallSite& site);
  /// An executable copy of the graph as it is now.
  virtual Handle instantiate_graph(Handle graph, const CallSite& site);
  /// Later launches do the work of `graph`, which must have the same kinds of nodes and edges.
  virtual void update_graph(Handle executable, Handle graph, const CallSite& site);
  /// Returns at once; launched work completes.
  virtual void destroy_executable(Handle executable, const CallSite& site);
  /// Enqueues the nodes as one: after the stream's earlier work and the same executable's launch
  /// before, and later work of the stream after all of them. A graph is instantiated at its first
  /// launch; what is added to it then changes nothing.
  virtual void launch_graph(Handle stream, Handle graph_or_executable, const CallSite& site);

  /// The host thread found nothing ready and will ask again: lets other threads and time go on
  /// until something changes. On real devices it returns at once.
  virtual void idle(const CallSite& site) = 0;
};

/// Makes a backend of one device type known. Called when the library that implements it is linked;
/// the factory runs at first use and its backend lives as long as the process. The factory must not
/// look for backends itself. Of two for one type the first stays.
void register_backend(std::string_view type, std::shared_ptr<Backend> (*factory)());

/// The backend of a device type: the one of the current run, or the process's own.
/// Throws Error{Errc::InvalidDevice} naming the types that there are.
std::shared_ptr<Backend> backend_for(std::string_view type, const CallSite& site);

}  // namespace millrace
