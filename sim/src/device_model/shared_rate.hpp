// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Something that several transfers use at once, each going on at the same rate.

#include "demand.hpp"

#include <cstdint>
#include <vector>

namespace millrace::sim {

/// All arithmetic is in whole numbers: what is left of a transfer counts in 1/65536 ns at full
/// speed, so that a run's result does not depend on a machine's floating point.
class SharedRate {
 public:
  /// A transfer that takes `work` alone joins; when all are told their ends anew: see `ends`.
  void join(std::uint32_t slot, Duration work, Time now);
  void leave(std::uint32_t slot, Time now);
  /// From now on, everything takes `slowdown` per mille of its time.
  void set_slowdown(std::int64_t slowdown, Time now) {
    if (slowdown != slowdown_) change_slowdown(slowdown, now);
  }

  [[nodiscard]] std::size_t size() const { return transfers_.size(); }
  /// Calls `tell(slot, end)` for each transfer if the rate has changed since it was last told.
  template <typename Tell>
  void tell_ends(Tell tell) {
    if (!changed_) return;
    changed_ = false;
    for (const Transfer& transfer : transfers_) tell(transfer.slot, end_of(transfer));
  }
  void clear() { transfers_.clear(); }

 private:
  struct Transfer {
    std::uint32_t slot = no_slot;
    std::int64_t left = 0;
  };
  void account(Time now);
  void change_slowdown(std::int64_t slowdown, Time now);
  [[nodiscard]] Time end_of(const Transfer& transfer) const;

  std::vector<Transfer> transfers_;  // in order of joining
  std::int64_t slowdown_ = 1000;
  Time accounted_{};
  bool changed_ = false;
};

}  // namespace millrace::sim
