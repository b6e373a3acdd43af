// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Runs the real command.

#include "../support/scratch.hpp"

#include <string>
#include <vector>

namespace millrace::test {

/// What a program did.
struct Outcome {
  int exit_code = -1;  ///< 128 and more: ended by that signal
  std::string out;
  std::string error;
};

/// How it is run, where that matters.
struct Circumstances {
  std::vector<std::string> environment{};  ///< "NAME=value" beside PATH
  std::string input{};                     ///< a file for standard input; empty: nothing there
  std::string output{};                    ///< a file for standard output instead of `out`
  bool close_output = false;               ///< there is no standard output
  bool break_output = false;               ///< nobody reads standard output
};

/// `millrace ARGUMENTS…` in the root of the source tree.
Outcome run_command(const std::vector<std::string>& arguments,
                    const Circumstances& circumstances = {});

}  // namespace millrace::test
