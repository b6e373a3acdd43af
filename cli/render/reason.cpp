// SPDX-License-Identifier: Apache-2.0
#include "render/reason.hpp"

#include <utility>

namespace millrace::cli {
namespace {

constexpr int deepest = 3;  // waits behind waits that one sentence can carry

/// Whether others wait for the operation itself; else it only passes on what it waited for.
bool takes_part(const Operation& o) {
  const bool is_event = o.kind == OperationKind::record || o.kind == OperationKind::wait;
  return !is_event && !is_instant(o);
}

bool is_query(CallKind kind) {
  return kind == CallKind::query_stream || kind == CallKind::query_event;
}

}  // namespace

Reasons::Reasons(const Words& words) : words_(words), trace_(words.trace()) {
  find_delays();
  before_.assign(trace_.operations.size(), none);
  std::vector<TraceIndex> last(trace_.streams.size(), none);
  for (TraceIndex i = 0; i < before_.size(); ++i) {
    const TraceIndex stream = trace_.operations[i].stream;
    if (stream < last.size()) before_[i] = std::exchange(last[stream], i);
  }
}

void Reasons::find_delays() {
  delay_.assign(trace_.calls.size(), none);
  std::vector<TraceIndex> latest(trace_.threads.size(), none);
  std::vector<TraceIndex> former(trace_.threads.size(), none);
  for (TraceIndex i = 0; i < delay_.size(); ++i) {
    const HostCall& call = trace_.calls[i];
    if (call.thread >= latest.size()) continue;
    TraceIndex& before = former[call.thread];
    // A thread that polls spends its time between the queries.
    const bool polled = before != none && trace_.calls[before].end_ns < call.begin_ns;
    if (polled && is_query(trace_.calls[before].kind)) latest[call.thread] = before;
    delay_[i] = latest[call.thread];
    const bool holds_up = call.kind == CallKind::work || can_wait(trace_, call);
    if (holds_up && call.end_ns > call.begin_ns) latest[call.thread] = i;
    before = i;
  }
}

std::string Reasons::why(TraceIndex operation) const {
  const Operation& o = trace_.operations[operation];
  if (o.start_ns < 0) return never(operation);
  return reason(operation, 0);
}

std::string Reasons::enqueued(TraceIndex operation) const {
  const TraceIndex index = trace_.operations[operation].call;
  if (index == none) return "nothing";
  const HostCall& call = trace_.calls[index];
  const std::string who = call.thread == none ? "the host" : words_.thread(call.thread);
  std::string text = "enqueue by " + who;
  const TraceIndex delay = delay_[index];
  if (delay == none) return text + words_.at(index);
  const HostCall& late = trace_.calls[delay];
  const bool polled = late.outcome == CallOutcome::not_ready;
  return text + ", after " + (polled ? "polling: " : "") + words_.call(late) + words_.at(delay);
}

/// Goes back over operations of the stream that only pass on what they waited for.
TraceIndex Reasons::passed_on(TraceIndex operation) const {
  while (true) {
    const Operation& o = trace_.operations[operation];
    const bool is_behind =
        o.constraint == ConstraintKind::stream_order && !o.because.is_call && o.because.exists();
    if (!is_behind || takes_part(trace_.operations[o.because.index])) return operation;
    operation = o.because.index;
  }
}

/// What stood before a record, for the one who waits for it.
std::string Reasons::record_found(TraceIndex record, TraceIndex waiting, int depth) const {
  const Operation& r = trace_.operations[record];
  const Operation& w = trace_.operations[waiting];
  const std::string event = "event " + words_.object(ObjectKind::event, w.object);
  const bool plain = r.constraint == ConstraintKind::stream_order && !r.because.is_call;
  if (plain && takes_part(trace_.operations[r.because.index])) {
    return event + ", recorded after " + words_.operation_in_stream(r.because.index);
  }
  const std::string recorded =
      event + ", recorded in " + words_.stream(r.stream) + words_.at(r.call);
  return depth >= deepest ? recorded : recorded + " after " + reason(record, depth + 1);
}

std::string Reasons::legacy(TraceIndex operation, TraceIndex other) const {
  const bool is_legacy =
      trace_.streams[trace_.operations[operation].stream].kind == StreamKind::legacy;
  const std::string what = words_.operation_in_stream(other);
  return is_legacy ? what + ": the legacy stream waits for blocking streams"
                   : what + ": blocking streams wait for the legacy stream";
}

std::string Reasons::reason(TraceIndex start, int depth) const {
  const TraceIndex operation = passed_on(start);
  const Operation& o = trace_.operations[operation];
  if (o.constraint == ConstraintKind::enqueue) return enqueued(operation);
  if (!o.because.exists() || o.because.is_call) return std::string(to_string(o.constraint));
  const TraceIndex other = o.because.index;
  const std::string name = words_.operation_in_stream(other);
  switch (o.constraint) {
    case ConstraintKind::stream_order:
      return words_.operation_at(other) + " before it in " + words_.stream(o.stream);
    case ConstraintKind::record_wait:
      return record_found(other, operation, depth);
    case ConstraintKind::legacy_barrier:
      return legacy(operation, other);
    case ConstraintKind::host_server:
      return "the host functions' server: " + name + " ran";
    case ConstraintKind::flag:
      return "flag " + words_.object(ObjectKind::flag, o.object) + ", set in " +
             words_.stream(trace_.operations[other].stream) +
             words_.at(trace_.operations[other].call);
    case ConstraintKind::engine:
      return "a copy engine: busy with " + name;
    case ConstraintKind::multiprocessors:
      return "room on the multiprocessors: " + name + " held them";
    case ConstraintKind::grid_limit:
      return "the limit of kernels at once: until the end of " + name;
    case ConstraintKind::queue_neighbour:
      return "its hardware queue: " + name + " stood before it";
    case ConstraintKind::memory_reuse:
      return "memory, of which its pool has no other left: until " + name;
    case ConstraintKind::graph_edge:
    case ConstraintKind::graph_launch:
      return name + " before it in the graph";
    default:
      return std::string(to_string(o.constraint)) + ": " + name;
  }
}

std::string Reasons::never(TraceIndex operation) const {
  const Operation& o = trace_.operations[operation];
  if (o.state == OperationState::cancelled) return "never ran: thrown away by a device reset";
  const Step step = Step::operation(operation);
  for (const Blocked& blocked : trace_.blocked) {
    if (!(blocked.step == step)) continue;
    if (blocked.waits_for == ObjectKind::flag) {
      return "never ran: flag " + words_.object(ObjectKind::flag, blocked.object) +
             " never got its value";
    }
    if (blocked.behind.exists() && !blocked.behind.is_call) {
      return "never ran: waits for " + words_.operation_in_stream(blocked.behind.index);
    }
  }
  const TraceIndex before = before_[operation];
  const bool is_behind =
      before != none && (trace_.operations[before].end_ns < 0 ||
                         trace_.operations[before].state == OperationState::failed);
  return is_behind ? "never ran: behind " + words_.operation_at(before) : "never ran";
}

}  // namespace millrace::cli
