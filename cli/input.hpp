// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The files that the command is given.

#include <stdexcept>
#include <string>
#include <vector>

namespace millrace::cli {

/// A file that cannot be used; the message names it and says why.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text of a script file, of standard input for "-". Throws InputError for what cannot be read
/// or cannot be a script: a directory, a binary file, one beyond 64 MiB.
std::string read_script(const std::string& path);

/// What messages call a file: "-" is standard input.
std::string shown_name(const std::string& path);

/// The files in order, each directory replaced by the scripts in it, sorted by name. Throws
/// InputError for a directory that cannot be read or has no script.
std::vector<std::string> expand_directories(const std::vector<std::string>& paths);

/// How a path ends, e.g. ".json"; in small letters.
std::string ending_of(const std::string& path);

}  // namespace millrace::cli
