// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The steps of a trace in the order in which they happened, and what comes before each of them.

#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace millrace::checker {

/// `from` comes before the step that it is listed for.
struct Incoming {
  Step from{};
  DependencyKind kind = DependencyKind::record_wait;
};

/// An index over a trace, which must outlive it. References of the trace to what it does not
/// contain are left out: a damaged trace gives fewer orders, never a crash.
class Steps {
 public:
  explicit Steps(const Trace& trace);

  [[nodiscard]] const Trace& trace() const { return *trace_; }
  /// Those that happened, by their place in the order of steps.
  [[nodiscard]] const std::vector<Step>& in_order() const { return in_order_; }
  [[nodiscard]] bool happened(Step step) const;
  /// The step's place in that order; `none` for what never happened.
  [[nodiscard]] TraceIndex sequence(Step step) const;

  [[nodiscard]] std::span<const Incoming> incoming(Step step) const;

  /// The call that enqueued an operation, its thread, and its stream; `none` where there is none.
  [[nodiscard]] TraceIndex call_of(TraceIndex operation) const;
  [[nodiscard]] TraceIndex stream_of(TraceIndex operation) const;
  [[nodiscard]] TraceIndex thread_of(TraceIndex call) const;
  /// The call that says where in the program a step stands: itself, the one that enqueued the
  /// operation, or of a graph's node the one that once added it to the graph.
  [[nodiscard]] TraceIndex origin_of(Step step) const;
  /// The host function that made the call; `none` for calls of ordinary host threads.
  [[nodiscard]] TraceIndex inside_of(TraceIndex call) const;
  /// Whether it is a node of a graph launch: such operations of one call are not first in, first
  /// out among each other, but only as the graph's edges say.
  [[nodiscard]] bool is_graph_node(TraceIndex operation) const;

  /// How many operations of the stream ran, how many calls the thread made.
  [[nodiscard]] std::uint32_t operations_on(TraceIndex stream) const { return on_stream_[stream]; }
  [[nodiscard]] std::uint32_t calls_by(TraceIndex thread) const { return by_thread_[thread]; }

  /// The accesses of a step. Their memory may be one that the trace does not have.
  [[nodiscard]] std::span<const TraceAccess> accesses(Step step) const;

 private:
  void sort_steps();
  void count_uses();
  void index_dependencies();
  [[nodiscard]] std::size_t row(Step step) const {
    return step.is_call ? trace_->operations.size() + step.index : step.index;
  }
  [[nodiscard]] bool exists(Step step) const;

  const Trace* trace_;
  std::vector<Step> in_order_;
  std::vector<std::uint32_t> first_incoming_;  // by row, and one more
  std::vector<Incoming> incoming_;
  std::vector<std::uint32_t> on_stream_;
  std::vector<std::uint32_t> by_thread_;
};

}  // namespace millrace::checker
