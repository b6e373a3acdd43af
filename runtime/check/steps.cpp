// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include <algorithm>

namespace millrace::checker {

Steps::Steps(const Trace& trace) : trace_(&trace) {
  sort_steps();
  count_uses();
  index_dependencies();
}

bool Steps::exists(Step step) const {
  return step.index < (step.is_call ? trace_->calls.size() : trace_->operations.size());
}

TraceIndex Steps::sequence(Step step) const {
  return step.is_call ? trace_->calls[step.index].sequence
                      : trace_->operations[step.index].sequence;
}

bool Steps::happened(Step step) const { return exists(step) && sequence(step) != none; }

TraceIndex Steps::call_of(TraceIndex operation) const {
  const TraceIndex call = trace_->operations[operation].call;
  return call < trace_->calls.size() ? call : none;
}

TraceIndex Steps::stream_of(TraceIndex operation) const {
  const TraceIndex stream = trace_->operations[operation].stream;
  return stream < trace_->streams.size() ? stream : none;
}

TraceIndex Steps::thread_of(TraceIndex call) const {
  const TraceIndex thread = trace_->calls[call].thread;
  return thread < trace_->threads.size() ? thread : none;
}

bool Steps::is_graph_node(TraceIndex operation) const {
  const TraceIndex call = call_of(operation);
  return call != none && trace_->calls[call].kind == CallKind::launch_graph;
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

std::span<const TraceAccess> Steps::accesses(Step step) const {
  const auto slice = [&](const auto& owner) {
    const std::size_t total = trace_->accesses.size();
    const std::size_t first = std::min<std::size_t>(owner.first_access, total);
    const std::size_t count = std::min<std::size_t>(owner.access_count, total - first);
    return std::span<const TraceAccess>(trace_->accesses).subspan(first, count);
  };
  return step.is_call ? slice(trace_->calls[step.index]) : slice(trace_->operations[step.index]);
}

void Steps::sort_steps() {
  const std::size_t most = trace_->operations.size() + trace_->calls.size();
  // A step takes at most one place, so that the places are a table. Traces from elsewhere may be
  // less tidy: what does not fit there is sorted in.
  std::vector<Step> table(most);
  std::vector<Step> others;
  std::size_t count = 0;
  const auto place = [&](Step step) {
    const TraceIndex at = sequence(step);
    if (at == none) return;
    ++count;
    if (at < most && !table[at].exists()) {
      table[at] = step;
    } else {
      others.push_back(step);
    }
  };
  for (TraceIndex i = 0; i < trace_->operations.size(); ++i) place(Step::operation(i));
  for (TraceIndex i = 0; i < trace_->calls.size(); ++i) place(Step::call(i));

  in_order_.reserve(count);
  std::copy_if(table.begin(), table.end(), std::back_inserter(in_order_),
               [](Step step) { return step.exists(); });
  if (others.empty()) return;
  in_order_.insert(in_order_.end(), others.begin(), others.end());
  std::stable_sort(in_order_.begin(), in_order_.end(),
                   [&](Step a, Step b) { return sequence(a) < sequence(b); });
}

void Steps::count_uses() {
  on_stream_.assign(trace_->streams.size(), 0);
  by_thread_.assign(trace_->threads.size(), 0);
  for (TraceIndex i = 0; i < trace_->operations.size(); ++i) {
    const TraceIndex stream = stream_of(i);
    if (stream != none && trace_->operations[i].sequence != none) ++on_stream_[stream];
  }
  for (TraceIndex i = 0; i < trace_->calls.size(); ++i) {
    const TraceIndex thread = thread_of(i);
    if (thread != none) ++by_thread_[thread];
  }
}

void Steps::index_dependencies() {
  const std::size_t rows = trace_->operations.size() + trace_->calls.size();
  first_incoming_.assign(rows + 2, 0);
  const auto counts = [&](const Dependency& d) {
    return d.state != DependencyState::unresolved && happened(d.from) && exists(d.to);
  };
  for (const Dependency& d : trace_->dependencies) {
    if (!counts(d)) continue;
    ++first_incoming_[row(d.to) + 2];
  }
  for (std::size_t i = 2; i < first_incoming_.size(); ++i) {
    first_incoming_[i] += first_incoming_[i - 1];
  }
  // The second of the two extra places makes each row's entry its write position while it fills.
  incoming_.resize(first_incoming_.back());
  for (const Dependency& d : trace_->dependencies) {
    if (counts(d)) incoming_[first_incoming_[row(d.to) + 1]++] = {d.from, d.kind};
  }
}

std::span<const Incoming> Steps::incoming(Step step) const {
  const std::size_t at = row(step);
  return std::span<const Incoming>(incoming_).subspan(
      first_incoming_[at], first_incoming_[at + 1] - first_incoming_[at]);
}

}  // namespace millrace::checker
