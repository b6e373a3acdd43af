// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Traces in files: the native `.mtrace` and Chrome/Perfetto JSON.

#include <millrace/mapped_trace.hpp>
#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string>

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
/// give equal bytes. The file appears under its name only when it is complete. Throws
/// std::system_error when it cannot be written, std::invalid_argument for a trace that could not be
/// read again (an index outside of its table, a time beyond 73 years, …), naming table and row.
void write_trace(const Trace& trace, const std::filesystem::path& path);
/// The same bytes to a stream, which tells by its state whether it took them.
void write_trace(const Trace& trace, std::ostream& out);

/// Reads a whole native file and verifies all of it: later code can rely on every index, choice and
/// time of the trace. Throws TraceFileError for damage (and files of other kinds or of newer
/// versions), std::system_error when the file cannot be opened.
/// MappedTrace reads parts of one.
Trace read_trace(const std::filesystem::path& path);
/// The same from memory; never reads outside of it, whatever the bytes are.
Trace read_trace(std::span<const std::byte> bytes);

/// Writes trace-event JSON for ui.perfetto.dev and chrome://tracing: a row a host thread and a
/// stream, arrows (flow events) from each record to its wait, for each other dependency, and from
/// each call to its operations. Equal traces give equal text.
/// What takes no time is drawn one nanosecond long; `args` then hold its `start_ns` and `end_ns`.
void write_chrome_json(const Trace& trace, std::ostream& out);

}  // namespace millrace
