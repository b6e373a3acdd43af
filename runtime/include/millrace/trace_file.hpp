// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Traces in files: the native `.mtrace` and Chrome/Perfetto JSON.

#include <millrace/trace.hpp>

#include <filesystem>
#include <iosfwd>
#include <span>
#include <stdexcept>

namespace millrace {

/// A trace file that cannot be read: what is wrong, and at which byte.
class TraceFileError : public std::runtime_error {
 public:
  TraceFileError(const std::string& what, std::uint64_t offset);
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  std::uint64_t offset_;
};

/// Writes the native file: versioned, little-endian, in blocks with a checksum each; equal traces
/// give equal bytes. Throws std::system_error when the file cannot be written.
void write_trace(const Trace& trace, const std::filesystem::path& path);

/// Reads a whole native file and verifies all of it.
/// Throws TraceFileError for damage, std::system_error when the file cannot be opened.
Trace read_trace(const std::filesystem::path& path);
/// The same from memory; never reads outside of it, whatever the bytes are.
Trace read_trace(std::span<const std::byte> bytes);

/// Writes trace-event JSON for ui.perfetto.dev and chrome://tracing: a row a host thread and a
/// stream, arrows (flow events) from each record to its wait and from each call to its operation.
void write_chrome_json(const Trace& trace, std::ostream& out);

}  // namespace millrace
