// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What an `await` may rely on. The run shows one raise or set that satisfied it; another legal run
/// may have had another one. Ordered is only what each of them guarantees.
///
/// Signals count: when the k-th of a row of awaits returns, at least k raises have happened, nobody
/// knows which. So of each chain it knows the k-th smallest of the positions that the raises know,
/// over all raises that are not ordered after the await. (An await that gave up does not count.)
/// Flags hold a word: any set may have satisfied it whose value does, that is not ordered after the
/// await and was not overwritten before it, and the await knows the smallest position over these.
/// The initial 0 is such a set.
///
/// A raise that comes later in this run may come earlier in another, unless it is ordered after the
/// await, which this very computation decides. Therefore passes: the first takes no later raise for
/// possible and so orders too much, each one after it asks the one before, and orders less, until
/// nothing changes. What is left is the largest order that justifies itself, and it holds in every
/// run: the first event of a run to break it would have to happen before what it comes after.

#include "clocks.hpp"
#include "stamps.hpp"
#include "steps.hpp"

#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::checker {

class Guarantees {
 public:
  /// `now` is in the making, `before` what the pass before gave, if there was one.
  Guarantees(const Steps& steps, const Stamps& now, const Stamps* before);

  /// Whether this await is judged here: if not, take what the run matched.
  [[nodiscard]] bool covers_call(TraceIndex call) const {
    return !signals_.empty() && is_counted(call);
  }
  [[nodiscard]] bool covers_operation(TraceIndex operation) const {
    return !flags_.empty() && is_on_flag(operation, OperationKind::await_flag);
  }
  /// Whether the operation sets a flag that somebody may await.
  [[nodiscard]] bool is_set(TraceIndex operation) const {
    return !flags_.empty() && is_on_flag(operation, OperationKind::set_flag);
  }
  /// The learner knows what the await knows of itself, and then what it waited for.
  void await_signal(TraceIndex call, Learner& learner);
  void await_flag(TraceIndex operation, Learner& learner);

  /// Whether several threads raise one signal or several streams set one flag.
  [[nodiscard]] bool several_sources() const { return several_sources_; }
  /// Whether a step that this pass had not seen yet might have mattered.
  [[nodiscard]] bool looked_ahead() const { return looked_ahead_; }
  /// What was concluded with the help of such steps: equal trails are equal passes.
  [[nodiscard]] const std::vector<Position>& trail() const { return trail_; }

 private:
  /// Steps on one chain, in its order.
  struct Line {
    std::size_t chain = none;  // the thread, or behind all threads the stream
    std::vector<Step> steps;
  };
  struct Source {
    std::vector<Line> raises;  // or sets
    std::vector<Line> awaits;
  };
  struct Candidate {
    const ClockStore* clocks;
    Stamp stamp;
  };

  [[nodiscard]] bool is_counted(TraceIndex call) const;
  [[nodiscard]] bool is_on_flag(TraceIndex operation, OperationKind kind) const;
  void index_signals();
  void index_flags();
  void add(std::vector<Line>& lines, Step step) const;
  [[nodiscard]] std::size_t known(const Line& line, const Learner& learner) const;
  [[nodiscard]] std::size_t known(const std::vector<Line>& lines, const Learner& learner) const;
  bool add_candidate(Step await, Step source);
  [[nodiscard]] bool satisfied_by_known(const Source& flag, std::uint64_t await,
                                        const Learner& learner) const;
  void learn_smallest(std::size_t k, Learner& learner);
  void learn_matched(Step await, DependencyKind kind, Learner& learner) const;

  const Steps& steps_;
  const Stamps& now_;
  const Stamps* before_;
  std::vector<Source> signals_;
  std::vector<Source> flags_;
  bool several_sources_ = false;
  bool looked_ahead_ = false;
  std::vector<Position> trail_;
  std::vector<Candidate> candidates_;  // of the await at hand
  bool ahead_ = false;                 // some of them lie ahead
  std::vector<Position> positions_;
  std::vector<Position> column_;
};

}  // namespace millrace::checker
