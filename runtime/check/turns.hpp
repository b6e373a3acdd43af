// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The accesses of a run, step by step.

#include "moment.hpp"
#include "steps.hpp"

#include <millrace/trace.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace millrace::checker {

/// The accesses of one step that may happen at one time.
struct Turn {
  Step step{};
  AccessOrder order = AccessOrder::in_order;

  /// Whether this access, one of the step's, is among them.
  [[nodiscard]] bool has(const TraceAccess& access) const {
    return step.is_call || access.order == order;
  }
};

/// Calls `visit(turn)` for each turn of the step. Taken in the order of steps, a turn never comes
/// before one that it is ordered after, with one exception: see `over_early`.
template <typename Visit>
void turns_of(const Steps& steps, Step step, Visit visit) {
  const std::span<const TraceAccess> accesses = steps.accesses(step);
  if (accesses.empty()) return;
  const auto is_in_order = [](const TraceAccess& access) {
    return access.order == AccessOrder::in_order;
  };
  if (step.is_call || std::all_of(accesses.begin(), accesses.end(), is_in_order)) {
    return visit(Turn{step, AccessOrder::in_order});
  }
  std::array<bool, 3> has{};
  for (const TraceAccess& access : accesses) {
    const auto order = static_cast<std::size_t>(access.order);
    if (order < has.size()) has[order] = true;
  }
  for (const AccessOrder order :
       {AccessOrder::in_order, AccessOrder::from_call, AccessOrder::until_return}) {
    if (has[static_cast<std::size_t>(order)]) visit(Turn{step, order});
  }
}

/// Whether the turn was over before its step is seen to start: a synchronous call may have left its
/// host buffer and returned before its operation starts (recorded runs show it). What the host does
/// next stands before the turn then, and comes after it.
inline bool over_early(const Steps& steps, Turn turn) {
  if (turn.step.is_call || turn.order != AccessOrder::until_return) return false;
  const TraceIndex call = steps.call_of(turn.step.index);
  return call != none && steps.sequence(Step::call(call)) < steps.sequence(turn.step);
}

}  // namespace millrace::checker
