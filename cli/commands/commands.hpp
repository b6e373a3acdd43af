// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The commands. Each returns the exit code: 0 yes, 1 no (a finding, an expectation that failed),
/// 2 could not (unreadable, unsupported, unwritable). Messages go to standard error.

#include "terminal.hpp"

#include <millrace/check.hpp>
#include <millrace/explore.hpp>
#include <millrace/inject.hpp>
#include <millrace/time.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::cli {

inline constexpr int exit_yes = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_could_not = 2;

/// How scripts are simulated.
struct SimulationOptions {
  std::string profile;  ///< empty: what the script says
  std::uint64_t seed = 0;
  std::uint64_t max_operations = 0;  ///< 0: no bound
  Duration max_time{0};              ///< 0: no bound
  sim::Injection inject;
};

/// How scripts are explored.
struct ExplorationOptions {
  std::string strategy = "exhaustive";  ///< by name
  int depth = 0;                        ///< 0: the strategy's own
  std::uint64_t runs = 0;               ///< 0: what the strategy needs
  Duration timeout{0};                  ///< of real time; 0: none
  std::string replay;
  std::string checkpoint;
};

struct ExploreOptions {
  std::string file;
  SimulationOptions simulation;
  ExplorationOptions exploration;
  std::string trace;  ///< write the native trace of the run that is shown there
  bool json = false;
  LookOptions look;
};
int explore(const ExploreOptions& options);

struct RunOptions {
  std::string file;
  SimulationOptions simulation;
  std::string trace;   ///< write the native trace there
  std::string chrome;  ///< write Chrome JSON there
  bool json = false;
  LookOptions look;
};
int run(const RunOptions& options);

struct CheckOptions {
  std::vector<std::string> files;
  SimulationOptions simulation;
  std::vector<FindingKind> lints;
  std::string baseline;          ///< a file of findings that are known; empty: there is none
  bool update_baseline = false;  ///< write it instead
  bool explores = false;         ///< every execution, not one
  ExplorationOptions exploration;
  unsigned jobs = 0;  ///< 0: one a processor
  bool json = false;
  std::string junit;  ///< write JUnit XML there
  std::string sarif;  ///< write SARIF there
};
int check(const CheckOptions& options);

struct InfoOptions {
  std::string file;
  bool json = false;
  LookOptions look;
};
int info(const InfoOptions& options);

struct ConvertOptions {
  std::string in;
  std::string out;
};
int convert(const ConvertOptions& options);

}  // namespace millrace::cli
