// SPDX-License-Identifier: Apache-2.0
#include "guarantees.hpp"

#include <algorithm>

namespace millrace::checker {
namespace {

/// An await's word: its value below, its condition above, as the trace has it.
bool satisfies(std::uint64_t value, std::uint64_t await) {
  const auto is = static_cast<std::uint32_t>(value);
  const auto wanted = static_cast<std::uint32_t>(await);
  switch (await >> 32) {
    case 0:
      return static_cast<std::int32_t>(is - wanted) >= 0;
    case 1:
      return is == wanted;
    default:
      return (is & wanted) != 0;
  }
}

}  // namespace

Guarantees::Guarantees(const Steps& steps, const Stamps& now, const Stamps* before)
    : steps_(steps), now_(now), before_(before) {
  if (!steps.trace().signals.empty()) index_signals();
  if (!steps.trace().flags.empty()) index_flags();
}

void Guarantees::add(std::vector<Line>& lines, Step step) const {
  // A thread's calls are in order, and so are a stream's operations with the calls that are made
  // inside them; the nodes of a graph are not, each stands for itself.
  const TraceIndex operation = step.is_call ? steps_.inside_of(step.index) : step.index;
  std::size_t chain = none;
  if (operation == none) {
    chain = steps_.thread_of(step.index);
  } else if (!steps_.is_graph_node(operation) && steps_.stream_of(operation) != none) {
    chain = steps_.trace().threads.size() + steps_.stream_of(operation);
  }
  const auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& other) {
    return chain != none && other.chain == chain;
  });
  if (line == lines.end()) {
    lines.push_back(Line{chain, {step}});
  } else {
    line->steps.push_back(step);
  }
}

void Guarantees::index_signals() {
  const Trace& trace = steps_.trace();
  signals_.resize(trace.signals.size());
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) {
    const HostCall& call = trace.calls[i];
    if (!covers_call(i) || call.sequence == none) continue;
    Source& signal = signals_[call.object];
    add(call.kind == CallKind::raise ? signal.raises : signal.awaits, Step::call(i));
  }
  for (const Source& signal : signals_) several_sources_ |= signal.raises.size() > 1;
}

void Guarantees::index_flags() {
  const Trace& trace = steps_.trace();
  flags_.resize(trace.flags.size());
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) {
    const Operation& set = trace.operations[i];
    if (is_set(i) && set.sequence != none) add(flags_[set.object].raises, Step::operation(i));
  }
  for (const Source& flag : flags_) several_sources_ |= flag.raises.size() > 1;
}

bool Guarantees::is_counted(TraceIndex index) const {
  const HostCall& call = steps_.trace().calls[index];
  return (call.kind == CallKind::await || call.kind == CallKind::raise) &&
         call.outcome == CallOutcome::success && call.object_kind == ObjectKind::signal &&
         call.object < signals_.size() && steps_.thread_of(index) != none;
}

bool Guarantees::is_on_flag(TraceIndex index, OperationKind kind) const {
  const Operation& operation = steps_.trace().operations[index];
  return operation.kind == kind && operation.object < flags_.size();
}

std::size_t Guarantees::known(const Line& line, const Learner& learner) const {
  const auto end = std::partition_point(line.steps.begin(), line.steps.end(), [&](Step step) {
    return now_.seen(step) && learner.knows(now_.result(step).own);
  });
  return static_cast<std::size_t>(end - line.steps.begin());
}

std::size_t Guarantees::known(const std::vector<Line>& lines, const Learner& learner) const {
  std::size_t count = 0;
  for (const Line& line : lines) count += known(line, learner);
  return count;
}

/// Notes a raise or set that may have satisfied the await; false when it can not.
bool Guarantees::add_candidate(Step await, Step source) {
  if (now_.seen(source)) {
    candidates_.push_back({&now_.clocks, now_.result(source)});
    return true;
  }
  looked_ahead_ = true;
  if (before_ == nullptr || before_->before(await, source)) return false;
  candidates_.push_back({&before_->clocks, before_->result(source)});
  ahead_ = true;
  return true;
}

void Guarantees::await_signal(TraceIndex call, Learner& learner) {
  const Source& signal = signals_[steps_.trace().calls[call].object];
  // Raises that the await knows anyway tell it nothing; they only leave fewer to look for. Of each
  // thread the first ones are enough: the later ones know more.
  const std::size_t needed = known(signal.awaits, learner) + 1;
  const std::size_t had = known(signal.raises, learner);
  if (needed <= had) return;
  const std::size_t k = needed - had;
  candidates_.clear();
  ahead_ = false;
  for (const Line& line : signal.raises) {
    const std::size_t first = known(line, learner);
    const std::size_t last = std::min(line.steps.size(), first + k);
    for (std::size_t i = first; i < last; ++i) {
      if (!add_candidate(Step::call(call), line.steps[i])) break;
    }
  }
  if (candidates_.size() < k) {
    return learn_matched(Step::call(call), DependencyKind::signal, learner);
  }
  learn_smallest(k, learner);
}

/// Whether a value that was surely there before the await, and perhaps still is, satisfies it.
bool Guarantees::satisfied_by_known(const Source& flag, std::uint64_t await,
                                    const Learner& learner) const {
  std::vector<Step> last;
  for (const Line& line : flag.raises) {
    const std::size_t count = known(line, learner);
    if (count > 0) last.push_back(line.steps[count - 1]);
  }
  if (last.empty()) return satisfies(0, await);
  const auto stands = [&](Step set) {
    return std::none_of(last.begin(), last.end(),
                        [&](Step other) { return now_.before(set, other); });
  };
  return std::any_of(last.begin(), last.end(), [&](Step set) {
    return satisfies(steps_.trace().operations[set.index].bytes, await) && stands(set);
  });
}

void Guarantees::await_flag(TraceIndex operation, Learner& learner) {
  const Operation& await = steps_.trace().operations[operation];
  const Source& flag = flags_[await.object];
  if (satisfied_by_known(flag, await.bytes, learner)) return;
  candidates_.clear();
  ahead_ = false;
  for (const Line& line : flag.raises) {
    for (std::size_t i = known(line, learner); i < line.steps.size(); ++i) {
      if (!satisfies(steps_.trace().operations[line.steps[i].index].bytes, await.bytes)) continue;
      add_candidate(Step::operation(operation), line.steps[i]);
      break;
    }
  }
  if (candidates_.empty()) {
    return learn_matched(Step::operation(operation), DependencyKind::flag, learner);
  }
  learn_smallest(1, learner);
}

void Guarantees::learn_smallest(std::size_t k, Learner& learner) {
  const ChainId chains = std::max(now_.chains, before_ == nullptr ? 0 : before_->chains);
  positions_.assign(chains, 0);
  column_.resize(candidates_.size());
  const auto kth = column_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  for (ChainId chain = 0; chain < chains; ++chain) {
    std::transform(candidates_.begin(), candidates_.end(), column_.begin(),
                   [&](const Candidate& c) { return c.clocks->at(c.stamp, chain); });
    std::nth_element(column_.begin(), kth, column_.end());
    positions_[chain] = *kth;
  }
  if (ahead_) trail_.insert(trail_.end(), positions_.begin(), positions_.end());
  learner.learn(positions_);
}

void Guarantees::learn_matched(Step await, DependencyKind kind, Learner& learner) const {
  for (const Incoming& in : steps_.incoming(await)) {
    if (in.kind == kind && now_.seen(in.from)) now_.learn_result(learner, in.from);
  }
}

}  // namespace millrace::checker
