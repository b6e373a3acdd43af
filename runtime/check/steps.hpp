// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The steps of a trace, and what comes before each of them.

#include "row_set.hpp"

#include <millrace/trace.hpp>

#include <algorithm>
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

/// Whether the call made its thread the owner of a mutex.
inline bool takes_lock(const HostCall& call) {
  return (call.kind == CallKind::lock || call.kind == CallKind::try_lock) &&
         call.outcome == CallOutcome::success;
}

/// An index over a trace, which must outlive it. References of the trace to what it does not
/// contain are left out: a damaged trace gives fewer orders, never a crash.
class Steps {
 public:
  explicit Steps(const Trace& trace);

  [[nodiscard]] const Trace& trace() const { return *trace_; }
  [[nodiscard]] bool happened(Step step) const { return exists(step) && sequence(step) != none; }
  /// The step's place in the order in which they happened; `none` for what never did.
  [[nodiscard]] TraceIndex sequence(Step step) const {
    return step.is_call ? calls_[step.index].sequence : operations_[step.index].sequence;
  }

  [[nodiscard]] std::span<const Incoming> incoming(Step step) const {
    const std::size_t at = row(step);
    if (!targets_.contains(at)) return {};
    const std::size_t target = targets_.number(at);
    return std::span<const Incoming>(incoming_).subspan(
        first_incoming_[target], first_incoming_[target + 1] - first_incoming_[target]);
  }
  /// How often it is an incoming one of others.
  [[nodiscard]] std::uint32_t uses_of(Step step) const {
    const std::size_t at = row(step);
    return sources_.contains(at) ? uses_[sources_.number(at)] : 0;
  }

  /// The call that enqueued an operation, its thread, and its stream; `none` where there is none.
  [[nodiscard]] TraceIndex call_of(TraceIndex operation) const {
    const TraceIndex call = operations_[operation].call;
    return call < call_count_ ? call : none;
  }
  [[nodiscard]] TraceIndex stream_of(TraceIndex operation) const {
    const TraceIndex stream = operations_[operation].stream;
    return stream < stream_count_ ? stream : none;
  }
  [[nodiscard]] TraceIndex thread_of(TraceIndex call) const {
    const TraceIndex thread = calls_[call].thread;
    return thread < thread_count_ ? thread : none;
  }
  /// The call that says where in the program a step stands: itself, the one that enqueued the
  /// operation, or of a graph's node the one that once added it to the graph.
  [[nodiscard]] TraceIndex origin_of(Step step) const;
  /// The host function that made the call; `none` for calls of ordinary host threads.
  [[nodiscard]] TraceIndex inside_of(TraceIndex call) const;
  /// Whether it is a node of a graph launch: such operations of one call are not first in, first
  /// out among each other, but only as the graph's edges say.
  [[nodiscard]] bool is_graph_node(TraceIndex operation) const {
    const TraceIndex call = call_of(operation);
    return call != none && calls_[call].kind == CallKind::launch_graph;
  }

  /// How many operations ran on each stream, and how many calls each thread made.
  struct Totals {
    std::vector<std::uint32_t> on_stream;
    std::vector<std::uint32_t> by_thread;
  };
  [[nodiscard]] Totals totals() const;

  /// The accesses of a step. Their memory may be one that the trace does not have.
  [[nodiscard]] std::span<const TraceAccess> accesses(Step step) const {
    return step.is_call ? slice(calls_[step.index]) : slice(operations_[step.index]);
  }

 private:
  void index_dependencies();
  [[nodiscard]] std::size_t row(Step step) const {
    return step.index + (step.is_call ? operation_count_ : std::size_t{0});
  }
  [[nodiscard]] bool exists(Step step) const {
    return step.index < (step.is_call ? call_count_ : operation_count_);
  }
  template <typename Owner>
  [[nodiscard]] std::span<const TraceAccess> slice(const Owner& owner) const {
    if (owner.access_count == 0) return {};
    const std::size_t first = std::min<std::size_t>(owner.first_access, access_count_);
    const std::size_t count = std::min<std::size_t>(owner.access_count, access_count_ - first);
    return {trace_->accesses.data() + first, count};
  }

  const Trace* trace_;
  // Of the trace's tables, what is asked for at each step.
  const Operation* operations_;
  const HostCall* calls_;
  std::size_t operation_count_;
  std::size_t call_count_;
  std::size_t access_count_;
  std::size_t stream_count_;
  std::size_t thread_count_;
  RowSet targets_;                             // rows of steps that others come before
  RowSet sources_;                             // rows of those others
  std::vector<std::uint32_t> first_incoming_;  // by target, and one more
  std::vector<Incoming> incoming_;
  std::vector<std::uint32_t> uses_;  // by source
};

}  // namespace millrace::checker
