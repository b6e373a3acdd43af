// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// How many steps actors take: what strategies know from one execution for the next.

#include "steps.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace millrace::sim::exploring {

class StepCounts {
 public:
  void count(const Steps& steps) {
    counts_.clear();
    for (std::size_t step = 0; step < steps.size(); ++step) ++of(steps.actor(step));
  }
  std::uint64_t& of(Actor actor) {
    const auto found = std::ranges::find(counts_, actor, &std::pair<Actor, std::uint64_t>::first);
    if (found != counts_.end()) return found->second;
    return counts_.emplace_back(actor, 0).second;
  }
  void clear() { counts_.clear(); }
  [[nodiscard]] const std::vector<std::pair<Actor, std::uint64_t>>& all() const { return counts_; }

 private:
  std::vector<std::pair<Actor, std::uint64_t>> counts_;  // in order of the first step
};

}  // namespace millrace::sim::exploring
