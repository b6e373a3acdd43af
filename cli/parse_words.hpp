// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Words of the command line.

#include <millrace/time.hpp>

#include <string>

namespace millrace::cli {

/// "10ms", "1.5us", "200ns", "2s". Throws CLI::ValidationError, which says what is wrong.
Duration parse_duration(const std::string& text);

}  // namespace millrace::cli
