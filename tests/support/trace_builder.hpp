// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Makes traces by hand: a program's calls, one after the other, as a backend would note them down.
/// It binds waits, keeps the rules of the default streams and lists what the checker is to know,
/// but simulates nothing: a call that has to wait simply returns late.
///
///   TraceBuilder b;
///   const auto s1 = b.stream("s1");
///   const auto a = b.buffer("A");
///   b.kernel(s1, "fill").writes(a);
///   const Trace trace = b.build();

#include <millrace/trace.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::test {

class TraceBuilder {
 public:
  /// An operation, for what comes after its name. Converts to its index.
  class Op {
   public:
    Op(TraceBuilder& builder, TraceIndex index) : builder_(&builder), index_(index) {}
    operator TraceIndex() const { return index_; }  // NOLINT(google-explicit-constructor)
    [[nodiscard]] Step step() const { return Step::operation(index_); }

    Op& access(const TraceAccess& access) {
      builder_->access_of_operation(index_, access);
      return *this;
    }
    Op& reads(TraceIndex memory) { return access(builder_->all(memory, AccessMode::read)); }
    Op& writes(TraceIndex memory) { return access(builder_->all(memory, AccessMode::write)); }
    Op& updates(TraceIndex memory) { return access(builder_->all(memory, AccessMode::update)); }
    Op& reads(TraceIndex memory, std::uint64_t begin, std::uint64_t end) {
      return access({begin, end, 0, 0, memory, AccessMode::read, AccessOrder::in_order});
    }
    Op& writes(TraceIndex memory, std::uint64_t begin, std::uint64_t end) {
      return access({begin, end, 0, 0, memory, AccessMode::write, AccessOrder::in_order});
    }
    /// How long it runs; 10 us otherwise.
    Op& lasting(std::int64_t ns) {
      builder_->duration_[index_] = ns;
      return *this;
    }
    /// It never starts, and neither does what comes after it.
    Op& never() {
      builder_->never_[index_] = true;
      return *this;
    }

   private:
    TraceBuilder* builder_;
    TraceIndex index_;
  };

  TraceBuilder() {
    trace_.producer = "a test";
    trace_.devices.push_back({string("sim:0")});
    file_ = string("test.mill");
    add_thread("main");
  }

  // The cast.

  TraceIndex stream(std::string_view name, bool blocking = false) {
    return add(trace_.streams, {string(name), 0, none, 0, StreamKind::created, blocking, none});
  }
  TraceIndex legacy() {
    if (legacy_ == none) {
      legacy_ =
          add(trace_.streams, {string("legacy"), 0, none, 0, StreamKind::legacy, false, none});
    }
    return legacy_;
  }
  TraceIndex event(std::string_view name) { return add(trace_.events, {string(name)}); }
  TraceIndex buffer(std::string_view name, std::uint64_t bytes = 1024,
                    MemoryKind kind = MemoryKind::device) {
    return add(trace_.memories, {string(name), 0, bytes, kind, none});
  }
  TraceIndex signal(std::string_view name) { return add(trace_.signals, {string(name)}); }
  TraceIndex mutex(std::string_view name) { return add(trace_.mutexes, {string(name)}); }
  TraceIndex flag(std::string_view name) { return add(trace_.flags, {string(name)}); }

  // Who calls, and from where. Lines count up by themselves.

  TraceIndex start_thread(std::string_view name) {
    const TraceIndex by = call(CallKind::start_thread);
    const TraceIndex thread = add_thread(name);
    threads_[thread].started_by = by;
    trace_.calls[by].object_kind = ObjectKind::thread;
    trace_.calls[by].object = thread;
    return thread;
  }
  /// The calls that follow are made by that thread.
  TraceBuilder& on(TraceIndex thread) {
    thread_ = thread;
    inside_ = none;
    return *this;
  }
  /// The calls that follow are made by that host function, on a thread that serves them all.
  TraceBuilder& inside(TraceIndex host_function) {
    if (server_ == none) server_ = add_thread("host functions");
    thread_ = server_;
    inside_ = host_function;
    return *this;
  }
  /// The next call stands at this line, and those after it at the next ones.
  TraceBuilder& at(std::uint32_t line) {
    line_ = line - 1;
    return *this;
  }
  [[nodiscard]] TraceIndex thread() const { return thread_; }

  // Work for streams.

  Op kernel(TraceIndex stream, std::string_view name) {
    return enqueue(CallKind::launch, OperationKind::kernel, stream, name);
  }
  Op host_function(TraceIndex stream, std::string_view name) {
    return enqueue(CallKind::host_function, OperationKind::host_function, stream, name);
  }
  Op copy(TraceIndex stream, TraceIndex from, TraceIndex to, bool synchronous = false) {
    const MemoryKind source = trace_.memories[from].kind;
    const MemoryKind target = trace_.memories[to].kind;
    const auto on_host = [](MemoryKind k) {
      return k == MemoryKind::pageable || k == MemoryKind::pinned;
    };
    TraceAccess read = all(from, AccessMode::read);
    const bool staged = source == MemoryKind::pageable && !on_host(target);
    if (staged) read.order = synchronous ? AccessOrder::until_return : AccessOrder::from_call;
    const bool returns = on_host(source) && on_host(target);
    const bool late = synchronous && !(target == MemoryKind::device && source == target);
    Op op = enqueue(CallKind::copy, OperationKind::copy, stream, "copy");
    op.access(read).writes(to);
    if (returns || (late && !staged)) {
      depend(op.step(), newest_call(), DependencyKind::call_return);
    } else if (late) {
      unlisted_.push_back({op.step(), newest_call()});  // it waits, but nobody may rely on it
    }
    return op;
  }
  Op record(TraceIndex stream, TraceIndex event) {
    Op op = enqueue(CallKind::record, OperationKind::record, stream, "");
    trace_.operations[op].object = event;
    records_[event] = op;
    return op;
  }
  /// `none` when the event has no record: such a wait enqueues nothing.
  TraceIndex wait(TraceIndex stream, TraceIndex event) {
    const auto found = records_.find(event);
    if (found == records_.end()) {
      HostCall& made = trace_.calls[call(CallKind::wait, ObjectKind::event, event)];
      made.unrecorded = true;
      return none;
    }
    const TraceIndex record = found->second;
    Op op = enqueue(CallKind::wait, OperationKind::wait, stream, "");
    trace_.operations[op].object = event;
    depend(Step::operation(record), op.step(), DependencyKind::record_wait);
    return op;
  }
  TraceIndex alloc(TraceIndex stream, std::string_view name, std::uint64_t bytes = 1024) {
    const TraceIndex memory = buffer(name, bytes);
    enqueue(CallKind::allocate, OperationKind::allocate, stream, "")
        .access(all(memory, AccessMode::allocate));
    return memory;
  }
  Op free(TraceIndex stream, TraceIndex memory) {
    Op op = enqueue(CallKind::free, OperationKind::free, stream, "");
    trace_.operations[op].object = memory;
    return op.access(all(memory, AccessMode::free));
  }
  Op set(TraceIndex stream, TraceIndex flag, std::uint32_t value) {
    Op op = enqueue(CallKind::set_flag, OperationKind::set_flag, stream, "");
    trace_.operations[op].object = flag;
    trace_.operations[op].bytes = value;
    return op;
  }
  /// `condition`: 0 for >=, 1 for ==, 2 for &. `by`: the set that this run matched, if any.
  Op await(TraceIndex stream, TraceIndex flag, std::uint64_t condition, std::uint32_t value,
           TraceIndex by = none) {
    Op op = enqueue(CallKind::await_flag, OperationKind::await_flag, stream, "");
    trace_.operations[op].object = flag;
    trace_.operations[op].bytes = condition << 32U | value;
    if (by != none) depend(Step::operation(by), op.step(), DependencyKind::flag);
    return op;
  }
  /// A launch of a graph; `node` adds its nodes, in any order that the edges allow.
  TraceIndex launch_graph() { return call(CallKind::launch_graph); }
  Op node(TraceIndex launch, TraceIndex stream, std::string_view name,
          const std::vector<TraceIndex>& after = {}) {
    Op op = enqueue_by(launch, OperationKind::kernel, stream, name);
    for (const TraceIndex from : after) {
      depend(Step::operation(from), op.step(), DependencyKind::graph_edge);
    }
    return op;
  }

  // What the host does itself.

  Step sync_stream(TraceIndex stream) {
    const TraceIndex made = call(CallKind::synchronize_stream, ObjectKind::stream, stream);
    after_stream(stream, made, DependencyKind::synchronize);
    return Step::call(made);
  }
  Step sync_event(TraceIndex event) {
    const TraceIndex made = call(CallKind::synchronize_event, ObjectKind::event, event);
    after_event(event, made, DependencyKind::synchronize);
    return Step::call(made);
  }
  Step sync_device() {
    const TraceIndex made = call(CallKind::synchronize_device, ObjectKind::device, 0);
    for (TraceIndex i = 0; i < trace_.streams.size(); ++i) {
      after_tail(i, made, DependencyKind::synchronize);
    }
    return Step::call(made);
  }
  Step query_event(TraceIndex event, bool ready) {
    const TraceIndex made = call(CallKind::query_event, ObjectKind::event, event);
    if (ready) after_event(event, made, DependencyKind::query_ready);
    if (!ready) trace_.calls[made].outcome = CallOutcome::not_ready;
    return Step::call(made);
  }
  Step query_stream(TraceIndex stream, bool ready) {
    const TraceIndex made = call(CallKind::query_stream, ObjectKind::stream, stream);
    if (ready) after_stream(stream, made, DependencyKind::query_ready);
    if (!ready) trace_.calls[made].outcome = CallOutcome::not_ready;
    return Step::call(made);
  }
  Step read(TraceIndex memory) {
    return host_access(CallKind::read, all(memory, AccessMode::read));
  }
  Step write(TraceIndex memory) {
    return host_access(CallKind::write, all(memory, AccessMode::write));
  }
  Step host_access(CallKind kind, const TraceAccess& access) {
    const TraceIndex made = call(kind, ObjectKind::memory, access.memory);
    access_of_call(made, access);
    return Step::call(made);
  }
  TraceIndex malloc(std::string_view name, std::uint64_t bytes = 1024,
                    MemoryKind kind = MemoryKind::device) {
    const TraceIndex memory = buffer(name, bytes, kind);
    host_access(CallKind::malloc, all(memory, AccessMode::allocate));
    return memory;
  }
  Step host_free(TraceIndex memory) {
    return host_access(CallKind::host_free, all(memory, AccessMode::free));
  }
  Step raise(TraceIndex signal) {
    const Step made = Step::call(call(CallKind::raise, ObjectKind::signal, signal));
    auto& waiting = awaiting_[signal];
    if (waiting.empty()) {
      raised_[signal].push(made);
    } else {
      depend(made, waiting.front(), DependencyKind::signal);
      waiting.pop();
    }
    return made;
  }
  /// Takes the oldest raise that is left, or the next one that comes.
  Step await(TraceIndex signal) {
    const Step made = Step::call(call(CallKind::await, ObjectKind::signal, signal));
    auto& raised = raised_[signal];
    if (raised.empty()) {
      awaiting_[signal].push(made);
    } else {
      depend(raised.front(), made, DependencyKind::signal);
      raised.pop();
    }
    return made;
  }
  Step join(TraceIndex thread) {
    const Step made = Step::call(call(CallKind::join_thread, ObjectKind::thread, thread));
    if (threads_[thread].last != none) {
      depend(Step::call(threads_[thread].last), made, DependencyKind::thread_join);
    }
    return made;
  }
  Step lock(TraceIndex mutex) {
    const Step made = Step::call(call(CallKind::lock, ObjectKind::mutex, mutex));
    if (unlocked_.contains(mutex)) depend(unlocked_[mutex], made, DependencyKind::lock);
    return made;
  }
  Step unlock(TraceIndex mutex) {
    return unlocked_[mutex] = Step::call(call(CallKind::unlock, ObjectKind::mutex, mutex));
  }
  Step destroy_stream(TraceIndex stream) {
    return Step::call(call(CallKind::destroy_stream, ObjectKind::stream, stream));
  }
  Step destroy_event(TraceIndex event) {
    return Step::call(call(CallKind::destroy_event, ObjectKind::event, event));
  }
  /// A call that fails because its object was destroyed.
  Step use_destroyed(CallKind kind, ObjectKind object_kind, TraceIndex object) {
    const TraceIndex made = call(kind, object_kind, object);
    trace_.calls[made].used_destroyed = true;
    trace_.calls[made].outcome = CallOutcome::error;
    return Step::call(made);
  }
  /// The newest call, or this one, never returns.
  void never_returns(Step made, ObjectKind waits_for, TraceIndex object, Step behind = {}) {
    if (made.is_call) {
      stuck_.push_back(made.index);
      trace_.calls[made.index].outcome = CallOutcome::blocked;
    } else {
      never_[made.index] = true;
    }
    trace_.blocked.push_back({made, waits_for, object, behind});
  }

  // For what the functions above do not offer.

  TraceIndex call(CallKind kind, ObjectKind object_kind = ObjectKind::nothing,
                  TraceIndex object = none);
  void depend(Step from, Step to, DependencyKind kind) {
    trace_.dependencies.push_back({from, to, kind, DependencyState::exact});
  }
  [[nodiscard]] Step newest_call() const {
    return Step::call(static_cast<TraceIndex>(trace_.calls.size() - 1));
  }
  [[nodiscard]] TraceAccess all(TraceIndex memory, AccessMode mode) const {
    return {0, trace_.memories[memory].bytes, 0, 0, memory, mode, AccessOrder::in_order};
  }
  Trace& trace() { return trace_; }

  /// The trace, its steps in the order of the times that they would have if nothing competed.
  Trace build() const { return build_in_order(nullptr); }
  /// The same program, its steps in some order that their dependencies allow.
  Trace build_shuffled(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    return build_in_order(&random);
  }

 private:
  friend class TraceFinisher;
  struct Thread {
    TraceIndex last = none;
    TraceIndex started_by = none;
  };

  template <typename Table>
  static TraceIndex add(Table& table, typename Table::value_type entry) {
    table.push_back(entry);
    return static_cast<TraceIndex>(table.size() - 1);
  }
  TraceIndex string(std::string_view text) {
    const auto found = std::find(trace_.strings.begin(), trace_.strings.end(), text);
    if (found != trace_.strings.end()) {
      return static_cast<TraceIndex>(found - trace_.strings.begin());
    }
    return add(trace_.strings, std::string(text));
  }
  TraceIndex add_thread(std::string_view name) {
    threads_.push_back({});
    return add(trace_.threads, {string(name)});
  }
  Op enqueue(CallKind kind, OperationKind operation, TraceIndex stream, std::string_view name) {
    return enqueue_by(call(kind, ObjectKind::stream, stream), operation, stream, name);
  }
  Op enqueue_by(TraceIndex call, OperationKind kind, TraceIndex stream, std::string_view name);
  void access_of_operation(TraceIndex operation, const TraceAccess& access);
  void access_of_call(TraceIndex call, const TraceAccess& access);
  void after_tail(TraceIndex stream, TraceIndex call, DependencyKind kind) {
    if (tails_.contains(stream)) depend(Step::operation(tails_[stream]), Step::call(call), kind);
  }
  /// The legacy stream sees blocking streams too.
  void after_stream(TraceIndex stream, TraceIndex call, DependencyKind kind) {
    after_tail(stream, call, kind);
    for (TraceIndex i = 0; stream == legacy_ && i < trace_.streams.size(); ++i) {
      if (trace_.streams[i].blocking) after_tail(i, call, kind);
    }
  }
  void after_event(TraceIndex event, TraceIndex call, DependencyKind kind) {
    if (records_.contains(event)) depend(Step::operation(records_[event]), Step::call(call), kind);
  }
  Trace build_in_order(std::mt19937_64* random) const;

  Trace trace_;
  TraceIndex file_ = 0;
  std::uint32_t line_ = 0;
  TraceIndex thread_ = 0;
  TraceIndex inside_ = none;
  TraceIndex server_ = none;
  TraceIndex legacy_ = none;
  std::vector<Thread> threads_;
  std::vector<TraceIndex> inside_of_;            // by call
  std::vector<std::pair<Step, Step>> unlisted_;  // orders of this run that are no dependencies
  std::vector<TraceIndex> stuck_;
  std::map<TraceIndex, TraceIndex> tails_;    // by stream
  std::map<TraceIndex, TraceIndex> records_;  // by event
  std::map<TraceIndex, std::int64_t> duration_;
  std::map<TraceIndex, bool> never_;
  std::map<TraceIndex, std::queue<Step>> raised_;
  std::map<TraceIndex, std::queue<Step>> awaiting_;
  std::map<TraceIndex, Step> unlocked_;
};

inline TraceIndex TraceBuilder::call(CallKind kind, ObjectKind object_kind, TraceIndex object) {
  HostCall made;
  made.thread = thread_;
  made.file = file_;
  made.line = ++line_;
  made.kind = kind;
  made.object_kind = object_kind;
  made.object = object;
  const TraceIndex index = add(trace_.calls, made);
  Thread& thread = threads_[thread_];
  if (thread.last == none && thread.started_by != none) {
    depend(Step::call(thread.started_by), Step::call(index), DependencyKind::thread_start);
  }
  thread.last = index;
  inside_of_.push_back(inside_);
  if (inside_ != none) {
    depend(Step::operation(inside_), Step::call(index), DependencyKind::host_function);
    depend(Step::call(index), Step::operation(inside_), DependencyKind::host_function);
  }
  return index;
}

inline TraceBuilder::Op TraceBuilder::enqueue_by(TraceIndex call, OperationKind kind,
                                                 TraceIndex stream, std::string_view name) {
  Operation operation;
  operation.name = string(name);
  operation.stream = stream;
  operation.call = call;
  operation.kind = kind;
  const TraceIndex index = add(trace_.operations, operation);
  if (trace_.calls[call].operation == none) trace_.calls[call].operation = index;
  for (TraceIndex i = 0; i < trace_.streams.size(); ++i) {
    const bool barrier = stream == legacy_ ? trace_.streams[i].blocking
                                           : i == legacy_ && trace_.streams[stream].blocking;
    if (barrier && tails_.contains(i)) {
      depend(Step::operation(tails_[i]), Step::operation(index), DependencyKind::legacy_barrier);
    }
  }
  tails_[stream] = index;
  return Op(*this, index);
}

inline void TraceBuilder::access_of_operation(TraceIndex index, const TraceAccess& access) {
  Operation& operation = trace_.operations[index];
  if (operation.access_count == 0) {
    operation.first_access = static_cast<TraceIndex>(trace_.accesses.size());
  }
  trace_.accesses.push_back(access);
  ++operation.access_count;
}

inline void TraceBuilder::access_of_call(TraceIndex index, const TraceAccess& access) {
  HostCall& made = trace_.calls[index];
  if (made.access_count == 0) made.first_access = static_cast<TraceIndex>(trace_.accesses.size());
  trace_.accesses.push_back(access);
  ++made.access_count;
}

}  // namespace millrace::test

#include "trace_finisher.hpp"  // IWYU pragma: export: gives the steps their order and times
