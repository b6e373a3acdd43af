// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

namespace millrace::checker {

Steps::Steps(const Trace& trace)
    : trace_(&trace),
      operations_(trace.operations.data()),
      calls_(trace.calls.data()),
      operation_count_(trace.operations.size()),
      call_count_(trace.calls.size()),
      access_count_(trace.accesses.size()),
      stream_count_(trace.streams.size()),
      thread_count_(trace.threads.size()),
      targets_(operation_count_ + call_count_),
      sources_(operation_count_ + call_count_) {
  index_dependencies();
}

TraceIndex Steps::origin_of(Step step) const {
  if (step.is_call) return step.index;
  if (is_graph_node(step.index)) {
    for (const Incoming& in : incoming(step)) {
      if (in.kind == DependencyKind::graph_edge && in.from.is_call) return in.from.index;
    }
  }
  return call_of(step.index);
}

TraceIndex Steps::inside_of(TraceIndex call) const {
  for (const Incoming& in : incoming(Step::call(call))) {
    if (in.kind == DependencyKind::host_function && !in.from.is_call) return in.from.index;
  }
  return none;
}

Steps::Totals Steps::totals() const {
  Totals totals;
  totals.on_stream.resize(trace_->streams.size());
  totals.by_thread.resize(trace_->threads.size());
  for (TraceIndex i = 0; i < trace_->operations.size(); ++i) {
    const TraceIndex stream = stream_of(i);
    if (stream != none && trace_->operations[i].sequence != none) ++totals.on_stream[stream];
  }
  for (TraceIndex i = 0; i < trace_->calls.size(); ++i) {
    const TraceIndex thread = thread_of(i);
    if (thread != none) ++totals.by_thread[thread];
  }
  return totals;
}

void Steps::index_dependencies() {
  const auto counts = [&](const Dependency& d) {
    return d.state != DependencyState::unresolved && happened(d.from) && exists(d.to);
  };
  for (const Dependency& d : trace_->dependencies) {
    if (!counts(d)) continue;
    targets_.insert(row(d.to));
    sources_.insert(row(d.from));
  }
  targets_.seal();
  sources_.seal();

  uses_.resize(sources_.size());
  first_incoming_.resize(targets_.size() + 2);
  for (const Dependency& d : trace_->dependencies) {
    if (!counts(d)) continue;
    ++first_incoming_[targets_.number(row(d.to)) + 2];
    ++uses_[sources_.number(row(d.from))];
  }
  for (std::size_t i = 2; i < first_incoming_.size(); ++i) {
    first_incoming_[i] += first_incoming_[i - 1];
  }
  // The second of the two extra places makes each target's entry its write position while it fills.
  incoming_.resize(first_incoming_.back());
  for (const Dependency& d : trace_->dependencies) {
    if (!counts(d)) continue;
    incoming_[first_incoming_[targets_.number(row(d.to)) + 1]++] = {d.from, d.kind};
  }
}

}  // namespace millrace::checker
