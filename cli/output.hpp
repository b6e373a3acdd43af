// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Standard output and standard error, so that nothing that could not be written goes unnoticed.

#include <stdexcept>
#include <string>
#include <string_view>

namespace millrace::cli {

/// Standard output does not take what is written, e.g. because its reader has gone.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes sure that files opened later are never taken for standard input, output or error, and that
/// a reader of ours that goes away is an error, not a silent death. False: there is no standard
/// output.
bool prepare_output();

/// Writes all of the text at once. Throws OutputError.
void print(std::string_view text);

/// One message on standard error: `millrace: MESSAGE`. Safe from any thread.
void complain(std::string_view message);
/// The text as it is on standard error.
void print_message(std::string_view text);

}  // namespace millrace::cli
