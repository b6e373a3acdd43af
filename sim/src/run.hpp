// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A run before its trace is checked.

#include "chooser.hpp"
#include "profile.hpp"

#include <millrace/backend.hpp>
#include <millrace/sim.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace millrace::sim {

inline constexpr int most_devices = 64;

/// As sim::run, but without findings where the trace is kept. `body` is given the run's machine.
Report run_unchecked(const Options& options, const std::function<void(Backend&)>& body);

/// One execution of an explored program, before its trace is checked.
struct Executed {
  Trace trace;
  Time end_time;
  std::vector<Finding> findings;  ///< a deadlock, where no trace tells of it
};

/// The same with choices of `chooser`. `profile` is that of the options, which must be checked.
Executed execute(const Options& options, const Profile& profile, Chooser& chooser,
                 const std::function<void(Backend&)>& body);

/// Throws Error, on behalf of `call`, for options that no run can have.
void check(const Options& options, const char* call);

/// As crockford(5) = "5", in the digits of Crockford's base 32.
std::string crockford(std::uint64_t value);

}  // namespace millrace::sim
