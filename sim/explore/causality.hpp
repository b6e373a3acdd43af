// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Which steps of an execution come after which, whatever the order in which they were taken; and
/// which pairs of them could have been taken the other way round.

#include "steps.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace millrace::sim::exploring {

/// Vector clocks over the steps of one execution. Keeps its memory from one to the next.
class Causality {
 public:
  /// Two steps of different actors that depend on each other, with nothing in between that says
  /// they must come in this order.
  struct Race {
    std::uint32_t earlier;
    std::uint32_t later;
  };

  /// `enabled(step)` are the actors that could have taken that step.
  template <typename Enabled>
  void follow(const Steps& steps, Enabled enabled) {
    begin(steps);
    for (std::size_t step = 0; step < steps.size(); ++step) {
      if (step > 0) enable(step - 1, enabled(step - 1), enabled(step));
      take(steps, step);
    }
  }

  /// In order of the later step.
  [[nodiscard]] const std::vector<Race>& races() const { return races_; }
  /// Whether `a` comes before `b` in every execution that is equal to this one; a < b.
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const {
    return clock(b)[process_[a]] >= place_[a];
  }
  [[nodiscard]] std::uint32_t process(std::size_t step) const { return process_[step]; }

 private:
  struct State {  // of a thing
    std::int64_t written = -1;
    std::vector<std::uint32_t> read;
    std::vector<std::uint32_t> added;
    std::vector<std::uint32_t> released;  // a clock
  };

  void begin(const Steps& steps);
  void enable(std::size_t by, std::span<const Actor> before, std::span<const Actor> after);
  void take(const Steps& steps, std::size_t step);
  void meet(std::size_t step, const Contact& contact, std::uint32_t* known);
  void meet_one(std::size_t step, std::uint32_t earlier, const std::uint32_t* known);
  void leave(std::size_t step, const Contact& contact);
  std::uint32_t process_of(Actor actor);
  State& state_of(const Contact& contact);
  [[nodiscard]] const std::uint32_t* clock(std::size_t step) const {
    return clocks_.data() + step * width_;
  }
  std::uint32_t* clock(std::size_t step) { return clocks_.data() + step * width_; }
  void join(std::uint32_t* to, const std::uint32_t* from) const;

  std::size_t width_ = 0;                // of a clock
  std::vector<Actor> processes_;         // by number
  std::vector<std::uint32_t> process_;   // by step
  std::vector<std::uint32_t> place_;     // by step: the how manieth of its process, from 1 on
  std::vector<std::uint32_t> clocks_;    // by step
  std::vector<std::int64_t> latest_;     // by process: its latest step
  std::vector<std::uint32_t> enabling_;  // by process: the clock of what let it go on
  std::vector<std::uint32_t> known_;     // what a step knows before it meets anything
  std::vector<Race> races_;
  std::vector<std::pair<Contact, std::size_t>> things_;  // sorted; numbers of states
  std::vector<State> states_;
  std::size_t states_used_ = 0;
};

}  // namespace millrace::sim::exploring
