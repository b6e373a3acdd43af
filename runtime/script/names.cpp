// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>

namespace millrace::script {

Index Names::declare(const Thing& thing) {
  const auto index = static_cast<Index>(things_.size());
  things_.push_back(thing);
  states_.push_back(State::lives);
  if (thing.name >= by_symbol_.size()) {
    by_symbol_.resize(std::max<std::size_t>(thing.name + 1, by_symbol_.size() * 2), nothing);
  }
  by_symbol_[thing.name] = index;
  return index;
}

Index Names::give(Thing thing, Place place) {
  Index index = find(thing.name);
  if (index == nothing || things_[index].kind != thing.kind) {
    index = declare(thing);
    states_[index] = State::absent;
  }
  things_[index].bytes = thing.bytes;
  change(index, State::lives, true, place);
  return index;
}

void Names::release(Index thing) { change(thing, State::gone, false, {}); }

void Names::change(Index thing, State state, bool gives, Place place) {
  changes_.push_back({thing, states_[thing], gives, place});
  states_[thing] = state;
}

void Names::undo_last() {
  while (changes_.size() > last_changes_) {
    states_[changes_.back().thing] = changes_.back().before;
    changes_.pop_back();
  }
}

Names::Branch Names::set_aside(Mark begin) {
  Branch branch;
  for (std::size_t i = changes_.size(); i-- > begin;) {
    const Change& change = changes_[i];
    // Going back in time, the first change met of a thing left it as it is at the branch's end.
    branch.emplace_back(change.thing, static_cast<std::uint8_t>(states_[change.thing]));
    states_[change.thing] = change.before;
  }
  return branch;
}

void Names::merge(const Branch& branch, Mark begin) {
  // A thing's first entry in `branch` is how the first part left it. What only the second part
  // changed, the first part left as it was before.
  ++searches_;
  seen_.resize(states_.size());
  for (const auto& [thing, left] : branch) {
    if (seen_[thing] == searches_) continue;
    seen_[thing] = searches_;
    if (states_[thing] != static_cast<State>(left)) states_[thing] = State::perhaps;
  }
  for (std::size_t i = begin; i < changes_.size(); ++i) {
    const Change& change = changes_[i];
    if (seen_[change.thing] == searches_) continue;
    seen_[change.thing] = searches_;
    if (states_[change.thing] != change.before) states_[change.thing] = State::perhaps;
  }
}

std::optional<Names::Clash> Names::clash_in_loop(Mark begin) {
  ++searches_;
  seen_.resize(states_.size());
  for (std::size_t i = begin; i < changes_.size(); ++i) {
    const Change& change = changes_[i];
    if (seen_[change.thing] == searches_) continue;
    seen_[change.thing] = searches_;
    if (change.gives && lives(change.thing)) return Clash{change.thing, change.place};
  }
  return std::nullopt;
}

}  // namespace millrace::script
