// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Words of the command line.

#include <millrace/check.hpp>
#include <millrace/inject.hpp>
#include <millrace/time.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::cli {

// Each throws CLI::ValidationError, which says what is wrong.

/// "10ms", "1.5us", "200ns", "2s", the value of `option`; at most what a run can reach.
Duration parse_duration(const std::string& option, const std::string& text);
/// A whole number, the value of `option`.
std::uint64_t parse_count(const std::string& option, const std::string& text);

/// A fault as in sim::add_injection. Throws CLI::ValidationError, which says what is wrong.
void parse_injection(const std::string& text, sim::Injection& to);

/// Lints by name, and "all". Throws CLI::ValidationError for other names.
std::vector<FindingKind> parse_lints(const std::vector<std::string>& names);
/// The names that it knows: "redundant-wait, host-sync, …".
std::string lint_names();

}  // namespace millrace::cli
