// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A device's timing.

#include <millrace/time.hpp>

#include <string>

namespace millrace::sim {

struct Profile {
  std::string name = "ideal";
  Duration default_operation{10'000};  ///< kernels, copies, fills and calls that name no cost
};

/// A profile by name or file. Throws Error{NotSupported} for known ones that are not there yet,
/// Error{InvalidValue} naming those that are for unknown ones.
Profile find_profile(const std::string& name);

}  // namespace millrace::sim
