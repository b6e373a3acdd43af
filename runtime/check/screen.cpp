// SPDX-License-Identifier: Apache-2.0
#include "screen.hpp"

namespace millrace::checker {

Screen::Screen(const Steps& steps, const Stamps& stamps)
    : steps_(steps),
      stamps_(stamps),
      shadows_(steps.trace().memories.size()),
      suspect_(steps.trace().memories.size(), false) {}

void Screen::feed(Step step) {
  if (steps_.accesses(step).empty() || !stamps_.seen(step)) return;
  turns_of(steps_, step, [&](Turn turn) { feed(turn); });
}

void Screen::feed(Turn turn) {
  const Moment moment = moment_of(steps_, stamps_, turn.step, turn.order);
  for (const TraceAccess& access : steps_.accesses(turn.step)) {
    if (!turn.has(access) || access.memory >= shadows_.size() || suspect_[access.memory]) continue;
    if (shadows_[access.memory].access(stamps_.clocks, access, moment)) continue;
    suspect_[access.memory] = suspects_any_ = true;
    shadows_[access.memory] = {};
  }
}

}  // namespace millrace::checker
