// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Words of the command line.

#include <millrace/time.hpp>

#include <cstdint>
#include <string>

namespace millrace::cli {

// Each throws CLI::ValidationError, which says what is wrong.

/// "10ms", "1.5us", "200ns", "2s"; at most what a run can reach.
Duration parse_duration(const std::string& text);
/// A whole number, the value of `option`.
std::uint64_t parse_count(const std::string& option, const std::string& text);

}  // namespace millrace::cli
