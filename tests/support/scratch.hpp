// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A place for the files of a test.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace millrace::test {

/// A folder for one test's files, which goes away with it.
class Scratch {
 public:
  Scratch() {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// A file with this text; returns its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::string folder_ = (std::filesystem::temp_directory_path() / "millrace-test-XXXXXX").string();
};

}  // namespace millrace::test
