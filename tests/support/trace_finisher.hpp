// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The second half of trace_builder.hpp: when each step happens.

#include "trace_builder.hpp"

#include <cstddef>

namespace millrace::test {

/// Sorts the steps of a program by a graph of their begins and ends: one node an operation, two a
/// call. What hangs behind a step that never happens never happens either.
class TraceFinisher {
 public:
  TraceFinisher(const TraceBuilder& builder, Trace& trace)
      : builder_(builder),
        trace_(trace),
        operations_(trace.operations.size()),
        after_(operations_ + 2 * trace.calls.size()),
        open_(after_.size(), 0),
        happens_(after_.size(), true) {
    join();
  }

  /// In the order of the keys, as far as the graph allows: calls `visit(node)`.
  template <typename Visit>
  void walk(const std::vector<std::uint64_t>& keys, Visit visit) const {
    using Entry = std::pair<std::uint64_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    std::vector<int> open = open_;
    for (std::size_t node = 0; node < open.size(); ++node) {
      if (open[node] == 0 && happens_[node]) ready.push({keys[node], node});
    }
    while (!ready.empty()) {
      const std::size_t node = ready.top().second;
      ready.pop();
      visit(node);
      for (const std::size_t next : after_[node]) {
        if (--open[next] == 0 && happens_[next]) ready.push({keys[next], next});
      }
    }
  }

  void number(const std::vector<std::uint64_t>& keys) {
    walk(keys, [&](std::size_t node) {
      if (node < operations_) {
        trace_.operations[node].sequence = trace_.steps++;
        trace_.operations[node].state = OperationState::completed;
      } else if (is_end(node)) {
        trace_.calls[call_at(node)].sequence = trace_.steps++;
      }
    });
  }

  /// When each node would be if nothing competed, and the times of the trace with it.
  std::vector<std::uint64_t> times() {
    std::vector<std::uint64_t> keys(after_.size());
    for (std::size_t node = 0; node < keys.size(); ++node) {
      const bool operation = node < operations_;
      keys[node] = 3 * std::uint64_t{operation ? trace_.operations[node].call : call_at(node)} +
                   (operation      ? 1U
                    : is_end(node) ? 2U
                                   : 0U);
    }
    std::vector<std::uint64_t> ready(after_.size(), 0);
    std::vector<std::uint64_t> at(after_.size(), 0);
    walk(keys, [&](std::size_t node) {
      at[node] = ready[node];
      const std::uint64_t end = at[node] + length(node);
      for (const std::size_t next : after_[node]) ready[next] = std::max(ready[next], end);
      write_time(node, static_cast<std::int64_t>(at[node]), static_cast<std::int64_t>(end));
    });
    return at;
  }

 private:
  [[nodiscard]] std::size_t begin(TraceIndex call) const { return operations_ + 2 * call; }
  [[nodiscard]] std::size_t end(TraceIndex call) const { return begin(call) + 1; }
  [[nodiscard]] bool is_end(std::size_t node) const { return (node - operations_) % 2 == 1; }
  [[nodiscard]] TraceIndex call_at(std::size_t node) const {
    return static_cast<TraceIndex>((node - operations_) / 2);
  }
  void edge(std::size_t from, std::size_t to) {
    after_[from].push_back(to);
    ++open_[to];
  }

  void join() {
    for (TraceIndex i = 0; i < operations_; ++i) edge(begin(trace_.operations[i].call), i);
    for (TraceIndex i = 0; i < operations_; ++i) join_stream(i);
    std::map<TraceIndex, TraceIndex> of_thread;
    for (TraceIndex i = 0; i < trace_.calls.size(); ++i) {
      edge(begin(i), end(i));
      const TraceIndex thread = trace_.calls[i].thread;
      if (of_thread.contains(thread)) edge(end(of_thread[thread]), begin(i));
      of_thread[thread] = i;
    }
    for (const Dependency& d : trace_.dependencies) join_dependency(d);
    for (const auto& [from, to] : builder_.unlisted_) edge(from.index, end(to.index));
    for (const TraceIndex call : builder_.stuck_) happens_[end(call)] = false;
    for (const auto& [operation, never] : builder_.never_) happens_[operation] = !never;
  }

  /// First in, first out, save for the nodes of one graph launch among each other.
  void join_stream(TraceIndex operation) {
    for (TraceIndex i = operation; i-- > 0;) {
      const Operation& earlier = trace_.operations[i];
      const Operation& later = trace_.operations[operation];
      const bool graph = trace_.calls[later.call].kind == CallKind::launch_graph;
      if (earlier.stream != later.stream || (graph && earlier.call == later.call)) continue;
      edge(i, operation);
      if (trace_.calls[earlier.call].kind != CallKind::launch_graph) return;
    }
  }

  void join_dependency(const Dependency& d) {
    if (!d.from.is_call) {
      const bool inside = d.to.is_call && builder_.inside_of_[d.to.index] == d.from.index;
      const std::size_t call = inside ? begin(d.to.index) : end(d.to.index);
      return edge(d.from.index, d.to.is_call ? call : d.to.index);
    }
    if (d.to.is_call) {
      const bool starts = d.kind == DependencyKind::thread_start;
      return edge(end(d.from.index), starts ? begin(d.to.index) : end(d.to.index));
    }
    if (builder_.inside_of_[d.from.index] != d.to.index) edge(end(d.from.index), d.to.index);
  }

  [[nodiscard]] std::uint64_t length(std::size_t node) const {
    if (node >= operations_) return 0;
    const auto found = builder_.duration_.find(static_cast<TraceIndex>(node));
    if (found != builder_.duration_.end()) return static_cast<std::uint64_t>(found->second);
    switch (trace_.operations[node].kind) {
      case OperationKind::kernel:
      case OperationKind::copy:
      case OperationKind::fill:
      case OperationKind::host_function:
        return 10'000;
      default:
        return 0;
    }
  }

  void write_time(std::size_t node, std::int64_t at, std::int64_t until) {
    if (node < operations_) {
      trace_.operations[node].start_ns = at;
      trace_.operations[node].end_ns = until;
    } else if (is_end(node)) {
      trace_.calls[call_at(node)].end_ns = at;
    } else {
      trace_.calls[call_at(node)].begin_ns = trace_.calls[call_at(node)].end_ns = at;
    }
    trace_.end_ns = std::max(trace_.end_ns, until);
  }

  const TraceBuilder& builder_;
  Trace& trace_;
  std::size_t operations_;
  std::vector<std::vector<std::size_t>> after_;
  std::vector<int> open_;
  std::vector<bool> happens_;
};

inline Trace TraceBuilder::build_in_order(std::mt19937_64* random) const {
  Trace trace = trace_;
  for (HostCall& made : trace.calls) made.sequence = none;
  TraceFinisher finisher(*this, trace);
  std::vector<std::uint64_t> keys = finisher.times();
  if (random != nullptr) {
    for (std::uint64_t& key : keys) key = (*random)();
  }
  finisher.number(keys);
  return trace;
}

}  // namespace millrace::test
