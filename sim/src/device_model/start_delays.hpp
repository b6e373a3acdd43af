// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// How long until an operation starts: from its call on, and behind other work.

#include "../profile.hpp"
#include "demand.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace millrace::sim {

/// What the front ends of the device tell apart.
enum class WorkClass : std::uint8_t {
  compute,
  fill,
  copy,
  record,
  timed_record,
  wait,
  host_function,
  other
};
inline constexpr std::size_t work_classes = 8;

WorkClass work_class(OperationKind kind, const Demand& demand);

class Delays {
 public:
  explicit Delays(const StartDelays& delays);

  /// From the end of the call on.
  [[nodiscard]] Duration latency(WorkClass work, Path path) const;
  /// From the end of the operation before it on, in the same graph or not.
  [[nodiscard]] Duration gap(WorkClass before, WorkClass work) const {
    return gaps_[static_cast<std::size_t>(before)][static_cast<std::size_t>(work)];
  }
  [[nodiscard]] Duration in_graph() const { return delays_.kernel_in_graph; }

 private:
  StartDelays delays_;
  std::array<std::array<Duration, work_classes>, work_classes> gaps_{};
};

}  // namespace millrace::sim
