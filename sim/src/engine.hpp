// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The event-driven engine: decides when each operation starts and ends, and why not earlier.
/// Knows streams as queues and operations as nodes; names, handles and rules of the API are the
/// backend's. What most operations meet stands in engine.cpp; engine_flags.cpp,
/// engine_host_functions.cpp, engine_faults.cpp, engine_blocked.cpp and engine_demand.cpp have what
/// few do.

#include "device_model/device_model.hpp"
#include "event_queue.hpp"
#include "hosts.hpp"
#include "new_operation.hpp"
#include "recorder.hpp"

#include <millrace/task.hpp>
#include <millrace/trace.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace millrace::sim {

/// Told of what the backend must know at once.
class EngineListener {
 public:
  virtual ~EngineListener() = default;
  virtual void recorded(std::uint32_t event, std::uint64_t serial, Time at) = 0;
  virtual void faulted(int device, Errc code, TraceIndex traced) = 0;
  virtual void lost(int device, Errc code, Time at) = 0;
};

class Engine final : public Clockwork, private Stage {
 public:
  /// Without a device model nothing competes and nothing takes time to start.
  Engine(int devices, Recorder& recorder, Hosts& hosts, EngineListener& listener);
  /// With one, if the profile asks for it.
  Engine(const Profile& profile, int devices, Recorder& recorder, Hosts& hosts,
         EngineListener& listener);

  std::uint32_t add_stream(const DeviceModel::NewStream& stream);
  std::uint32_t add_stream(int device) { return add_stream({.device = device}); }
  std::uint32_t add_flag();
  /// Enqueues behind the stream's last operation, unless it is none of the stream's own; `now` is
  /// not earlier than any event handled.
  OperationRef enqueue(NewOperation&& operation, std::span<const Prerequisite> prerequisites,
                       Time now);
  /// Whether the launch ring takes such an operation now. If not, Hosts::changed is called when
  /// that may have changed.
  [[nodiscard]] bool has_place(std::uint32_t stream, OperationKind kind, const Demand& demand) {
    return model_ == nullptr || model_->has_place(stream, kind, demand);
  }
  /// The next operation is enqueued by a call that had to wait for a place.
  void note_wait_for_place() { waited_for_place_ = true; }
  /// The kind of an operation that is not finished.
  [[nodiscard]] OperationKind kind_of(const OperationRef& operation) const {
    return nodes_[operation.slot].kind;
  }
  /// The serial that the next enqueued operation gets.
  [[nodiscard]] std::uint64_t next_serial() const { return serial_ + 1; }
  [[nodiscard]] bool finished(const OperationRef& operation) const {
    return operation.serial == 0 || nodes_[operation.slot].serial != operation.serial;
  }
  /// A record that another machine makes: it runs until end_foreign says when it ended there, and
  /// takes part in nothing here but in what waits for it.
  OperationRef begin_foreign(std::uint32_t stream, TraceIndex traced, TraceIndex call, Time now);
  /// It ends then, or now when that has passed.
  void end_foreign(const OperationRef& operation, Time at);
  /// Hosts::changed is called when it ends.
  void watch(const OperationRef& operation);
  /// Throws away all that is unfinished on the device: what runs is cancelled, the rest is left as
  /// `unstarted` says.
  void discard_all(int device, Time now, OperationState unstarted);
  /// The device fails at that time with `code`, if the run lasts so long.
  void lose(int device, Time at, Errc code);
  /// Lets the devices fail that had to up to `now`.
  void catch_up(Time now);

  /// A device that has nothing to do fails unnoticed: see catch_up.
  [[nodiscard]] Time next_event() const override {
    const Time next = events_.next();
    return losses_.empty() || drained() ? next : std::min(next, Time{losses_.back().at});
  }
  void advance_to(Time limit) override;

  // In an explored run an operation ends only when somebody needs it to: until then it takes longer
  // than its duration says.
  /// Whether nothing that it comes after is a host function or an unsatisfied wait for a flag.
  [[nodiscard]] bool can_finish(const OperationRef& operation);
  /// Lets it and all that it comes after end as soon as possible, but starts no host function.
  void demand(const OperationRef& operation);
  void startable_functions(std::vector<Actor>& functions) override;
  void start_function(Actor function) override;
  bool demand_rest() override;

  [[nodiscard]] bool drained() const { return unfinished_ == 0; }
  [[nodiscard]] Time end_of_work() const { return Time{end_of_work_}; }
  /// The heads of streams that can never start, and what keeps each.
  void report_blocked(std::vector<Blocked>& blocked);

 private:
  static constexpr std::uint32_t nothing = 0xffff'ffff;

  enum class State : std::uint8_t { unused, waiting, queued, running };

  /// One cache line: most of the engine's time is spent fetching these.
  struct alignas(64) Node {
    std::uint64_t serial = 0;  // 0 when unused
    std::int64_t duration = 0;
    std::uint32_t stream = 0;
    std::uint32_t next = nothing;  // behind it in its stream
    std::uint32_t first_edge = nothing;
    std::uint32_t missing = 0;  // unfinished predecessors
    TraceIndex traced = none;
    TraceIndex call = none;
    TraceIndex because = none;  // traced operation of the predecessor that ended last
    std::uint32_t object = 0;
    std::uint32_t extra = nothing;  // its Extra, where it needs one
    OperationKind kind{};
    ConstraintKind constraint{};
    State state = State::unused;
    bool watched = false;
    bool foreign = false;
  };
  /// What few operations have.
  struct Extra {
    Task body{};
    std::function<void(Errc)> callback{};
    std::uint32_t value = 0;
    FlagCondition condition{};
    Errc fault = Errc::Success;
  };
  struct Edge {
    std::uint32_t to = nothing;
    std::uint32_t next = nothing;
    ConstraintKind kind{};
  };
  struct Queue {
    std::uint32_t tail = nothing;
    int device = 0;
  };
  struct Device {
    std::deque<std::uint32_t> functions;  // host functions waiting for the server
    std::uint32_t serving = nothing;
    TraceIndex last_served = none;
  };
  struct Flag {
    std::uint32_t value = 0;
    TraceIndex last_set = none;         // traced operation
    std::vector<std::uint32_t> parked;  // await_flag nodes, first in, first out
  };
  /// What an explored run must know of an operation beside.
  struct Demanded {
    std::vector<OperationRef> behind;  // what it comes directly after
    std::int64_t held_until = -1;      // it would end then, if it were demanded
    std::uint64_t visit = 0;           // the latest search that met it
    bool demanded = false;
    bool is_over = false;    // but for that
    bool may_start = false;  // a host function
  };
  struct Loss {
    std::int64_t at = 0;
    int device = 0;
    Errc code{};
  };

  std::uint32_t take_slot();
  [[nodiscard]] static bool needs_extra(const NewOperation& operation) {
    return operation.body || operation.callback || operation.fault != Errc::Success ||
           operation.kind == OperationKind::set_flag || operation.kind == OperationKind::await_flag;
  }
  std::uint32_t take_extra(NewOperation& operation);
  void add_edge(std::uint32_t from, std::uint32_t to, ConstraintKind kind);
  /// Starts what is ready, and what becomes ready by that, in order of becoming so.
  void settle() {
    if (!ready_.empty() && !settling_) start_ready();
  }
  void start_ready();
  /// Settles, and lets the device model start what it can, until nothing more becomes ready.
  void settle_all() {
    settle();
    if (model_ != nullptr && !settling_) dispatch();
  }
  void dispatch();
  void start(std::uint32_t slot);
  void mark_started(Node& node);
  /// What is behind it in its stream is needed when it ends: in long queues that is not in the
  /// processor's caches any more.
  void prefetch(std::uint32_t slot) const {
    __builtin_prefetch(&nodes_[slot], 1);
    if (model_ != nullptr) model_->prefetch(slot);
  }

  // Stage
  void mark_started(std::uint32_t slot, ConstraintKind kind, TraceIndex because) override;
  void commence(std::uint32_t slot) override;
  void schedule(std::uint32_t slot, Time at) override {
    if (is_explored_ && model_ == nullptr && hold(slot, at)) return;
    events_.add(at, slot, nodes_[slot].serial);
  }
  void release(std::uint32_t slot, ConstraintKind kind, TraceIndex because) override;
  void place_freed() override { hosts_.changed(Time{now_}); }

  std::uint32_t hand_over(std::uint32_t slot, const NewOperation& operation);
  void release_from(std::uint32_t before, std::uint32_t slot, ConstraintKind kind);
  void finish(std::uint32_t slot);
  void finish_foreign(std::uint32_t slot);
  void run_body(Task body);
  void fail_operation(std::uint32_t slot, Errc fault);
  void fail_device(int device, Errc fault);
  [[nodiscard]] std::vector<NewOperation> callbacks_on(int device, Errc fault) const;
  void retire(std::uint32_t slot, OperationState state);
  void release_successors(std::uint32_t slot);
  void queue_host_function(std::uint32_t slot);
  void serve(int device);
  void start_host_function(int device, std::uint32_t slot);
  void host_function_done(std::uint32_t slot, std::uint64_t serial, Time at);
  void note_predecessors(std::uint32_t slot, bool fifo, std::span<const Prerequisite> after);
  bool hold(std::uint32_t slot, Time at);
  bool hold_end(std::uint32_t slot);
  bool ends_now(std::uint32_t slot);
  void end_at_once(std::uint32_t slot);
  [[nodiscard]] bool has_body(const Node& node) const;
  template <typename Visit>
  bool visit_past(const OperationRef& last, Visit visit);
  void demand_one(std::uint32_t slot);
  void set_flag(std::uint32_t slot);
  void await_flag(std::uint32_t slot);
  [[nodiscard]] bool satisfied(const Node& node) const;
  [[nodiscard]] int device_of(std::uint32_t slot) const {
    return queues_[nodes_[slot].stream].device;
  }
  [[nodiscard]] Blocked blocked_at(std::uint32_t slot) const;
  void blame_queue(std::uint32_t slot, Blocked& blocked);

  Recorder& recorder_;
  Hosts& hosts_;
  EngineListener& listener_;
  std::vector<Node> nodes_;
  std::vector<Extra> extras_;
  std::vector<std::uint32_t> free_extras_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Edge> edges_;
  std::uint32_t free_edge_ = nothing;
  std::vector<Queue> queues_;
  std::vector<Device> devices_;
  std::vector<Flag> flags_;
  EventQueue events_;
  std::vector<Loss> losses_;          // the latest first
  std::vector<std::uint32_t> ready_;  // a queue: [ready_head_, end)
  std::size_t ready_head_ = 0;
  std::uint64_t serial_ = 0;
  std::uint64_t unfinished_ = 0;
  std::int64_t now_ = 0;
  std::int64_t end_of_work_ = 0;
  bool settling_ = false;
  bool waited_for_place_ = false;
  const bool is_explored_;
  std::vector<Demanded> demanded_;       // by slot; in explored runs
  std::vector<OperationRef> functions_;  // host functions with a body, in order of enqueueing
  std::vector<OperationRef> to_visit_;
  std::uint64_t visits_ = 0;
  std::unique_ptr<DeviceModel> model_;  // null: nothing competes
};

}  // namespace millrace::sim
