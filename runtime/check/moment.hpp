// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// When an access may happen, in terms of the order.

#include "clocks.hpp"
#include "stamps.hpp"
#include "steps.hpp"

#include <millrace/trace.hpp>

namespace millrace::checker {

/// The span of an access: it may begin as soon as what `start` knows is over, and who knows the
/// point `over` comes after it.
struct Moment {
  Stamp start;
  Epoch over;
  bool host = false;  ///< made by a host thread itself, not in stream order
};

/// Of a step that has been stamped.
inline Moment moment_of(const Steps& steps, const Stamps& stamps, Step step, AccessOrder when) {
  if (step.is_call) return {stamps.stamp(step), stamps.over(step), true};
  const Stamps::Operation& operation = stamps.operations[step.index];
  Moment moment{{operation.clock, operation.own, operation.issuer}, operation.own, false};
  if (when == AccessOrder::in_order) return moment;
  const TraceIndex call = steps.call_of(step.index);
  if (call == none || steps.thread_of(call) == none) return moment;
  if (when == AccessOrder::from_call) {
    moment.start = stamps.begin_of(call);
  } else {
    // Who comes after the operation knows its call too, so that this point covers both of what an
    // access may be over with: the operation's end and the call's return.
    moment.over = stamps.over(Step::call(call));
  }
  return moment;
}

/// Whether `a` is over before `b` begins.
inline bool is_before(const ClockStore& clocks, const Moment& a, const Moment& b) {
  return clocks.knows(b.start, a.over);
}

constexpr bool writes(AccessMode mode) {
  return mode == AccessMode::write || mode == AccessMode::update;
}
/// Allocation and release are no accesses: they bound the life of the memory.
constexpr bool bounds_life(AccessMode mode) {
  return mode == AccessMode::allocate || mode == AccessMode::free;
}

}  // namespace millrace::checker
