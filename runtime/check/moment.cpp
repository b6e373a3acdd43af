// SPDX-License-Identifier: Apache-2.0
#include "moment.hpp"

namespace millrace::checker {

Moment moment_of(const Steps& steps, const Stamps& stamps, Step step, AccessOrder when) {
  Moment moment{stamps.stamp(step), stamps.over(step), step.is_call};
  if (step.is_call || when == AccessOrder::in_order) return moment;
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

}  // namespace millrace::checker
