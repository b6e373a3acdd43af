// SPDX-License-Identifier: Apache-2.0
#include "clocks.hpp"

#include <algorithm>

namespace millrace::checker {

ClockId ClockStore::add(std::span<const Position> positions) {
  words_.insert(words_.end(), positions.begin(), positions.end());
  starts_.push_back(words_.size());
  return static_cast<ClockId>(starts_.size() - 2);
}

void Learner::keep_own() {
  if (changed_) return;
  const std::span<const Position> shared = store_.positions(stamp_.clock);
  positions_.assign(shared.begin(), shared.end());
  changed_ = true;
  raise(stamp_.own);
  raise(stamp_.issuer);
}

void Learner::raise(Epoch point) {
  if (point.chain == no_chain) return;
  if (point.chain >= positions_.size()) positions_.resize(point.chain + std::size_t{1}, 0);
  positions_[point.chain] = std::max(positions_[point.chain], point.position);
}

void Learner::learn(std::span<const Position> positions) {
  if (!changed_) {
    // Most joins add nothing: find that out before anything is copied.
    ChainId chain = 0;
    while (chain < positions.size() && positions[chain] <= at(chain)) ++chain;
    if (chain == positions.size()) return;
    keep_own();
  }
  if (positions.size() > positions_.size()) positions_.resize(positions.size(), 0);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions_[i] = std::max(positions_[i], positions[i]);
  }
}

void Learner::learn_all(const Stamp& stamp) {
  learn(stamp.clock);
  if (knows(stamp.own) && knows(stamp.issuer)) return;
  keep_own();
  raise(stamp.own);
  raise(stamp.issuer);
}

ClockId Learner::finish() { return changed_ ? store_.add(positions_) : stamp_.clock; }

}  // namespace millrace::checker
