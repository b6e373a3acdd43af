// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A run before its trace is checked.

#include <millrace/backend.hpp>
#include <millrace/sim.hpp>

#include <functional>

namespace millrace::sim {

inline constexpr int most_devices = 64;

/// As sim::run, but without findings where the trace is kept. `body` is given the run's machine.
Report run_unchecked(const Options& options, const std::function<void(Backend&)>& body);

}  // namespace millrace::sim
