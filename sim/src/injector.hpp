// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Decides which operations the run's injected faults hit.

#include "device_model/demand.hpp"

#include <millrace/inject.hpp>
#include <millrace/name.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace millrace::sim {

/// Throws Error{InvalidValue} for what a machine of so many devices cannot meet.
void check(const Injection& injection, int devices);

class Injector {
 public:
  explicit Injector(const Injection& injection);

  [[nodiscard]] bool fails_any() const { return !failures_.empty(); }
  /// One more operation is enqueued; the fault that it meets, or null.
  const FailedOperation* enqueued(std::string_view name);
  [[nodiscard]] Duration slowed(Duration duration, Path path, int device) const;

 private:
  struct Counted {
    FailedOperation what;
    std::uint64_t seen = 0;
  };
  std::vector<Counted> failures_;
  std::vector<SlowEngine> slow_;
};

}  // namespace millrace::sim
