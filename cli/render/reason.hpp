// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Why an operation started when it did, in one sentence.

#include "render/words.hpp"

#include <millrace/trace.hpp>

#include <string>
#include <vector>

namespace millrace::cli {

/// Finds reasons in one trace; the words must outlive it.
class Reasons {
 public:
  explicit Reasons(const Words& words);

  /// What the operation waited for: of everything that it needed, what came last. Goes back over
  /// records and waits that took no time themselves to what did. For an operation that never
  /// started, what it is still waiting for.
  [[nodiscard]] std::string why(TraceIndex operation) const;

 private:
  [[nodiscard]] std::string reason(TraceIndex start, int depth) const;
  [[nodiscard]] std::string enqueued(TraceIndex operation) const;
  [[nodiscard]] TraceIndex passed_on(TraceIndex operation) const;
  [[nodiscard]] std::string record_found(TraceIndex record, TraceIndex waiting, int depth) const;
  [[nodiscard]] std::string legacy(TraceIndex operation, TraceIndex other) const;
  [[nodiscard]] std::string never(TraceIndex operation) const;
  void find_delays();

  const Words& words_;
  const Trace& trace_;
  std::vector<TraceIndex> delay_;   // by call: the last one of its thread before that took time
  std::vector<TraceIndex> before_;  // by operation: the one before it in its stream
};

}  // namespace millrace::cli
