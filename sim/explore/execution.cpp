// SPDX-License-Identifier: Apache-2.0
#include "execution.hpp"

#include <algorithm>

namespace millrace::sim::exploring {

void Execution::clear() {
  steps_.clear();
  choices_.clear();
  seen_.clear();
  given_up_ = cut_off_ = false;
}

/// The ways begin with the actor that went on last, so that the usual run switches only when it
/// must.
std::size_t Execution::choose(std::span<const Actor> actors) {
  if (steps_.size() == max_steps_) {
    cut_off_ = given_up_ = true;
    return no_one;
  }
  ways_.assign(actors.begin(), actors.end());
  if (steps_.size() > 0) {
    const auto last = std::ranges::find(ways_, steps_.actor(steps_.size() - 1));
    if (last != ways_.end()) std::rotate(ways_.begin(), last, std::next(last));
  }
  const std::size_t way = plan_.choose(ways_, steps_);
  if (way == no_one) {
    given_up_ = true;
    return no_one;
  }
  if (ways_.size() > 1) choices_.push_back(static_cast<std::uint32_t>(way));
  steps_.begin(ways_[way]);
  return static_cast<std::size_t>(std::ranges::find(actors, ways_[way]) - actors.begin());
}

bool Execution::finds_done() {
  const bool done = plan_.finds_done();
  choices_.push_back(done ? 1 : 0);
  return done;
}

void Execution::observe(std::uint32_t thread, std::string_view text) {
  seen_.push_back({thread, std::string(text)});
}

std::string Execution::observed() const {
  std::vector<const Seen*> in_order;
  for (const Seen& one : seen_) in_order.push_back(&one);
  std::ranges::stable_sort(in_order, {}, &Seen::thread);
  std::string text;
  for (const Seen* const one : in_order) text.append(text.empty() ? "" : ", ").append(one->text);
  return text;
}

std::uint64_t Execution::fingerprint() const {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100'0000'01b3U; };
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    add(steps_.actor(step).key);
    for (const Contact& contact : steps_.contacts(step)) {
      add(static_cast<std::uint64_t>(contact.thing) << 8U |
          static_cast<std::uint64_t>(contact.how));
      // Names and what lives outside of runs are numbered anew in every process.
      if (contact.id >> 32U == 0) add(contact.id);
    }
  }
  return hash ^ (hash >> 32U);
}

}  // namespace millrace::sim::exploring
