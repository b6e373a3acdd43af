// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Traces made by hand, for tests of what reads traces.

#include <millrace/trace.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::test {

/// Puts a trace together step by step; calls and operations take sequence numbers as they are
/// added.
class TraceSketch {
 public:
  TraceSketch() {
    trace.producer = "by hand";
    trace.devices.push_back({string("sim:0")});
    trace.threads.push_back({string("main")});
  }

  TraceIndex string(std::string_view text) {
    const auto found = std::find(trace.strings.begin(), trace.strings.end(), text);
    const auto index = static_cast<TraceIndex>(found - trace.strings.begin());
    if (found == trace.strings.end()) trace.strings.emplace_back(text);
    return index;
  }

  TraceIndex stream(std::string_view name) {
    trace.streams.push_back({.name = string(name)});
    return static_cast<TraceIndex>(trace.streams.size() - 1);
  }
  TraceIndex event(std::string_view name) {
    trace.events.push_back({.name = string(name), .device = 0});
    return static_cast<TraceIndex>(trace.events.size() - 1);
  }
  TraceIndex memory(std::string_view name, std::uint64_t bytes, MemoryKind kind) {
    trace.memories.push_back({.name = string(name), .device = 0, .bytes = bytes, .kind = kind});
    return static_cast<TraceIndex>(trace.memories.size() - 1);
  }

  /// A call of thread 0 that returns at once, and stands in the next line of the program.
  TraceIndex call(CallKind kind, ObjectKind object_kind, TraceIndex object) {
    HostCall call;
    call.begin_ns = call.end_ns = now_ns;
    call.thread = 0;
    call.file = string("example.cpp");
    call.line = ++line_;
    call.object = object;
    call.object_kind = object_kind;
    call.kind = kind;
    call.sequence = trace.steps++;
    trace.calls.push_back(call);
    return static_cast<TraceIndex>(trace.calls.size() - 1);
  }

  /// A call of that kind and its operation, which runs from `start_ns` to `end_ns`.
  TraceIndex operation(CallKind call_kind, OperationKind kind, TraceIndex stream,
                       std::string_view name, std::int64_t start_ns, std::int64_t end_ns) {
    const auto index = static_cast<TraceIndex>(trace.operations.size());
    const TraceIndex by = call(call_kind, ObjectKind::stream, stream);
    trace.calls[by].operation = index;
    Operation operation;
    operation.enqueue_ns = now_ns;
    operation.start_ns = start_ns;
    operation.end_ns = end_ns;
    operation.name = string(name);
    operation.stream = stream;
    operation.call = by;
    operation.because = Step::call(by);
    operation.kind = kind;
    operation.state = OperationState::completed;
    operation.sequence = trace.steps++;
    trace.operations.push_back(operation);
    trace.end_ns = std::max(trace.end_ns, end_ns);
    return index;
  }

  void touch(TraceIndex operation, TraceIndex memory, AccessMode mode) {
    Operation& owner = trace.operations[operation];
    if (owner.access_count++ == 0) {
      owner.first_access = static_cast<TraceIndex>(trace.accesses.size());
    }
    trace.accesses.push_back(
        {.begin = 0, .end = trace.memories[memory].bytes, .memory = memory, .mode = mode});
  }

  void depend(Step from, Step to, DependencyKind kind) {
    trace.dependencies.push_back({.from = from, .to = to, .kind = kind});
  }

  /// The host waits for a stream until its last operation `last` has ended.
  TraceIndex synchronize(TraceIndex stream, TraceIndex last) {
    const TraceIndex index = call(CallKind::synchronize_stream, ObjectKind::stream, stream);
    trace.calls[index].end_ns = std::max(now_ns, trace.operations[last].end_ns);
    now_ns = trace.calls[index].end_ns;
    depend(Step::operation(last), Step::call(index), DependencyKind::synchronize);
    return index;
  }

  Trace trace;
  std::int64_t now_ns = 0;  ///< of the host

 private:
  std::uint32_t line_ = 0;
};

/// A copy and a kernel on s1, an event, a kernel on s2 behind it, and the host waiting for that: as
/// the profile `ideal` would run it.
inline Trace example_trace() {
  TraceSketch b;
  const TraceIndex s1 = b.stream("s1");
  const TraceIndex s2 = b.stream("s2");
  const TraceIndex ready = b.event("ready");
  const TraceIndex host = b.memory("h", 4096, MemoryKind::pinned);
  const TraceIndex device = b.memory("A", 4096, MemoryKind::device);
  const auto copy = b.operation(CallKind::copy, OperationKind::copy, s1, "copy1", 0, 10'000);
  b.trace.operations[copy].bytes = 4096;
  b.touch(copy, host, AccessMode::read);
  b.touch(copy, device, AccessMode::write);
  const auto fill =
      b.operation(CallKind::launch, OperationKind::kernel, s1, "fill", 10'000, 30'000);
  b.touch(fill, device, AccessMode::update);
  const auto record = b.operation(CallKind::record, OperationKind::record, s1, "", 30'000, 30'000);
  const auto wait = b.operation(CallKind::wait, OperationKind::wait, s2, "", 30'000, 30'000);
  const auto use = b.operation(CallKind::launch, OperationKind::kernel, s2, "use", 30'000, 38'000);
  b.touch(use, device, AccessMode::read);
  b.depend(Step::operation(record), Step::operation(wait), DependencyKind::record_wait);

  std::vector<Operation>& operations = b.trace.operations;
  const auto bind = [&](TraceIndex to, ConstraintKind why, TraceIndex because) {
    operations[to].constraint = why;
    operations[to].because = Step::operation(because);
  };
  bind(fill, ConstraintKind::stream_order, copy);
  bind(record, ConstraintKind::stream_order, fill);
  bind(wait, ConstraintKind::record_wait, record);
  bind(use, ConstraintKind::stream_order, wait);
  operations[record].object = operations[wait].object = ready;
  b.synchronize(s2, use);
  return b.trace;
}

}  // namespace millrace::test
