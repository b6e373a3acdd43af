// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <millrace/trace_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::test {

using Bytes = std::vector<std::byte>;

inline Bytes to_bytes(std::string_view text) {
  Bytes bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

inline std::string written_text(const Trace& trace) {
  std::ostringstream out;
  write_trace(trace, out);
  return out.str();
}

inline Bytes written(const Trace& trace) { return to_bytes(written_text(trace)); }

inline std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Whether a file kept in the tree holds this text. With MILLRACE_UPDATE_GOLDEN set, it will.
inline bool is_golden(const std::string& name, std::string_view text) {
  const std::string path = "tests/trace/golden/" + name;
  if (std::getenv("MILLRACE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  return file_text(path) == text;
}

/// What is wrong with the bytes, by the exception that reading them throws; empty if nothing is.
inline std::string failure_of(const Bytes& bytes) {
  try {
    read_trace(bytes);
  } catch (const TraceFileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace millrace::test
