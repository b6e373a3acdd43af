// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Findings and verdicts for people.

#include "render/look.hpp"

#include <millrace/check.hpp>
#include <millrace/script.hpp>

#include <string>
#include <vector>

namespace millrace::cli {

/// Each finding as describe() tells it, numbered where there are several. Empty when there is none.
std::string render_findings(const std::vector<Finding>& findings, const Look& look);

/// "as expected", or what differs from the script's expectations.
std::string render_verdict(const Verdict& verdict, const Look& look);

/// Findings by kind in a few words, e.g. "2 races, 1 deadlock"; "none".
std::string count_findings(const std::vector<Finding>& findings);

}  // namespace millrace::cli
