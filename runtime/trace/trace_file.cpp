// SPDX-License-Identifier: Apache-2.0
#include <millrace/trace_file.hpp>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace millrace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::error_code error) {
  throw std::system_error(error, "cannot write '" + path.string() + "'");
}

std::error_code last_error_code() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

/// Writes to `path`; messages speak of `name`.
void write_file(const Trace& trace, const fs::path& path, const fs::path& name) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) fail(name, last_error_code());
  write_trace(trace, out);
  out.close();
  if (!out) fail(name, last_error_code());
}

/// A name beside `path` that no other writer uses at the same time.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> count{0};
  fs::path name = path;
  name += ".part" + std::to_string(::getpid()) + "-" + std::to_string(count++);
  return name;
}

}  // namespace

TraceFileError::TraceFileError(const std::string& what, std::uint64_t offset)
    : std::runtime_error(what + " (at byte " + std::to_string(offset) + ")"), offset_(offset) {}

void write_trace(const Trace& trace, const fs::path& path) {
  // A device or pipe cannot be replaced by another file.
  if (fs::exists(path) && !fs::is_regular_file(path)) return write_file(trace, path, path);
  const fs::path temporary = temporary_name(path);
  try {
    write_file(trace, temporary, path);
    std::error_code error;
    fs::rename(temporary, path, error);
    if (error) fail(path, error);
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

Trace read_trace(const fs::path& path) { return MappedTrace(path).read(); }

Trace read_trace(std::span<const std::byte> bytes) { return MappedTrace(bytes).read(); }

}  // namespace millrace
