// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A quick look at all accesses of a run that says which memory is worth a close one. Needs no more
/// than the shadows of the live memory, so that it can follow a run of any length.

#include "shadow.hpp"
#include "steps.hpp"
#include "turns.hpp"

#include <millrace/trace.hpp>

#include <vector>

namespace millrace::checker {

class Screen {
 public:
  Screen(const Steps& steps, const Stamps& stamps);

  /// The steps in the order in which they happened, each after it was stamped.
  void feed(Step step);
  /// Whether some two accesses to this memory, or an access and its life, are in conflict.
  [[nodiscard]] bool suspects(TraceIndex memory) const { return suspect_[memory]; }
  [[nodiscard]] bool suspects_any() const { return suspects_any_; }

 private:
  void feed(Turn turn);

  const Steps& steps_;
  const Stamps& stamps_;
  std::vector<Shadow> shadows_;
  std::vector<bool> suspect_;
  bool suspects_any_ = false;
};

}  // namespace millrace::checker
