// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Chain clocks. A chain is a sequence of steps each of which ends before the next one starts: a
/// stream, a host thread, or several of them one after the other. What a step knows is one position
/// a chain: everything up to there is over before the step starts.
///
/// Knowing is closed: who knows a point also knows all that the step at that point knew.

#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace millrace::checker {

using ChainId = std::uint32_t;
using Position = std::uint32_t;  ///< from 1 on; 0 is before everything
inline constexpr ChainId no_chain = none;

/// A point of a chain.
struct Epoch {
  ChainId chain = no_chain;
  Position position = 0;

  friend constexpr bool operator==(Epoch, Epoch) = default;
};

/// A list of positions in a ClockStore. Clocks never change, so that steps share them.
using ClockId = std::uint32_t;
inline constexpr ClockId empty_clock = 0;

/// What a step knows: a shared clock, and two components of its own, because they differ from step
/// to step: its own place, and for operations the host call that enqueued it.
struct Stamp {
  ClockId clock = empty_clock;
  Epoch own;
  Epoch issuer;
};

/// All clocks of a run, one behind the other.
class ClockStore {
 public:
  ClockId add(std::span<const Position> positions);
  [[nodiscard]] std::size_t size() const { return starts_.size() - 1; }
  [[nodiscard]] std::size_t words() const { return words_.size(); }

  [[nodiscard]] std::span<const Position> positions(ClockId clock) const {
    return {words_.data() + starts_[clock], starts_[clock + 1] - starts_[clock]};
  }
  [[nodiscard]] Position at(ClockId clock, ChainId chain) const {
    const std::size_t start = starts_[clock];
    return chain < starts_[clock + 1] - start ? words_[start + chain] : 0;
  }
  [[nodiscard]] Position at(const Stamp& stamp, ChainId chain) const {
    if (chain == stamp.own.chain) return stamp.own.position;
    const Position shared = at(stamp.clock, chain);
    return chain == stamp.issuer.chain && stamp.issuer.position > shared ? stamp.issuer.position
                                                                         : shared;
  }
  /// Whether what is at that point is over when the step of the stamp starts.
  [[nodiscard]] bool knows(const Stamp& stamp, Epoch point) const {
    return at(stamp, point.chain) >= point.position;
  }

 private:
  std::vector<Position> words_;
  std::vector<std::size_t> starts_{0, 0};  // the empty clock is there from the start
};

/// A clock in the making: starts from a stamp, learns, and becomes a shared clock again, a new one
/// only if there was something to learn. One object serves many clocks, one after the other.
class Learner {
 public:
  explicit Learner(ClockStore& store) : store_(store) {}

  void begin(const Stamp& stamp) {
    stamp_ = stamp;
    changed_ = false;
  }
  [[nodiscard]] Position at(ChainId chain) const {
    if (!changed_) return store_.at(stamp_, chain);
    return chain < positions_.size() ? positions_[chain] : 0;
  }
  [[nodiscard]] bool knows(Epoch point) const { return at(point.chain) >= point.position; }

  /// All that the step of this stamp knows, and that it is over itself.
  void learn(const Stamp& stamp) {
    if (!knows(stamp.own)) learn_all(stamp);
  }
  /// The same for stamps that know more than who knows their own point must know.
  void learn_all(const Stamp& stamp);
  void learn(std::span<const Position> positions);
  void learn(ClockId clock) {
    if (clock != stamp_.clock) learn(store_.positions(clock));
  }
  /// Puts the stamp's own two components among the shared ones.
  void keep_own();

  /// The clock reached. Without `keep_own`, and with nothing to learn, that is the shared clock of
  /// the stamp it began with, without the two components.
  ClockId finish();

 private:
  void raise(Epoch point);

  ClockStore& store_;
  Stamp stamp_;
  bool changed_ = false;
  std::vector<Position> positions_;  // once changed
};

}  // namespace millrace::checker
