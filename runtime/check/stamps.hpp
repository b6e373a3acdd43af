// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What each step of a run knows: the order relation as data.

#include "clocks.hpp"
#include "stamp_table.hpp"

#include <millrace/trace.hpp>

namespace millrace::checker {

/// Filled by Order, asked by everybody else. Needs nothing of the trace.
struct Stamps {
  struct Operation {
    ClockId clock = empty_clock;
    ClockId end_clock = empty_clock;  // differs where something joined it on its way
    Epoch own;
    Epoch issuer;
    std::uint32_t uses = 0;  // where stamps are forgotten: how often this one will be asked for
  };
  struct Call {
    ClockId begin_clock = empty_clock;
    ClockId end_clock = empty_clock;
    Epoch begin;
    Position end = 0;  // on the same chain
    bool returned = false;
    bool inside = false;  // made by a host function: stands where its operation stands
    std::uint32_t uses = 0;
  };

  ClockStore clocks;
  StampTable<Operation> operations;
  StampTable<Call> calls;
  ChainId chains = 0;

  /// Whether the step has been stamped, that is, has happened, and is not forgotten.
  [[nodiscard]] bool seen(Step step) const {
    if (step.is_call) {
      const Call* const call = calls.find(step.index);
      return call != nullptr && call->returned;
    }
    const Operation* const operation = operations.find(step.index);
    return operation != nullptr && operation->own.chain != no_chain;
  }
  /// What a step knows when it starts (operations) or returns (calls).
  [[nodiscard]] Stamp stamp(Step step) const {
    if (!step.is_call) {
      const Operation& operation = operations[step.index];
      return {operation.clock, operation.own, operation.issuer};
    }
    const Call& call = calls[step.index];
    return {call.end_clock, {call.begin.chain, call.end}, {}};
  }
  /// What the call knows when it begins, and with it what it enqueues.
  [[nodiscard]] Stamp begin_of(TraceIndex call) const {
    return {calls[call].begin_clock, calls[call].begin, {}};
  }
  /// What is known to whoever waited for the step.
  [[nodiscard]] Stamp result(Step step) const {
    Stamp result = stamp(step);
    if (!step.is_call) result.clock = operations[step.index].end_clock;
    return result;
  }
  /// Whether one may know that the step is over without knowing all of its result: when host calls
  /// were made inside an operation, they stand at the operation's point and yet know more.
  [[nodiscard]] bool result_is_late(Step step) const {
    if (step.is_call) return calls[step.index].inside;
    return operations[step.index].end_clock != operations[step.index].clock;
  }
  void learn_result(Learner& learner, Step step) const {
    if (result_is_late(step)) {
      learner.learn_all(result(step));
    } else {
      learner.learn(result(step));
    }
  }
  /// The point after which the step is over for others: an operation's end, a call's begin.
  [[nodiscard]] Epoch over(Step step) const {
    return step.is_call ? calls[step.index].begin : operations[step.index].own;
  }
  /// Whether `a` is over before `b` starts, in every run in which the host threads do as in this
  /// one. A host call counts as over for what it enqueued and for what its thread does next.
  [[nodiscard]] bool before(Step a, Step b) const {
    return !(a == b) && seen(a) && seen(b) && clocks.knows(stamp(b), over(a));
  }
};

}  // namespace millrace::checker
