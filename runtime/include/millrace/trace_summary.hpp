// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A trace in numbers: what there is, and how busy it was.

#include <millrace/trace.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

struct TraceSummary {
  /// How many there are of one kind.
  struct Count {
    std::string_view word;  ///< as to_string says the kind
    std::uint64_t count = 0;
  };

  struct Stream {
    std::string name;
    std::string device;
    std::uint64_t operations = 0;
    std::int64_t busy_ns = 0;     ///< in which an operation ran; overlaps count once
    std::int64_t blocked_ns = 0;  ///< in which something else than its own order held it
  };

  struct Thread {
    std::string name;
    std::uint64_t calls = 0;
    std::int64_t waiting_ns = 0;  ///< in calls that wait for a device or another thread
  };

  std::string producer;
  std::int64_t end_ns = 0;

  std::uint64_t operations = 0;
  std::uint64_t never_started = 0;
  std::uint64_t bytes = 0;             ///< copied and filled
  std::vector<Count> operation_kinds;  ///< those that there are, in the model's order
  std::vector<Stream> streams;

  std::uint64_t calls = 0;
  std::uint64_t failed_calls = 0;
  std::vector<Count> call_kinds;
  std::vector<Thread> threads;

  std::uint64_t waits = 0;             ///< on events, by streams
  std::uint64_t waits_unrecorded = 0;  ///< of these on events that were never recorded
  std::uint64_t edges_exact = 0;       ///< dependencies that the producer knew
  std::uint64_t edges_inferred = 0;
  std::uint64_t edges_unresolved = 0;
  bool has_dependencies = true;  ///< false: the trace cannot say what orders what
  std::uint64_t accesses = 0;
  std::uint64_t deadlocked = 0;  ///< threads and operations that could never go on
};

TraceSummary summarize(const Trace& trace);

/// The summary for people: several lines, as the command prints it.
std::string describe(const TraceSummary& summary);

}  // namespace millrace
