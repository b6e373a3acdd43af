// SPDX-License-Identifier: Apache-2.0
#include "causality.hpp"

#include <algorithm>

namespace millrace::sim::exploring {

void Causality::begin(const Steps& steps) {
  const std::size_t size = steps.size();
  processes_.clear();
  process_.resize(size);
  place_.resize(size);
  for (std::size_t step = 0; step < size; ++step) process_[step] = process_of(steps.actor(step));
  width_ = processes_.size();
  clocks_.assign(size * width_, 0);
  enabling_.assign(width_ * width_, 0);
  latest_.assign(width_, -1);
  races_.clear();
  things_.clear();
  states_used_ = 0;
}

std::uint32_t Causality::process_of(Actor actor) {
  const auto found = std::ranges::find(processes_, actor);
  if (found == processes_.end()) {
    processes_.push_back(actor);
    return static_cast<std::uint32_t>(processes_.size() - 1);
  }
  return static_cast<std::uint32_t>(found - processes_.begin());
}

Causality::State& Causality::state_of(const Contact& contact) {
  for (const auto& [thing, number] : things_) {
    if (thing.same_thing(contact)) return states_[number];
  }
  things_.emplace_back(contact, states_used_);
  if (states_used_ == states_.size()) states_.emplace_back();
  State& fresh = states_[states_used_++];
  fresh.written = -1;
  fresh.read.clear();
  fresh.added.clear();
  fresh.released.clear();
  return fresh;
}

void Causality::join(std::uint32_t* to, const std::uint32_t* from) const {
  for (std::size_t i = 0; i < width_; ++i) to[i] = std::max(to[i], from[i]);
}

/// Who can go on after a step, and could not before, comes after it.
void Causality::enable(std::size_t by, std::span<const Actor> before,
                       std::span<const Actor> after) {
  for (const Actor actor : after) {
    if (std::ranges::find(before, actor) != before.end()) continue;
    const auto process = std::ranges::find(processes_, actor);
    if (process == processes_.end()) continue;  // never does
    const auto number = static_cast<std::size_t>(process - processes_.begin());
    join(enabling_.data() + number * width_, clock(by));
  }
}

/// Whether one waits for such a thing in order to take it: then what let it go on is no reason for
/// the order in which two take it.
constexpr bool is_taken(Thing thing) { return thing == Thing::lock || thing == Thing::server; }

void Causality::take(const Steps& steps, std::size_t step) {
  const std::uint32_t self = process_[step];
  std::uint32_t* const own = clock(step);
  if (latest_[self] >= 0) {
    join(own, clock(static_cast<std::size_t>(latest_[self])));
    place_[step] = place_[static_cast<std::size_t>(latest_[self])] + 1;
  } else {
    place_[step] = 1;
  }
  latest_[self] = static_cast<std::int64_t>(step);
  own[self] = place_[step];

  known_.assign(own, own + width_);
  for (const Contact& contact : steps.contacts(step)) {
    if (is_taken(contact.thing)) meet(step, contact, own);
  }
  join(own, enabling_.data() + self * width_);
  known_.assign(own, own + width_);
  for (const Contact& contact : steps.contacts(step)) {
    if (!is_taken(contact.thing)) meet(step, contact, own);
  }
  for (const Contact& contact : steps.contacts(step)) leave(step, contact);
}

void Causality::meet(std::size_t step, const Contact& contact, std::uint32_t* own) {
  if (contact.how == Touch::release) return;
  const State& state = state_of(contact);
  const auto one = [&](std::uint32_t earlier) {
    if (process_[earlier] == process_[step]) return;
    meet_one(step, earlier, known_.data());
    join(own, clock(earlier));
  };
  if (state.written >= 0) one(static_cast<std::uint32_t>(state.written));
  if (contact.how != Touch::read) std::ranges::for_each(state.read, one);
  if (contact.how != Touch::add) std::ranges::for_each(state.added, one);
  if (!state.released.empty()) join(own, state.released.data());
}

void Causality::meet_one(std::size_t step, std::uint32_t earlier, const std::uint32_t* known) {
  if (known[process_[earlier]] >= place_[earlier]) return;
  const auto later = static_cast<std::uint32_t>(step);
  const bool is_known =
      !races_.empty() && races_.back().later == later && races_.back().earlier == earlier;
  if (!is_known) races_.push_back({earlier, later});
}

void Causality::leave(std::size_t step, const Contact& contact) {
  State& state = state_of(contact);
  const auto self = static_cast<std::uint32_t>(step);
  switch (contact.how) {
    case Touch::write:
      state.written = self;
      state.read.clear();
      state.added.clear();
      break;
    case Touch::read:
      state.read.push_back(self);
      break;
    case Touch::add:
      state.added.push_back(self);
      break;
    case Touch::release:
      state.released.assign(clock(step), clock(step) + width_);
      break;
  }
}

}  // namespace millrace::sim::exploring
