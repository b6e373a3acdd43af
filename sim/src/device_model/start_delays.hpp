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

inline WorkClass work_class(OperationKind kind, const Demand& demand) {
  switch (kind) {
    case OperationKind::kernel:
      return WorkClass::compute;
    case OperationKind::fill:
      return WorkClass::fill;
    case OperationKind::copy:
      return demand.path == Path::on_device ? WorkClass::compute : WorkClass::copy;
    case OperationKind::record:
      return demand.timed ? WorkClass::timed_record : WorkClass::record;
    case OperationKind::wait:
      return WorkClass::wait;
    case OperationKind::host_function:
      return WorkClass::host_function;
    default:
      return WorkClass::other;
  }
}

class Delays {
 public:
  explicit Delays(const StartDelays& delays);

  /// From the end of the call on.
  [[nodiscard]] Duration latency(WorkClass work, Path path) const {
    return path == Path::on_device ? device_copy_ : latencies_[static_cast<std::size_t>(work)];
  }
  /// From the end of the operation before it on, in the same graph or not.
  [[nodiscard]] Duration gap(WorkClass before, WorkClass work) const {
    return gaps_[static_cast<std::size_t>(before)][static_cast<std::size_t>(work)];
  }
  [[nodiscard]] Duration in_graph() const { return in_graph_; }

 private:
  Duration device_copy_;
  Duration in_graph_;
  std::array<Duration, work_classes> latencies_{};
  std::array<std::array<Duration, work_classes>, work_classes> gaps_{};
};

}  // namespace millrace::sim
