// SPDX-License-Identifier: Apache-2.0
//
// Strategies that leave choices to chance.
#include "chance.hpp"
#include "plan.hpp"
#include "step_counts.hpp"

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace millrace::sim::exploring {
namespace {

/// So many executions, the first of them the usual one, from which the others know how long they
/// are.
class ByChance : public Plan {
 public:
  ByChance(std::uint64_t seed, std::uint64_t runs) : seed_(seed), runs_(runs) {}

  bool begin() override {
    if (number_ == runs_) return false;
    chance_ = Chance(seed_, number_);
    if (number_++ > 0) prepare();
    return true;
  }
  std::size_t choose(std::span<const Actor> actors, const Steps& past) override {
    if (number_ == 1 || actors.size() == 1) return 0;
    return pick(actors, past);
  }
  bool finds_done() override { return number_ > 1 && chance_.below(2) == 1; }
  void end(const Steps& steps) override {
    if (number_ == 1) usual_.count(steps);
    longest_ = std::max(longest_, steps.size());
  }
  [[nodiscard]] double fraction() const override {
    return static_cast<double>(number_) / static_cast<double>(runs_);
  }
  void save(std::ostream& out) const override {
    out << number_ - 1 << ' ' << longest_ << ' ' << usual_.all().size();
    for (const auto& [actor, count] : usual_.all()) out << ' ' << actor.key << ' ' << count;
  }
  bool load(std::istream& in) override {
    std::size_t actors = 0;
    in >> number_ >> longest_ >> actors;
    for (std::size_t i = 0; i < actors && in; ++i) {
      Actor actor;
      std::uint64_t count = 0;
      in >> actor.key >> count;
      usual_.of(actor) = count;
    }
    return static_cast<bool>(in);
  }

 protected:
  virtual void prepare() = 0;
  virtual std::size_t pick(std::span<const Actor> actors, const Steps& past) = 0;
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

  Chance chance_{0, 0};
  StepCounts usual_;
  std::size_t longest_ = 0;

 private:
  std::uint64_t seed_;
  std::uint64_t runs_;
  std::uint64_t number_ = 0;  // of executions begun
};

class RandomWalk final : public ByChance {
 public:
  RandomWalk(bool weighted, std::uint64_t seed, std::uint64_t runs)
      : ByChance(seed, runs), weighted_(weighted) {}
  [[nodiscard]] std::string coverage() const override {
    return std::to_string(runs()) + " executions by chance";
  }

 private:
  void prepare() override {}
  std::size_t pick(std::span<const Actor> actors, const Steps& past) override {
    if (!weighted_) return static_cast<std::size_t>(chance_.below(actors.size()));
    taken_.count(past);
    std::uint64_t sum = 0;
    for (const Actor actor : actors) sum += left(actor);
    std::uint64_t place = chance_.below(sum);
    for (std::size_t i = 0;; ++i) {
      if (place < left(actors[i])) return i;
      place -= left(actors[i]);
    }
  }
  /// Who has more before it goes on sooner, so that long and short ones mix evenly.
  std::uint64_t left(Actor actor) {
    const std::uint64_t all = usual_.of(actor);
    const std::uint64_t taken = taken_.of(actor);
    return all > taken ? all - taken : 1;
  }

  bool weighted_;
  StepCounts taken_;
};

/// Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic
/// guarantees of finding bugs, ASPLOS 2010.
class Pct final : public ByChance {
 public:
  Pct(int depth, std::uint64_t seed, std::uint64_t runs) : ByChance(seed, runs), depth_(depth) {}
  [[nodiscard]] std::string coverage() const override {
    const std::string n = std::to_string(std::max<std::size_t>(usual_.all().size(), 1));
    return std::to_string(runs()) + " executions, each with a chance of at least 1/(" + n + "*" +
           std::to_string(longest_) + "^" + std::to_string(depth_ - 1) +
           ") to show a bug of depth " + std::to_string(depth_);
  }

 private:
  void prepare() override {
    priorities_.clear();
    changes_.clear();
    for (int i = 1; i < depth_; ++i) {
      changes_.emplace_back(chance_.below(std::max<std::size_t>(longest_, 1)),
                            static_cast<std::uint64_t>(i));
    }
  }
  /// The highest priority goes on; at each point of change the one that would falls below all.
  std::size_t pick(std::span<const Actor> actors, const Steps& past) override {
    for (const auto& [step, low] : changes_) {
      if (step == past.size()) priority(actors[highest(actors)]) = low;
    }
    return highest(actors);
  }
  std::size_t highest(std::span<const Actor> actors) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < actors.size(); ++i) {
      if (priority(actors[i]) > priority(actors[best])) best = i;
    }
    return best;
  }
  std::uint64_t& priority(Actor actor) {
    std::uint64_t& known = priorities_.of(actor);
    if (known == 0) known = (chance_.next() >> 8U) + static_cast<std::uint64_t>(depth_);
    return known;
  }

  int depth_;
  StepCounts priorities_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> changes_;  // at that step, to that priority
};

}  // namespace

std::unique_ptr<Plan> make_random_walk(bool weighted, std::uint64_t seed, std::uint64_t runs) {
  return std::make_unique<RandomWalk>(weighted, seed, runs);
}

std::unique_ptr<Plan> make_pct(int depth, std::uint64_t seed, std::uint64_t runs) {
  return std::make_unique<Pct>(depth, seed, runs);
}

}  // namespace millrace::sim::exploring
