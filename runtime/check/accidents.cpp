// SPDX-License-Identifier: Apache-2.0
#include "accidents.hpp"

#include "walk.hpp"

#include <algorithm>
#include <utility>

namespace millrace::checker {

void Accidents::Index::sort() {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

Accidents::Entries Accidents::Index::of(std::size_t key) const {
  const auto [begin, end] =
      std::equal_range(entries_.begin(), entries_.end(), std::pair(key, Step{}),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  return {begin, end};
}

std::size_t Accidents::row(Step step) const {
  return step.is_call ? steps_.trace().operations.size() + step.index : step.index;
}

TraceIndex Accidents::call_of(Step step) const {
  return step.is_call ? step.index : steps_.call_of(step.index);
}

// Preparation -----------------------------------------------------------------------------------

void Accidents::prepare() {
  if (host_) return;
  const Trace& trace = steps_.trace();
  host_ = order_of(steps_, Scope::host_threads);
  const std::vector<std::uint32_t> calls = steps_.totals().by_thread;
  several_threads_ = std::count_if(calls.begin(), calls.end(), [](auto n) { return n > 0; }) > 1;
  if (!several_threads_) return;

  for (TraceIndex i = 0; i < trace.operations.size(); ++i) index_operation(i);
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) index_call(i);
  Walk walk(trace);
  for (Step step = walk.next(); step.exists(); step = walk.next()) {
    for (const Incoming& in : steps_.incoming(step)) outgoing_.add(row(in.from), step);
  }
  for (Index* index : {&outgoing_, &on_stream_, &by_thread_, &enqueued_, &waits_, &stream_syncs_,
                       &device_syncs_, &locks_}) {
    index->sort();
  }
  reached_.assign(trace.operations.size() + trace.calls.size(), 0);
}

void Accidents::index_operation(TraceIndex index) {
  const Operation& operation = steps_.trace().operations[index];
  const Step step = Step::operation(index);
  if (operation.sequence == none || steps_.stream_of(index) == none) return;
  on_stream_.add(operation.stream, step);
  if (steps_.call_of(index) != none) enqueued_.add(operation.call, step);
  if (operation.kind == OperationKind::wait) waits_.add(operation.object, step);
}

void Accidents::index_call(TraceIndex index) {
  const HostCall& call = steps_.trace().calls[index];
  const Step step = Step::call(index);
  if (call.sequence == none || steps_.thread_of(index) == none) return;
  by_thread_.add(call.thread, step);
  const bool about_event = call.object_kind == ObjectKind::event && call.kind != CallKind::record;
  if (about_event && call.operation == none) waits_.add(call.object, step);
  if (call.object_kind == ObjectKind::stream && call.operation == none) {
    stream_syncs_.add(call.object, step);
  }
  if (call.kind == CallKind::synchronize_device) device_syncs_.add(0, step);
  if (takes_lock(call)) locks_.add(call.object, step);
}

// Searching -------------------------------------------------------------------------------------

bool Accidents::host_ordered(TraceIndex a, TraceIndex b) {
  prepare();
  if (a == none || b == none) return true;
  const Step one = Step::call(a);
  const Step other = Step::call(b);
  return a == b || host_->before(one, other) || host_->before(other, one);
}

bool Accidents::may_order(Step a, Step b) {
  prepare();
  if (!several_threads_) return false;
  // In conflict although ordered: it can be no other way while their calls keep their order.
  if (stamps_.before(a, b) || stamps_.before(b, a)) return !host_ordered(call_of(a), call_of(b));
  return reaches(a, b) || reaches(b, a);
}

bool Accidents::reaches(Step from, Step to) {
  ++search_;
  open_.clear();
  follow(from);
  while (!open_.empty() && edges_left_ > 0) {
    const Step next = open_.back();
    if (next == to) return true;
    open_.pop_back();
    follow(next);
  }
  return edges_left_ == 0;
}

void Accidents::visit(Step step) {
  if (edges_left_ > 0) --edges_left_;
  if (std::exchange(reached_[row(step)], search_) != search_) open_.push_back(step);
}

void Accidents::follow(Step step) {
  for (const auto& [from, to] : outgoing_.of(row(step))) visit(to);
  if (step.is_call) {
    follow_call(step.index);
  } else {
    follow_operation(step.index);
  }
}

/// The next one on the same stream or thread.
TraceIndex Accidents::next_of(Entries entries, TraceIndex index) {
  const auto next = std::partition_point(entries.begin(), entries.end(), [&](const auto& entry) {
    return entry.second.index <= index;
  });
  return next == entries.end() ? none : next->second.index;
}

/// Steps of other threads that the host threads do not order with this call.
void Accidents::follow_open(TraceIndex call, const Index& index, std::size_t key) {
  if (call == none) return;
  for (const auto& [shared, step] : index.of(key)) {
    if (edges_left_ > 0) --edges_left_;
    const TraceIndex other = call_of(step);
    if (other != none && !host_ordered(call, other)) visit(step);
  }
}

void Accidents::follow_call(TraceIndex index) {
  const HostCall& call = steps_.trace().calls[index];
  const TraceIndex next = next_of(by_thread_.of(call.thread), index);
  // The thread that serves host functions is no order between them.
  if (next != none && steps_.inside_of(next) == steps_.inside_of(index)) visit(Step::call(next));
  for (const auto& [from, operation] : enqueued_.of(index)) visit(operation);
  if (call.kind == CallKind::unlock) follow_open(index, locks_, call.object);
}

void Accidents::follow_operation(TraceIndex index) {
  const Trace& trace = steps_.trace();
  const Operation& operation = trace.operations[index];
  const TraceIndex next = next_of(on_stream_.of(operation.stream), index);
  if (next != none) visit(Step::operation(next));
  const TraceIndex call = steps_.call_of(index);
  follow_open(call, on_stream_, operation.stream);
  follow_open(call, stream_syncs_, operation.stream);
  follow_open(call, device_syncs_, 0);
  if (operation.kind == OperationKind::record) follow_record(index);

  const TraceStream& stream = trace.streams[operation.stream];
  for (TraceIndex i = 0; i < trace.streams.size(); ++i) {
    const TraceStream& other = trace.streams[i];
    const bool legacy = stream.kind == StreamKind::legacy;
    const bool is_barrier = legacy ? other.blocking && other.kind != StreamKind::legacy
                                   : stream.blocking && other.kind == StreamKind::legacy;
    if (is_barrier && other.device == stream.device) follow_open(call, on_stream_, i);
  }
}

TraceIndex Accidents::bound_record(Step wait) const {
  for (const Incoming& in : steps_.incoming(wait)) {
    if (!in.from.is_call &&
        steps_.trace().operations[in.from.index].kind == OperationKind::record) {
      return in.from.index;
    }
  }
  return none;
}

/// Waits that may find this record: those that the host threads leave open, and those that came
/// after it but found another one, when which of the two records came last is open.
void Accidents::follow_record(TraceIndex record) {
  const TraceIndex call = steps_.call_of(record);
  if (call == none) return;
  for (const auto& [event, wait] : waits_.of(steps_.trace().operations[record].object)) {
    if (edges_left_ > 0) --edges_left_;
    const TraceIndex waiting = call_of(wait);
    if (waiting == none) continue;
    const TraceIndex bound = bound_record(wait);
    const TraceIndex other = bound == none ? none : steps_.call_of(bound);
    if (!host_ordered(call, waiting) || (other != none && !host_ordered(call, other))) visit(wait);
  }
}

}  // namespace millrace::checker
