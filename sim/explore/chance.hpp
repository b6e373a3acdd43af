// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Random numbers that are the same everywhere: SplitMix64 (Steele, Lea, Flood, 2014).

#include <cstdint>

namespace millrace::sim::exploring {

class Chance {
 public:
  /// Each pair is a sequence of its own.
  Chance(std::uint64_t seed, std::uint64_t number) : state_(seed) { state_ ^= next() + number; }

  std::uint64_t next() {
    state_ += 0x9e37'79b9'7f4a'7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return mixed ^ (mixed >> 31U);
  }
  /// From 0 to `bound` - 1; the bias is below bound/2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace millrace::sim::exploring
