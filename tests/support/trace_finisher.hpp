// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The second half of trace_builder.hpp: when each step happens.

#include "trace_builder.hpp"

#include <cstddef>

namespace millrace::test {

/// Sorts the steps of a program by a graph of their begins and ends, two nodes a step. What hangs
/// behind a step that never happens never happens either.
class TraceFinisher {
 public:
  TraceFinisher(const TraceBuilder& builder, Trace& trace)
      : builder_(builder),
        trace_(trace),
        after_(2 * (trace.operations.size() + trace.calls.size())),
        open_(after_.size(), 0),
        happens_(after_.size(), true) {
    join_steps();
    for (const Dependency& d : trace_.dependencies) join_dependency(d);
    for (const auto& [from, to] : builder_.unlisted_) edge(end(from), end(to));
    for (const TraceIndex call : builder_.stuck_) happens_[end(Step::call(call))] = false;
    for (const auto& [operation, never] : builder_.never_) {
      happens_[begin(Step::operation(operation))] = !never;
    }
  }

  /// Operations take their place in the order when they begin, calls when they return.
  void number(const std::vector<std::uint64_t>& keys) {
    walk(keys, [&](Step step, bool is_end) {
      if (step.is_call != is_end) return;
      if (step.is_call) {
        trace_.calls[step.index].sequence = trace_.steps++;
      } else {
        trace_.operations[step.index].sequence = trace_.steps++;
        trace_.operations[step.index].state = OperationState::completed;
      }
    });
  }

  /// When each node would be if nothing competed, and the times of the trace with it.
  std::vector<std::uint64_t> times() {
    std::vector<std::uint64_t> keys(after_.size());
    for (std::size_t node = 0; node < keys.size(); ++node) {
      const Step step = step_at(node);
      const TraceIndex call = step.is_call ? step.index : trace_.operations[step.index].call;
      keys[node] = 4 * std::uint64_t{call} + (node % 2 == 0 ? 0U : 2U) + (step.is_call ? 0U : 1U);
    }
    std::vector<std::uint64_t> at(after_.size(), 0);
    walk(keys, [&](Step step, bool is_end) {
      const std::size_t node = is_end ? end(step) : begin(step);
      for (const std::size_t next : after_[node]) {
        const bool own = !step.is_call && next == end(step);
        at[next] = std::max(at[next], at[node] + (own ? length(step.index) : 0));
      }
      write_time(step, is_end, static_cast<std::int64_t>(at[node]));
    });
    return at;
  }

 private:
  [[nodiscard]] std::size_t begin(Step step) const {
    return 2 * (step.is_call ? trace_.operations.size() + step.index : step.index);
  }
  [[nodiscard]] std::size_t end(Step step) const { return begin(step) + 1; }
  [[nodiscard]] Step step_at(std::size_t node) const {
    const auto row = static_cast<TraceIndex>(node / 2);
    const auto operations = static_cast<TraceIndex>(trace_.operations.size());
    return row < operations ? Step::operation(row) : Step::call(row - operations);
  }
  void edge(std::size_t from, std::size_t to) {
    after_[from].push_back(to);
    ++open_[to];
  }

  /// In the order of the keys, as far as the graph allows: calls `visit(step, is_end)`.
  template <typename Visit>
  void walk(const std::vector<std::uint64_t>& keys, Visit visit) const {
    using Entry = std::pair<std::uint64_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    std::vector<int> open = open_;
    const auto offer = [&](std::size_t node) {
      if (open[node] == 0 && happens_[node]) ready.push({keys[node], node});
    };
    for (std::size_t node = 0; node < open.size(); ++node) offer(node);
    while (!ready.empty()) {
      const std::size_t node = ready.top().second;
      ready.pop();
      visit(step_at(node), node % 2 == 1);
      for (const std::size_t next : after_[node]) {
        --open[next];
        offer(next);
      }
    }
  }

  void join_steps() {
    for (TraceIndex i = 0; i < trace_.operations.size(); ++i) {
      edge(begin(Step::operation(i)), end(Step::operation(i)));
      edge(begin(Step::call(trace_.operations[i].call)), begin(Step::operation(i)));
      join_stream(i);
    }
    std::map<TraceIndex, TraceIndex> last;  // by thread
    for (TraceIndex i = 0; i < trace_.calls.size(); ++i) {
      edge(begin(Step::call(i)), end(Step::call(i)));
      const TraceIndex thread = trace_.calls[i].thread;
      if (last.contains(thread)) edge(end(Step::call(last[thread])), begin(Step::call(i)));
      last[thread] = i;
    }
  }

  /// First in, first out, save for the nodes of one graph launch among each other.
  void join_stream(TraceIndex operation) {
    for (TraceIndex i = operation; i-- > 0;) {
      const Operation& earlier = trace_.operations[i];
      const Operation& later = trace_.operations[operation];
      const bool graph = trace_.calls[later.call].kind == CallKind::launch_graph;
      if (earlier.stream != later.stream || (graph && earlier.call == later.call)) continue;
      edge(end(Step::operation(i)), begin(Step::operation(operation)));
      if (trace_.calls[earlier.call].kind != CallKind::launch_graph) return;
    }
  }

  void join_dependency(const Dependency& d) {
    // A call that a host function makes lies within its operation.
    const bool made_inside = d.from.is_call && builder_.inside_of_[d.from.index] == d.to.index;
    const bool makes_inside = d.to.is_call && builder_.inside_of_[d.to.index] == d.from.index;
    if (!d.from.is_call && makes_inside) return edge(begin(d.from), begin(d.to));
    if (!d.to.is_call && made_inside) return edge(end(d.from), end(d.to));
    const bool at_end = d.to.is_call && d.kind != DependencyKind::thread_start;
    edge(end(d.from), at_end ? end(d.to) : begin(d.to));
  }

  [[nodiscard]] std::uint64_t length(TraceIndex operation) const {
    const auto found = builder_.duration_.find(operation);
    if (found != builder_.duration_.end()) return static_cast<std::uint64_t>(found->second);
    switch (trace_.operations[operation].kind) {
      case OperationKind::kernel:
      case OperationKind::copy:
      case OperationKind::fill:
      case OperationKind::host_function:
        return 10'000;
      default:
        return 0;
    }
  }

  void write_time(Step step, bool is_end, std::int64_t at) {
    trace_.end_ns = std::max(trace_.end_ns, at);
    if (step.is_call) {
      HostCall& call = trace_.calls[step.index];
      call.end_ns = at;
      if (!is_end) call.begin_ns = at;
    } else {
      (is_end ? trace_.operations[step.index].end_ns : trace_.operations[step.index].start_ns) = at;
    }
  }

  const TraceBuilder& builder_;
  Trace& trace_;
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
