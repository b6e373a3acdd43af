// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The simulated backend's class. Its functions stand in one file a noun: backend_streams.cpp,
/// backend_events.cpp, backend_work.cpp, backend_transfers.cpp, backend_memory.cpp,
/// backend_pools.cpp, backend_ipc.cpp, backend_waits.cpp, backend_touches.cpp, backend_capture.cpp
/// with backend_capture_rules.cpp, backend_graphs.cpp with backend_graph_launch.cpp.

#include "backend_records.hpp"
#include "capture_records.hpp"
#include "engine.hpp"
#include "injector.hpp"
#include "sim_backend.hpp"
#include "stream_order.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::sim {

class SimBackend final : public SimMachine, private Clockwork, private EngineListener {
 public:
  SimBackend(const Profile& profile, const Machine& machine, Recorder& recorder, Hosts& hosts);

  // SimMachine
  Clockwork& clockwork() override { return *this; }
  [[nodiscard]] bool drained() const override { return engine_.drained(); }
  void report_blocked(std::vector<Blocked>& blocked) override;
  [[nodiscard]] Time end_of_work() const override { return engine_.end_of_work(); }
  void close() override;

  // Backend: devices
  [[nodiscard]] std::string_view type() const noexcept override { return "sim"; }
  [[nodiscard]] int device_count() const noexcept override {
    return static_cast<int>(devices_.size());
  }
  DeviceProperties properties(int device) override;
  void reset_device(int device, const CallSite& site) override;
  void synchronize_device(int device, const CallSite& site) override;
  void idle(const CallSite& site) override;

  // streams
  Handle create_stream(const StreamDescription& description, const CallSite& site) override;
  void destroy_stream(Handle stream, const CallSite& site) override;
  Handle legacy_stream(int device) override;
  Handle per_thread_stream(int device) override;
  Handle stream_from_native(void* native, int device, const CallSite& site) override;
  void* native_stream(Handle stream, const CallSite& site) override;
  int stream_device(Handle stream, const CallSite& site) override;
  int stream_priority(Handle stream, const CallSite& site) override;
  bool stream_is_capturing(Handle stream, const CallSite& site) override;
  bool query_stream(Handle stream, const CallSite& site) override;
  void synchronize_stream(Handle stream, const CallSite& site) override;

  // events
  Handle create_event(const EventDescription& description, const CallSite& site) override;
  void destroy_event(Handle event, const CallSite& site) override;
  void record_event(Handle event, Handle stream, bool external, const CallSite& site) override;
  void wait_event(Handle stream, Handle event, bool external, const CallSite& site) override;
  bool query_event(Handle event, const CallSite& site) override;
  void synchronize_event(Handle event, const CallSite& site) override;
  Duration elapsed_time(Handle start, Handle end, const CallSite& site) override;
  bool event_was_recorded(Handle event, const CallSite& site) override;

  IpcEventHandle export_event(Handle event, const CallSite& site) override;
  Handle import_event(int device, const IpcEventHandle& handle, Name name,
                      const CallSite& site) override;
  std::unique_ptr<BackendWait> begin_wait(Handle event_or_stream, const CallSite& site) override;
  void post(Task task, const CallSite& site) override;

  // work
  void launch(Handle stream, Name name, const LaunchOptions& options, Task body,
              const CallSite& site) override;
  void call(Handle stream, Name name, const CallOptions& options, Task body,
            const CallSite& site) override;
  void add_callback(Handle stream, Name name, std::function<void(Errc)> body,
                    const CallSite& site) override;
  void copy(Handle stream, const Access& to, const Access& from, const TransferOptions& options,
            const CallSite& site) override;
  void fill(Handle stream, const Access& region, std::uint8_t value, const TransferOptions& options,
            const CallSite& site) override;
  void fault(Handle stream, Errc code, const CallSite& site) override;

  // memory and flags
  Allocation allocate(const MemoryDescription& description, const CallSite& site) override;
  void free(Handle memory, const CallSite& site) override;
  Allocation allocate_async(Handle stream, const MemoryDescription& description,
                            const CallSite& site) override;
  void free_async(Handle stream, Handle memory, const CallSite& site) override;
  MemoryInfo memory_info(int device, const CallSite& site) override;
  void host_access(AccessList reads, AccessList writes, const CallSite& site) override;
  Handle create_memory_pool(const MemoryPoolDescription& description,
                            const CallSite& site) override;
  void destroy_memory_pool(Handle pool, const CallSite& site) override;
  Handle default_memory_pool(int device, const CallSite& site) override;
  Handle current_memory_pool(int device, const CallSite& site) override;
  void set_memory_pool(Handle pool, const CallSite& site) override;
  MemoryPoolInfo memory_pool_info(Handle pool, const CallSite& site) override;
  void configure_memory_pool(Handle pool, const PoolSettings& settings,
                             const CallSite& site) override;
  void reset_memory_pool_peaks(Handle pool, const CallSite& site) override;
  void trim_memory_pool(Handle pool, std::uint64_t bytes_to_keep, const CallSite& site) override;
  Handle create_flag(Name name, const CallSite& site) override;
  void destroy_flag(Handle flag, const CallSite& site) override;
  void set_flag(Handle stream, Handle flag, std::uint32_t value, const CallSite& site) override;
  void await_flag(Handle stream, Handle flag, FlagCondition condition, std::uint32_t value,
                  const CallSite& site) override;

  // capture and graphs
  void begin_capture(Handle stream, CaptureMode mode, const CallSite& site) override;
  void begin_capture_to_graph(Handle stream, Handle graph, std::span<const NodeId> after,
                              CaptureMode mode, const CallSite& site) override;
  Handle end_capture(Handle stream, Name graph, const CallSite& site) override;
  CaptureInfo capture_info(Handle stream, const CallSite& site) override;
  CaptureMode exchange_capture_mode(CaptureMode mode, const CallSite& site) override;
  Handle create_graph(int device, Name name, const CallSite& site) override;
  AddedNode add_node(Handle graph, std::span<const NodeId> after, NodeWork work,
                     const CallSite& site) override;
  void add_dependency(Handle graph, NodeId from, NodeId to, const CallSite& site) override;
  GraphInfo graph_info(Handle graph, const CallSite& site) override;
  void destroy_graph(Handle graph, const CallSite& site) override;
  Handle instantiate_graph(Handle graph, const CallSite& site) override;
  void update_graph(Handle executable, Handle graph, const CallSite& site) override;
  void destroy_executable(Handle executable, const CallSite& site) override;
  void launch_graph(Handle stream, Handle graph_or_executable, const CallSite& site) override;

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// A host call under way: what its trace and its errors need.
  struct Call {
    const CallSite& site;
    Lock& lock;
    TraceIndex thread = none;
    TraceIndex traced = none;
    CallOutcome outcome = CallOutcome::success;
    CallKind kind = CallKind::launch;
  };

  /// A call that is none of the program's: it leaves no trace and costs no time.
  struct Look {
    Look(SimBackend& backend, const CallSite& site);
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;

    Lock lock;
    CallSite site;
    Call call;
  };

  /// Does `body(call)` as one host call of this kind: in the machine's lock, in its turn, traced.
  template <typename Body>
  auto perform(CallKind kind, const CallSite& site, Body&& body);
  void begin(CallKind kind, Call& call);
  void pay(Duration cost, Call& call);
  void note_error(Call& call, const Error& error);
  void about(Call& call, ObjectKind kind, TraceIndex object);

  [[noreturn]] void fail(Errc code, const Call& call, std::string_view reason) const;
  StreamRecord& stream(Handle handle, Call& call);
  StreamRecord& known_stream(Handle handle, Call& call);
  EventRecord& event(Handle handle, Call& call);
  MemoryRecord& memory(Handle handle, const Call& call);
  FlagRecord& flag(Handle handle, Call& call);
  DeviceRecord& device(int index, const Call& call);
  void refuse_closed(const Call& call) const;
  void refuse_failed(int device, const Call& call) const;
  void refuse_gone(const Origin& origin, ObjectKind kind, Call& call);

  EventRecord& add_event(const EventDescription& description, Call& call);
  std::size_t add_stream(const StreamDescription& description, StreamKind kind, Call* call);
  TraceIndex traced_stream(StreamRecord& stream);
  void let_depart(DeviceRecord& from, const StreamRecord& stream);
  void cover_departed(DeviceRecord& of, Call& call);

  class Until;

  // What explored runs are told of a call (backend_touches.cpp).
  void touch(const Call& call);
  void touch(const StreamRecord& on, const Call& call);
  void touch_event(Handle handle, const Call& call);
  void touch_memory(Handle handle, const Call& call);
  void choose_answer(Until& until, const Call& call);
  [[nodiscard]] bool is_explored(const Call& call) const {
    return hosts_.chooser() != nullptr && !call.site.silent;
  }

  // Enqueueing, and what blocks the host.
  /// What the trace says of an operation; its accesses are to be added before it is enqueued.
  TraceIndex describe(const StreamRecord& stream, OperationKind kind, Name name, TraceIndex object,
                      std::uint64_t bytes, const Call& call);
  void meet_injected(Name name, const Call& call);
  OperationRef enqueue(StreamRecord& stream, NewOperation&& operation, Call& call,
                       std::span<const Prerequisite> after = {});
  OperationRef hand_over(NewOperation&& operation, const StreamRecord& on, const Call& call);
  void await_place(StreamRecord& stream, OperationKind kind, const Demand& demand, Call& call);
  void order_with_legacy(StreamRecord& stream, TraceIndex traced);
  [[nodiscard]] Duration cost_of_call(const Call& call) const {
    return profile_.host.of(call.kind);
  }
  [[nodiscard]] Duration cost_of(const std::optional<Duration>& cost) const {
    return cost.value_or(profile_.default_operation);
  }
  void add_access(TraceIndex operation, const Access& region, AccessMode mode,
                  AccessOrder order = AccessOrder::in_order);
  template <typename Options>
  void add_accesses(TraceIndex operation, const Options& options);
  void check_cost(const std::optional<Duration>& cost, const Call& call) const;
  void check_shape(const LaunchOptions& options, Name kernel, const StreamRecord& on,
                   const Call& call) const;
  MemoryRecord& check_region(const Access& region, const Call& call);
  /// Checks all regions of a kernel or host function; returns whether one is pageable memory.
  template <typename Options>
  bool check_regions(const Options& options, const Call& call);

  // Events between processes (backend_ipc.cpp).
  void share(EventRecord& event, Call& call);
  static void stop_sharing(EventRecord& event);
  void begin_shared_record(EventRecord& event, std::uint64_t serial);
  void finish_shared_record(EventRecord& event, std::uint64_t serial, Time at);
  void lose_shared_records(int device);
  void refuse_unshared_record(const EventRecord& event, const Call& call) const;
  void look_elsewhere(EventRecord& event, Call& call);
  void adopt_record(EventRecord& event, std::uint64_t number, Call& call);
  void need(const EventRecord& event);
  void refuse_lost(const EventSharing& sharing, std::uint64_t number, const Call& call) const;

  // Waits that call back (backend_waits.cpp).
  class Wait;
  class Noticing;
  void notice_waits();
  void notice_soon();
  void note_ready(Wait& wait);
  Task take_noticed();
  void dismiss_waits();

  void gather_targets(StreamRecord& stream, Until& until);
  void wait_until(Until& until, DependencyKind kind, Call& call);
  void wait_awake(Until& until, Call& call);
  bool ready(Until& until, Call& call);
  void cover(const std::vector<std::pair<std::size_t, OperationRef>>& targets, DependencyKind kind,
             Call& call);
  void refuse_external(const StreamRecord& on, bool external, const Call& call) const;
  void begin_record(EventRecord& event, std::uint32_t stream);

  // Transfers.
  struct Side;
  struct CopyPlan;
  struct CopyTiming;
  Side side(const Access& region, const Call& call);
  void check_copy(const Side& to, const Side& from, const Call& call);
  CopyTiming timing(const Side& to, const Side& from, const TransferOptions& options);
  bool stage(std::uint64_t bytes);
  void return_after(const OperationRef& operation, const StreamRecord& on, bool late, bool joins,
                    Call& call);
  void refuse_synchronous(const StreamRecord& stream, bool synchronous, Call& call);

  // Capture: what a call may do meanwhile (backend_capture_rules.cpp), asked at its top …
  void heed_captures(StreamRecord& on, Call& call);
  void heed_captures(EventRecord& event, Call& call);
  void heed_captures_of(int device, Call& call);
  void refuse_unsafe(Call& call);
  [[noreturn]] void refuse_to_capture(CaptureRecord& capture, const std::string& what, Call& call);
  [[noreturn]] void refuse_to_wait_for(CaptureRecord& capture, Call& call);
  void refuse_implicit(const StreamRecord& legacy, Call& call);
  [[nodiscard]] bool forbids_unsafe(const CaptureRecord& capture, const Call& call) const;
  [[nodiscard]] bool has_blocking_stream(const CaptureRecord& capture, int device) const;
  template <typename Which>
  std::vector<CaptureRecord*> live_captures(Which which);
  std::vector<CaptureRecord*> captures_beside_legacy(int device);
  void spoil(const std::vector<CaptureRecord*>& captures, const std::string& reason, Call& call);
  [[nodiscard]] std::string describe(const CaptureRecord& capture) const;

  // … and its work, which becomes nodes (backend_capture.cpp).
  void check_beginning(const StreamRecord& on, const Call& call) const;
  std::size_t start_capture(std::size_t on, std::size_t graph, CaptureMode mode, Call& call);
  void check_origin(const StreamRecord& on, CaptureRecord& capture, Call& call);
  void check_joined(const CaptureRecord& capture, Call& call);
  void end(CaptureRecord& capture);
  void drop(CaptureRecord& capture);
  static bool record_in_capture(StreamRecord& on, EventRecord& event, bool external);
  bool wait_in_capture(StreamRecord& on, const EventRecord& event, bool external, Call& call);
  void join_capture(StreamRecord& on, const EventRecord& event, Call& call);
  void draft(OperationKind kind, Name name, TraceIndex object, std::uint64_t bytes,
             const Call& call);
  void capture(StreamRecord& on, NewOperation&& operation);

  // Graphs.
  GraphRecord& graph(Handle handle, Call& call);
  ExecutableRecord& executable(Handle handle, Call& call);
  std::size_t add_graph(int device, Call& call);
  void name_graph(GraphRecord& graph, Name name);
  void check_node(const GraphRecord& graph, NodeId node, const Call& call) const;
  void check_free_node(const StreamRecord& on, const MemoryRecord& memory, const Call& call) const;
  Handle builder(Handle graph, std::span<const NodeId> after, const CallSite& site);
  struct NodeAdder;
  void add_plain_node(Handle graph, std::span<const NodeId> after, std::optional<Handle> child,
                      const CallSite& site);
  std::shared_ptr<const GraphPlan> plan(const GraphRecord& graph, const Call& call) const;
  std::size_t add_executable(const GraphRecord& graph, Call& call);
  ExecutableRecord& to_launch(Handle handle, Call& call);
  void check_launch(const GraphPlan& plan, Call& call);
  void check_memory(const GraphPlan& plan, const Call& call);
  void check_event(const GraphNode& node, Call& call);
  void run(const GraphPlan& plan, StreamRecord& on, ExecutableRecord& executable, Call& call);
  TraceIndex describe_node(const GraphNode& node, const StreamRecord& on,
                           const ExecutableRecord& executable, Call& call);
  struct GraphLaunch;
  StreamRecord& place_of(const GraphNode& node, StreamRecord& on);
  OperationRef run_node(const GraphNode& node, GraphLaunch& launch);
  void order_node(const OperationRef& before, TraceIndex traced);
  void join_other_devices(GraphLaunch& launch);
  void order_head(StreamRecord& on, const ExecutableRecord& executable, TraceIndex traced);
  void order_wait(const GraphNode& node, TraceIndex traced);
  void begin_life(MemoryRecord& memory, const Call& call);
  void end_life(MemoryRecord& memory);
  void release(MemoryRecord& memory, const Freed& freed, const CallSite& site);
  void destroy_graphs_of(int device, const CallSite& site);

  // Clockwork
  [[nodiscard]] Time next_event() const override { return engine_.next_event(); }
  void advance_to(Time limit) override { engine_.advance_to(limit); }
  void startable_functions(std::vector<Actor>& functions) override {
    engine_.startable_functions(functions);
  }
  void start_function(Actor function) override { engine_.start_function(function); }
  bool demand_rest() override { return engine_.demand_rest(); }
  [[nodiscard]] News awaited_news() const override;
  [[nodiscard]] Time stands_still_at() const override;
  bool take_news() override;
  void go_on_without_news() override;

  // EngineListener
  void recorded(std::uint32_t event, std::uint64_t serial, Time at) override;
  void faulted(int device, Errc code, TraceIndex traced) override;
  void lost(int device, Errc code, Time at) override;
  void mark_failed(int device, Errc code, const std::string& how);

  // Memory.
  struct Block;
  Block plain_block(const MemoryDescription& description, const Call& call);
  Block graph_block(const MemoryDescription& description, const Call& call);
  Block pool_block(const MemoryDescription& description, const StreamRecord& stream,
                   std::vector<Prerequisite>& after, Call& call);
  Bytes host_bytes(const MemoryDescription& description, const Call& call) const;
  Handle add_memory(const MemoryDescription& description, Call& call, Bytes data,
                    const Block& block);
  Allocation allocation(Handle handle) const;
  void wait_for_device(int device, Call& call);
  void bury(MemoryRecord& memory, const Freed& freed, const CallSite& site);
  void refuse_freed(const MemoryRecord& memory, Call& call);
  bool make_room(int device, std::uint64_t bytes);
  [[noreturn]] void refuse_room(int device, std::uint64_t bytes, const std::string& subject,
                                const Call& call) const;
  [[nodiscard]] std::uint64_t free_bytes(int device) const;

  // Memory pools.
  PoolRecord& pool(Handle handle, Call& call);
  std::size_t add_pool(const MemoryPoolDescription& description, const SourceLocation& made);
  std::size_t default_pool(int device);
  std::size_t current_pool(int device);
  void destroy_pools_of(int device, const CallSite& site);
  [[nodiscard]] Reach reach_of(const StreamRecord& stream) const;
  std::uint64_t take_block(PoolRecord& from, std::uint64_t bytes, const StreamRecord& stream,
                           std::vector<Prerequisite>& after, Call& call);
  bool reserve(PoolRecord& to, std::uint64_t bytes);
  [[noreturn]] void refuse_block(const PoolRecord& from, std::uint64_t bytes,
                                 const Call& call) const;
  void release_reserved(PoolRecord& from, std::uint64_t keep);
  void give_block(const MemoryRecord& memory, const Freed& freed);
  void note_order(const StreamPlace& later, const StreamPlace& earlier);
  void settle_frees(const std::vector<std::pair<std::size_t, OperationRef>>& done);

  Profile profile_;
  Recorder& recorder_;
  Hosts& hosts_;
  Engine engine_;
  std::uint64_t device_bytes_ = std::uint64_t{141} << 30;  // an H200's memory
  Injector injector_;
  Errc injected_ = Errc::Success;                // of the operation being enqueued
  std::vector<TraceIndex> injected_operations_;  // those that fail on purpose
  std::uint64_t max_operations_;
  std::uint64_t operations_ = 0;
  bool closed_ = false;
  // Deques: references to records stay valid while a call blocks and others create objects.
  std::deque<StreamRecord> streams_;
  std::deque<EventRecord> events_;
  std::deque<MemoryRecord> memories_;
  std::vector<Bytes> graveyard_;  // freed bytes that unfinished operations may still touch
  std::deque<FlagRecord> flags_;
  std::vector<DeviceRecord> devices_;
  std::deque<PoolRecord> pools_;
  StreamOrder order_;           // while …
  bool follows_frees_ = false;  // … a free may not be over
  static constexpr std::size_t least_remembered_orders = 1024;
  std::size_t remembered_orders_ = least_remembered_orders;  // before order_ is tidied up
  std::vector<std::vector<std::uint64_t>> covered_;  // [thread][stream]: newest serial synchronized
  std::vector<Prerequisite> prerequisites_;          // of the operation being enqueued
  struct Staged {
    OperationRef copy;
    std::uint64_t bytes = 0;
  };
  std::deque<Staged> staged_;  // copied aside at their call, and not yet on the device
  std::deque<CaptureRecord> captures_;
  std::size_t live_captures_ = 0;                   // not ended yet
  std::map<TraceIndex, CaptureMode> thread_modes_;  // by host thread; global where not listed
  std::deque<GraphRecord> graphs_;
  std::deque<ExecutableRecord> executables_;
  std::vector<Wait*> waits_;  // not noticed to be ready yet, in order of their notify()
  std::deque<Task> noticed_;  // what is to be told of those that were
  std::deque<Task> posted_;
  bool noticing_ = false;               // there is a thread for both …
  bool unattended_ = false;             // … or was
  std::vector<ForeignRecord> foreign_;  // that have not ended yet
  std::size_t unfinished_shared_ = 0;   // records that other processes may wait for
  unsigned looks_ = 0;                  // at the foreign ones
  GraphNode draft_;                     // the node that the call under way adds …
  bool drafting_ = false;               // … if it is one
};

/// What a host call waits for: the last operations of some streams.
class SimBackend::Until final : public Waiting {
 public:
  explicit Until(Engine& engine) : engine_(engine) {}

  void add(std::size_t stream, const OperationRef& operation) {
    if (operation.serial == 0) return;
    targets.emplace_back(stream, operation);
    engine_.watch(operation);
  }
  bool ready() override {
    while (finished_ < targets.size() && engine_.finished(targets[finished_].second)) ++finished_;
    if (finished_ < targets.size()) {
      behind = Step::operation(targets[finished_].second.traced);
    }
    return finished_ == targets.size();
  }

  void demand() override {
    for (const auto& [stream, operation] : targets) engine_.demand(operation);
  }
  [[nodiscard]] bool can_be_ready() {
    return std::ranges::all_of(
        targets, [this](const auto& target) { return engine_.can_finish(target.second); });
  }

  /// Whether all that is left to wait for are records.
  [[nodiscard]] bool ends_with_records() const {
    for (const auto& [stream, operation] : targets) {
      if (engine_.finished(operation)) continue;
      if (engine_.kind_of(operation) != OperationKind::record) return false;
    }
    return true;
  }

  std::vector<std::pair<std::size_t, OperationRef>> targets;  // stream and operation

 private:
  Engine& engine_;
  std::size_t finished_ = 0;
};

template <typename Body>
auto SimBackend::perform(CallKind kind, const CallSite& site, Body&& body) {
  Lock lock = hosts_.lock();
  Call call{site, lock};
  begin(kind, call);
  const auto finish = [&] { recorder_.end_call(call.traced, hosts_.now(), call.outcome); };
  try {
    if constexpr (std::is_void_v<decltype(body(call))>) {
      body(call);
      finish();
    } else {
      auto result = body(call);
      finish();
      return result;
    }
  } catch (const Error& error) {
    note_error(call, error);
    throw;
  }
}

}  // namespace millrace::sim
