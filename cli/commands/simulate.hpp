// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// From a script's file to its judged run, or to why there is none.

#include "commands/commands.hpp"

#include <millrace/explore.hpp>
#include <millrace/script.hpp>
#include <millrace/sim.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace millrace::cli {

/// A script that could not be run.
struct Failure {
  std::uint32_t line = 0;    ///< 0: not a matter of one place
  std::uint32_t column = 0;  ///< from 1
  std::string message;
  std::string excerpt;  ///< the place in the script for people: two lines, or empty
};

/// "FILE:LINE:COLUMN: MESSAGE", or "FILE: MESSAGE".
std::string in_words(const std::string& file, const Failure& failure);

struct Simulated {
  Script script;
  sim::ScriptReport outcome;
};

/// The profile that a run used: the one asked for, else the script's.
std::string profile_of(const Script& script, const SimulationOptions& options);

struct Explored {
  Script script;
  sim::ScriptExploreReport outcome;
};

/// Whatever goes wrong is a Failure.
std::variant<Explored, Failure> explore_file(const std::string& path,
                                             const SimulationOptions& options,
                                             const ExplorationOptions& exploration,
                                             const JudgeOptions& judging = {});

/// Whatever goes wrong is a Failure.
std::variant<Simulated, Failure> simulate(const std::string& path, const SimulationOptions& options,
                                          const JudgeOptions& judging = {});

}  // namespace millrace::cli
