// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Texts kept in the tree, and what a rendering looks like without a terminal.

#include "render/look.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace millrace::test {

inline std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// What a file of golden/ holds. With MILLRACE_UPDATE_GOLDEN set, it becomes `text` first: look at
/// the difference before you commit it.
inline std::string golden(const std::string& name, std::string_view text) {
  const std::string path = "tests/cli/golden/" + name + ".txt";
  if (std::getenv("MILLRACE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  return file_text(path);
}

inline constexpr cli::Look plain{.width = 100, .colour = false, .ascii = false, .all = false};

}  // namespace millrace::test
