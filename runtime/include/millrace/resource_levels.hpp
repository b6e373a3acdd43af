// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// How full the resources of a trace are over time: occupancy of multiprocessors, operations in
/// hardware queues, copies in engines.

#include <millrace/trace.hpp>

#include <cstdint>
#include <vector>

namespace millrace {

/// So much is held from this time on, until the next one.
struct ResourceLevel {
  std::int64_t at_ns = 0;
  std::uint64_t amount = 0;  ///< in the unit of the resource's kind

  friend bool operator==(const ResourceLevel&, const ResourceLevel&) = default;
};

/// The changes of each of the trace's resources, by its index, in order of time; before the first
/// one nothing is held.
std::vector<std::vector<ResourceLevel>> resource_levels(const Trace& trace);

}  // namespace millrace
