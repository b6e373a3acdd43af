// SPDX-License-Identifier: Apache-2.0
#include "fiber_hosts.hpp"

#include <millrace/error.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace millrace::sim {
namespace {

/// The heap's top is the one that goes first.
bool goes_after(const HostFiber* a, const HostFiber* b) {
  if (a->clock != b->clock) return a->clock > b->clock;
  if (a->serves != b->serves) return b->serves;
  return a->index > b->index;
}

}  // namespace

// Whose turn it is.

void FiberHosts::make_ready(HostFiber& fiber, Time at) {
  fiber.clock = std::max(fiber.clock, at);
  fiber.state = HostFiber::State::ready;
  if (chooser_ != nullptr) return;
  ready_.push_back(&fiber);
  std::push_heap(ready_.begin(), ready_.end(), goes_after);
}

/// Who goes on next, after as much time as that takes; null when nobody can.
HostFiber* FiberHosts::choose() {
  if (chooser_ != nullptr) return choose_freely();
  while (!given_up_) {
    settle();
    const Time happening = next_happening();
    const Time next = ready_.empty() ? happening : std::min(happening, ready_.front()->clock);
    if (hear_before(next)) continue;
    if (!ready_.empty() && ready_.front()->clock < happening) {
      if (ready_.front()->clock > earliest_poller()) {
        wake_pollers(ready_.front()->clock);  // time goes on for them too
        continue;
      }
      std::pop_heap(ready_.begin(), ready_.end(), goes_after);
      HostFiber* const first = ready_.back();
      ready_.pop_back();
      ++activity_;
      return first;
    }
    if (happening == Time::never()) {
      const News enough = polling_.empty() ? News::needed : News::asked_for;
      if (clockwork_->awaited_news() < enough) return first_poller();
      hear();
      continue;
    }
    advance(happening);
  }
  return choose_to_unwind();
}

Time FiberHosts::earliest_poller() const {
  Time earliest = Time::never();
  for (const HostFiber* const fiber : polling_) earliest = std::min(earliest, fiber->clock);
  return earliest;
}

void FiberHosts::wake_pollers(Time at) {
  for (HostFiber* const fiber : polling_) make_ready(*fiber, at);
  polling_.clear();
}

HostFiber* FiberHosts::first_poller() {
  if (polling_.empty()) return nullptr;
  HostFiber* const first = polling_.front();
  polling_.pop_front();
  return first;
}

/// The youngest first: it is likely to use what older ones own, and the main thread most of all.
HostFiber* FiberHosts::choose_to_unwind() {
  HostFiber* lingering = nullptr;
  for (auto it = living_.rbegin(); it != living_.rend(); ++it) {
    HostFiber& fiber = **it;
    if (fiber.state == HostFiber::State::away) continue;
    if (finishing_ && fiber.index == 0) continue;
    const HostFiber* const other = fiber.lingers_for;
    if (other == nullptr || other->state == HostFiber::State::ended) return &fiber;
    if (lingering == nullptr) lingering = &fiber;
  }
  if (lingering == nullptr && living_.size() == 1) return living_.front();
  return lingering;
}

/// Whether threads must run before `self` has its turn. Handles the devices' events up to then.
bool FiberHosts::others_come_before(const HostFiber& self) {
  while (!given_up_) {
    if (hear_before(self.clock)) continue;
    const HostFiber* const first = ready_.empty() ? nullptr : ready_.front();
    const Time happening = next_happening();
    const bool behind =
        first != nullptr && (first->clock < self.clock ||
                             (first->clock == self.clock && first->serves && !self.serves));
    if (behind && first->clock < happening) return true;
    if (earliest_poller() < std::min(self.clock, happening)) return true;
    if (happening > self.clock) return false;
    advance(happening);
  }
  return true;
}

/// The caller has said in its state why it does not go on. Returns when it is its turn again.
void FiberHosts::pass_turn(HostFiber& self) {
  HostFiber* next = choose();
  if (next == nullptr && away_ == 0 && !given_up_) {
    give_up_in_deadlock();
    next = choose();
  }
  if (next == nullptr) return scheduler_->switch_away();  // some are away and may come back
  enter(*next);
  if (next != &self) scheduler_->switch_to(*next);
}

void FiberHosts::enter(HostFiber& fiber) {
  fiber.state = HostFiber::State::running;
  fiber.begun = true;
  running_ = &fiber;
  exchange_host_thread(fiber.runtime.get());
  progress_.step();
  progress_.runs(fiber.index, fiber.text, fiber.started);
}

// What the scheduler of the fibers asks and tells.

Fiber* FiberHosts::next() noexcept {
  HostFiber* chosen = choose();
  if (chosen == nullptr && away_ == 0 && !given_up_) {
    give_up_in_deadlock();
    chosen = choose();
  }
  if (chosen != nullptr) enter(*chosen);
  return chosen;
}

void FiberHosts::left(bool ended) noexcept {
  if (running_->state != HostFiber::State::running) return;  // it said why
  if (ended) return end(*running_);
  running_->state = HostFiber::State::away;
  ++away_;
}

void FiberHosts::woken(Fiber& fiber, bool yielded) noexcept {
  auto& host = static_cast<HostFiber&>(fiber);
  if (host.state == HostFiber::State::away) --away_;
  if (given_up_) {
    host.state = HostFiber::State::ready;
  } else if (yielded && host.begun) {
    host.state = HostFiber::State::polling;  // else it could ask for ever, and time stand still
    polling_.push_back(&host);
  } else {
    if (host.begun && &host != running_) {
      order(*running_, next_call(), host, next_call(), DependencyKind::thread_join);
    }
    make_ready(host, now());
  }
}

Fiber& FiberHosts::adopt() noexcept {
  HostFiber& adopted = add_thread({}, running_->started);
  order(*running_, next_call(), adopted, next_call(), DependencyKind::thread_start);
  return adopted;
}

void FiberHosts::dispatched(Fiber& fiber) noexcept {
  --away_;
  enter(static_cast<HostFiber&>(fiber));
}

void FiberHosts::nobody() noexcept {
  if (given_up_) die_stuck();
  give_up_in_deadlock();
}

// Time.

Time FiberHosts::next_happening() const {
  Time next = clockwork_->next_event();
  if (deadlines_ > 0) {
    for (const HostFiber* const fiber : waiting_) next = std::min(next, fiber->waiting->deadline);
  }
  for (const HostFiber* const fiber : polling_) next = std::min(next, fiber->polls_until);
  return next;
}

/// Lets everything up to `to` happen, and sees who can go on by that.
void FiberHosts::advance(Time to) {
  if (to > latest_) return give_up_too_late();
  progress_.step();
  progress_.in_operation(true);
  advancing_ = true;
  advanced_to_ = to;
  try {
    if (clockwork_->next_event() <= to) clockwork_->advance_to(to);
  } catch (...) {
    give_up(std::current_exception());
  }
  advancing_ = false;
  progress_.in_operation(false);
  changed(to);
  settle();
}

void FiberHosts::changed(Time at) {
  changed_at_ = changed_ ? std::max(changed_at_, at) : at;
  changed_ = true;
}

/// Asks those that wait whether they can go on, after something changed.
void FiberHosts::settle() {
  if (!std::exchange(changed_, false) || given_up_ || chooser_ != nullptr) return;
  ++activity_;
  std::size_t kept = 0;
  for (HostFiber* const fiber : waiting_) {
    Waiting& waiting = *fiber->waiting;
    if (!waiting.ready() && waiting.deadline > changed_at_) {
      waiting_[kept++] = fiber;
      continue;
    }
    if (waiting.deadline != Time::never()) --deadlines_;
    make_ready(*fiber, changed_at_);
  }
  waiting_.resize(kept);
  wake_pollers(changed_at_);
}

// What host threads ask for.

bool FiberHosts::may_go_on() {
  progress_.step();
  if (!given_up_) return true;
  if (std::uncaught_exceptions() > running_->uncaught_at_start) return false;
  throw RunStopped{};
}

void FiberHosts::spend(Duration cost, std::unique_lock<std::mutex>&) {
  if (!may_go_on()) return;
  settle();
  HostFiber& self = *running_;
  self.clock = self.clock + cost;
  if (self.clock > latest_) give_up_too_late();
  if (chooser_ != nullptr) {
    if (cost == Duration{0}) take_turn();
    may_go_on();
    return;
  }
  if (!others_come_before(self)) return;
  if (!given_up_) {
    make_ready(self, self.clock);
    pass_turn(self);
  }
  may_go_on();
}

void FiberHosts::wait(Waiting& waiting, std::unique_lock<std::mutex>&) {
  if (!may_go_on()) return;
  settle();
  if (chooser_ != nullptr) return wait_freely(waiting);
  HostFiber& self = *running_;
  if (waiting.ready() || waiting.deadline <= self.clock) return;
  self.waiting = &waiting;
  self.state = HostFiber::State::waiting;
  waiting_.push_back(&self);
  if (waiting.deadline != Time::never()) ++deadlines_;
  pass_turn(self);
  self.waiting = nullptr;
  may_go_on();
}

bool FiberHosts::idle(Time deadline, std::unique_lock<std::mutex>&) {
  if (!may_go_on()) return false;
  settle();
  HostFiber& self = *running_;
  const std::uint64_t before = activity_;
  self.state = HostFiber::State::polling;
  self.polls_until = deadline;
  self.rests_since = activity_;
  polling_.push_back(&self);
  pass_turn(self);
  self.polls_until = Time::never();
  if (!may_go_on()) return false;
  if (activity_ != before) {
    self.fruitless_polls = 0;
  } else if (++self.fruitless_polls == fruitless_polls_allowed) {
    give_up_in_deadlock();
    may_go_on();
  }
  return self.fruitless_polls == 0;
}

void FiberHosts::linger_for(const HostFiber& thread) {
  if (thread.state == HostFiber::State::ended) return;
  HostFiber& self = *running_;
  self.lingers_for = &thread;
  self.state = HostFiber::State::waiting;
  pass_turn(self);
  self.lingers_for = nullptr;
}

void FiberHosts::join(HostFiber& thread, Waiting& waiting) {
  std::unique_lock<std::mutex> lock;
  try {
    if (chooser_ != nullptr) {
      take_turn(&waiting);
    } else {
      wait(waiting, lock);
    }
  } catch (const RunStopped&) {
    linger_for(thread);
    throw;
  }
  if (given_up_) linger_for(thread);
}

}  // namespace millrace::sim
