// SPDX-License-Identifier: Apache-2.0
//
// Explored runs: who goes on is the chooser's to say, not the clocks'. A host thread that is not
// chosen is one that the operating system lets wait, so that every choice is a legal run; clocks
// only see to it that nobody acts before what has been seen already.
#include "fiber_hosts.hpp"

#include <algorithm>
#include <utility>

namespace millrace::sim {

void FiberHosts::take_turn(Waiting* gate) {
  if (chooser_ == nullptr || !may_go_on()) return;
  HostFiber& self = *running_;
  self.waiting = gate;
  self.state = gate == nullptr ? HostFiber::State::ready : HostFiber::State::waiting;
  pass_turn(self);
  self.waiting = nullptr;
  may_go_on();
}

void FiberHosts::wait_freely(Waiting& waiting) {
  HostFiber& self = *running_;
  waiting.demand();
  run_demanded();
  self.clock = std::max(self.clock, frontier_);
  const bool is_end = waiting.background && self.index == 0;  // not before all had their choice
  if (given_up_ || is_end || !waiting.ready()) {
    self.waiting = &waiting;
    self.state = HostFiber::State::waiting;
    pass_turn(self);
    self.waiting = nullptr;
  }
  may_go_on();
}

void FiberHosts::rest(std::unique_lock<std::mutex>& lock) { idle(Time::never(), lock); }

void FiberHosts::told_done(bool done) {
  running_->told_unfinished = done ? 0 : running_->told_unfinished + 1;
}

void FiberHosts::run_demanded() {
  while (!given_up_) {
    const Time next = clockwork_->next_event();
    if (next == Time::never()) return;
    advance(next);
    frontier_ = std::max(frontier_, next);
  }
}

bool FiberHosts::any_ready() const noexcept {
  if (chooser_ == nullptr) return !ready_.empty();
  return std::ranges::any_of(
      living_, [](const HostFiber* fiber) { return fiber->state == HostFiber::State::ready; });
}

HostFiber* FiberHosts::choose_freely() {
  while (!given_up_) {
    run_demanded();
    frontier_ = std::max(frontier_, running_->clock);
    gather_actors();
    if (actors_.empty()) {
      if (clockwork_->demand_rest()) continue;
      return without_actors();
    }
    const std::size_t choice = chooser_->choose(actors_);
    if (choice == Chooser::no_one) {
      give_up(nullptr);
      break;
    }
    ++activity_;
    if (HostFiber* const thread = candidates_[choice]) return let_act(*thread);
    if (HostFiber* const server = start_function(actors_[choice])) return server;
  }
  return choose_to_unwind();
}

/// In order of start, then host functions that could start in order of enqueueing.
void FiberHosts::gather_actors() {
  actors_.clear();
  candidates_.clear();
  for (HostFiber* const fiber : living_) {
    if (!can_act(*fiber)) continue;
    actors_.push_back(fiber->actor);
    candidates_.push_back(fiber);
  }
  clockwork_->startable_functions(actors_);
  candidates_.resize(actors_.size(), nullptr);
}

bool FiberHosts::can_act(const HostFiber& fiber) const {
  switch (fiber.state) {
    case HostFiber::State::ready:
      return true;
    case HostFiber::State::waiting: {
      Waiting& waiting = *fiber.waiting;
      const bool is_end = waiting.background && fiber.index == 0;
      return !is_end && (waiting.deadline != Time::never() || waiting.ready());
    }
    case HostFiber::State::polling:  // after others, or at once where it may be put off again
      return activity_ != fiber.rests_since ||
             (fiber.told_unfinished > 0 && fiber.told_unfinished < unfinished_in_a_row);
    default:
      return false;
  }
}

/// A wait with a deadline ends by that when nothing else has ended it.
HostFiber* FiberHosts::let_act(HostFiber& fiber) {
  if (fiber.state == HostFiber::State::waiting && !fiber.waiting->ready()) {
    frontier_ = std::max(frontier_, fiber.waiting->deadline);
  }
  if (fiber.state == HostFiber::State::polling) std::erase(polling_, &fiber);
  fiber.clock = std::max(fiber.clock, frontier_);
  return &fiber;
}

/// The server that runs it; null when a fault before it has thrown it away.
HostFiber* FiberHosts::start_function(Actor function) {
  serving_now_ = nullptr;
  clockwork_->start_function(function);
  run_demanded();
  HostFiber* const server = std::exchange(serving_now_, nullptr);
  if (server == nullptr || given_up_) return nullptr;
  server->actor = function;
  return let_act(*server);
}

/// Nothing can happen any more but that somebody asks again, or the run ends.
HostFiber* FiberHosts::without_actors() {
  if (HostFiber* const poller = first_poller()) return poller;
  HostFiber& main = *living_.front();
  const bool is_over = main.index == 0 && main.waiting != nullptr && main.waiting->background &&
                       main.waiting->ready();
  return is_over ? &main : nullptr;
}

}  // namespace millrace::sim
