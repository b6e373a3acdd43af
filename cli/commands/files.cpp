// SPDX-License-Identifier: Apache-2.0
#include "commands/files.hpp"

#include "input.hpp"

#include <millrace/trace_file.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace millrace::cli {
namespace {

template <typename Write>
void write_file(const std::string& path, const Write& write) {
  const auto fail = [&path] {
    throw InputError(path + ": cannot be written: " + std::generic_category().message(errno));
  };
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) fail();
  write(out);
  out.close();
  if (!out) fail();
}

}  // namespace

Trace read_trace_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(path + ": is a directory, not a trace");
  }
  try {
    return read_trace(path);
  } catch (const TraceFileError& problem) {
    throw InputError(path + ": " + problem.what());
  } catch (const std::system_error& problem) {
    throw InputError(path + ": cannot be read: " + problem.code().message());
  }
}

void write_trace_file(const Trace& trace, const std::string& path) {
  try {
    write_trace(trace, path);
  } catch (const std::system_error& problem) {
    throw InputError(path + ": cannot be written: " + problem.code().message());
  } catch (const std::invalid_argument& problem) {
    throw InputError(path + ": cannot be written: " + problem.what());
  }
}

void write_chrome_file(const Trace& trace, const std::string& path) {
  write_file(path, [&](std::ostream& out) { write_chrome_json(trace, out); });
}

void write_text_file(const std::string& text, const std::string& path) {
  write_file(path, [&](std::ostream& out) { out << text; });
}

void refuse_same_file(const std::string& output, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_type type = fs::status(output, error).type();
  const bool is_device = type != fs::file_type::not_found && type != fs::file_type::regular;
  if (output.empty() || other.empty() || is_device) return;
  const bool is_same = fs::weakly_canonical(output, error) == fs::weakly_canonical(other, error) ||
                       fs::equivalent(output, other, error);
  if (is_same)
    throw InputError(output + ": is the same file as " + other + ", which would be lost");
}

}  // namespace millrace::cli
