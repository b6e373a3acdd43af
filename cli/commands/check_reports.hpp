// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What `check` found, in the files that build servers and code hosts read.

#include <millrace/check.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::cli {

/// One script, judged or not.
struct Checked {
  std::string file;
  double seconds = 0;      ///< of real time
  bool ran = false;        ///< false: it could not be run
  std::string problem;     ///< why it is not ok, or could not be run; empty when ok
  std::uint32_t line = 0;  ///< of a script that could not be run, where it is a matter of one place
  std::vector<Finding> findings;
  std::vector<Finding> known;       ///< those of the findings that the baseline accepts
  std::vector<Finding> unexpected;  ///< those that make it fail

  [[nodiscard]] bool is_ok() const { return ran && problem.empty(); }
};

/// JUnit XML: a test case for each script, a failure for what is not as the script expects, an
/// error for what could not be run.
std::string junit_xml(const std::vector<Checked>& scripts);

/// SARIF 2.1.0: a rule for each kind of finding, a result for each finding; those that do not make
/// a script fail are suppressed ones. Scripts that could not be run are notifications of the tool.
std::string sarif_json(const std::vector<Checked>& scripts);

}  // namespace millrace::cli
