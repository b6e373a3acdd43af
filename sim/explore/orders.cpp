// SPDX-License-Identifier: Apache-2.0
//
// Orders to a depth. An actor that goes on only when no other can takes each step after all that
// can come before it: an execution for each actor shows every order of two steps. For three steps
// the third is one that waits longer still: an execution for each pair of an actor and a step; for
// four another step waits even longer.
#include "plan.hpp"
#include "step_counts.hpp"

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace millrace::sim::exploring {
namespace {

class Orders final : public Plan {
 public:
  explicit Orders(int depth) : delays_(static_cast<std::size_t>(depth) - 2) {}

  bool begin() override;
  std::size_t choose(std::span<const Actor> actors, const Steps& past) override;
  bool finds_done() override { return false; }
  void end(const Steps& steps) override;
  [[nodiscard]] double fraction() const override {
    return all_ == 0 ? 0 : static_cast<double>(number_) / static_cast<double>(all_ + 1);
  }
  [[nodiscard]] std::string coverage() const override {
    const std::string what = "all orders to depth " + std::to_string(delays_.size() + 2);
    return varies_ ? what + " of the usual steps; other executions take other steps" : what;
  }
  void save(std::ostream& out) const override;
  bool load(std::istream& in) override;

 private:
  /// A step: its actor's so manieth.
  struct Place {
    Actor actor;
    std::uint64_t number = 0;
  };
  [[nodiscard]] std::size_t level(Actor actor, const StepCounts& taken) const;
  void list_places(const Steps& steps);

  Actor last_;  // of this execution: who waits for all others …
  std::vector<Place>
      delays_;  // … but for these steps, each of which waits longer than those before
  std::vector<Actor> chains_;
  std::vector<Place> places_;
  std::uint64_t number_ = 0;  // of executions begun; the first one is the usual one
  std::uint64_t all_ = 0;
  bool varies_ = false;
  StepCounts taken_;
};

bool Orders::begin() {
  if (number_ > all_) return false;
  if (number_ > 0) {
    std::uint64_t rest = number_ - 1;
    last_ = chains_[rest % chains_.size()];
    rest /= chains_.size();
    for (Place& delay : delays_) {
      delay = places_[rest % places_.size()];
      rest /= places_.size();
    }
  }
  ++number_;
  return true;
}

/// How far behind the others an actor stands.
std::size_t Orders::level(Actor actor, const StepCounts& taken) const {
  std::uint64_t next = 0;
  for (const auto& [other, number] : taken.all()) {
    if (other == actor) next = number;
  }
  for (std::size_t i = delays_.size(); i-- > 0;) {
    if (delays_[i].actor == actor && delays_[i].number == next) return i + 2;
  }
  return actor == last_ ? 1 : 0;
}

std::size_t Orders::choose(std::span<const Actor> actors, const Steps& past) {
  if (number_ == 1 || actors.size() == 1) return 0;
  taken_.count(past);
  std::size_t best = 0;
  for (std::size_t i = 1; i < actors.size(); ++i) {
    if (level(actors[i], taken_) < level(actors[best], taken_)) best = i;
  }
  return best;
}

void Orders::list_places(const Steps& steps) {
  StepCounts counts;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const Actor actor = steps.actor(step);
    places_.push_back({actor, counts.of(actor)++});
  }
  for (const auto& [actor, count] : counts.all()) chains_.push_back(actor);
  all_ = chains_.size();
  for (std::size_t i = 0; i < delays_.size(); ++i) all_ *= places_.size();
}

void Orders::end(const Steps& steps) {
  if (number_ == 1) return list_places(steps);
  varies_ = varies_ || steps.size() != places_.size();
}

void Orders::save(std::ostream& out) const {
  out << number_ - 1 << ' ' << varies_ << ' ' << places_.size();
  for (const Place& place : places_) out << ' ' << place.actor.key << ' ' << place.number;
  out << ' ' << chains_.size();
  for (const Actor actor : chains_) out << ' ' << actor.key;
}

bool Orders::load(std::istream& in) {
  std::size_t places = 0;
  std::size_t chains = 0;
  in >> number_ >> varies_ >> places;
  for (std::size_t i = 0; i < places && in; ++i) {
    Place& place = places_.emplace_back();
    in >> place.actor.key >> place.number;
  }
  in >> chains;
  for (std::size_t i = 0; i < chains && in; ++i) in >> chains_.emplace_back().key;
  all_ = chains_.size();
  for (std::size_t i = 0; i < delays_.size(); ++i) all_ *= places_.size();
  return static_cast<bool>(in) && (number_ == 0 || all_ > 0);
}

}  // namespace

std::unique_ptr<Plan> make_orders(int depth) { return std::make_unique<Orders>(depth); }

}  // namespace millrace::sim::exploring
