// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../support/example_trace.hpp"

namespace millrace::test {

/// A trace in which no table is empty and each field of some row differs from its default.
inline Trace rich_trace() {
  TraceSketch b;
  Trace& t = b.trace;
  t.devices.push_back({b.string("sim:1")});
  t.threads.push_back({b.string("worker \"2\"\n\x01 \xff gr\xc3\xbcn")});
  t.signals.push_back({b.string("go")});
  t.mutexes.push_back({b.string("lock")});
  t.flags.push_back({b.string("f")});
  t.graphs.push_back({0});
  const TraceIndex s = b.stream("s");
  t.streams.push_back({.name = 0,
                       .device = 1,
                       .thread = 1,
                       .priority = -5,
                       .kind = StreamKind::per_thread,
                       .blocking = true,
                       .created_by = 0});
  const TraceIndex e = b.event("e");
  t.events.push_back({.name = 0, .device = none, .timing = true, .created_by = 1});
  const TraceIndex m = b.memory("M", std::uint64_t{1} << 40, MemoryKind::managed);
  t.memories.back().created_by = 0;

  b.now_ns = -5;  // a real clock's skew
  const auto copy = b.operation(CallKind::copy, OperationKind::copy, s, "copy1", 7, 1'000'000'007);
  t.operations[copy].bytes = std::uint64_t{1} << 63;
  t.accesses.push_back({.begin = 3,
                        .end = ~std::uint64_t{0},
                        .pitch = 256,
                        .width = 100,
                        .memory = m,
                        .mode = AccessMode::free,
                        .order = AccessOrder::until_return});
  t.operations[copy].access_count = 1;
  const auto record = b.operation(CallKind::record, OperationKind::record, s, "", 9, 9);
  t.operations[record].object = e;
  t.operations[record].state = OperationState::failed;
  t.operations[record].constraint = ConstraintKind::unknown;
  t.operations[record].because = {};
  const auto stuck = b.operation(CallKind::await_flag, OperationKind::await_flag, 1, "", -1, -1);
  t.operations[stuck].object = 0;
  t.operations[stuck].state = OperationState::pending;
  t.operations[stuck].sequence = none;
  --t.steps;
  const auto failed = b.call(CallKind::wait, ObjectKind::event, 1);
  t.calls[failed].thread = 1;
  t.calls[failed].outcome = CallOutcome::error;
  t.calls[failed].error = static_cast<std::uint16_t>(Errc::InvalidResourceHandle);
  t.calls[failed].used_destroyed = true;
  t.calls[failed].unrecorded = true;
  t.calls[failed].access_count = 1;
  const auto blocked = b.call(CallKind::await, ObjectKind::signal, 0);
  t.calls[blocked].sequence = none;
  t.calls[blocked].outcome = CallOutcome::blocked;
  --t.steps;

  b.depend(Step::operation(copy), Step::call(failed), DependencyKind::memory_reuse);
  t.dependencies.back().state = DependencyState::inferred;
  b.depend({}, Step::operation(stuck), DependencyKind::flag);
  t.dependencies.back().state = DependencyState::unresolved;
  t.blocked.push_back({Step::call(blocked), ObjectKind::signal, 0, {}});
  t.blocked.push_back({Step::operation(stuck), ObjectKind::flag, 0, Step::operation(copy)});
  t.resources.push_back({b.string("multiprocessors"), 1, 8448, ResourceKind::multiprocessors});
  t.uses.push_back({.begin_ns = -3, .end_ns = 9, .resource = 0, .operation = copy, .amount = 64});
  t.uses.push_back({.begin_ns = 9, .resource = 0, .operation = record});
  t.end_ns = 1'000'000'007;
  t.has_dependencies = false;
  return t;
}

}  // namespace millrace::test
