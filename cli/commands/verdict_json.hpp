// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What `--json` prints: one object a line.

#include "commands/simulate.hpp"

#include <millrace/explore.hpp>
#include <millrace/sim.hpp>

#include <string>

namespace millrace::cli {

/// file, ok, end_ns, findings, ops; ends in a line break. What never happened is null.
std::string verdict_json(const std::string& file, const sim::ScriptReport& outcome);

/// file, ok (false), error (line, column, message); ends in a line break.
std::string failure_json(const std::string& file, const Failure& failure);

/// The same for an exploration: beside the verdict how far it came, and its outcomes.
std::string exploration_json(const std::string& file, const sim::ScriptExploreReport& explored);

}  // namespace millrace::cli
