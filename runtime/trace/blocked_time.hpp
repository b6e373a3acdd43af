// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <millrace/trace.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace millrace {

struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] std::int64_t length_ns() const { return end_ns - begin_ns; }
};

/// When a started operation ends, or the trace before it.
std::int64_t end_ns(const Trace& trace, const Operation& operation);

/// Finds for each operation the time in which it might have started, had something other than its
/// stream's order not kept it: an event, the legacy stream, a busy engine. Spans of one stream do
/// not overlap. Operations must be given in order of issue, and must have started.
class BlockedTime {
 public:
  explicit BlockedTime(const Trace& trace);

  /// The blocked span before this operation; of no or negative length where it did not wait.
  Span before(const Operation& operation);

 private:
  const Trace& trace_;
  std::vector<std::int64_t> ready_ns_;  ///< by stream: the end of what came before
};

}  // namespace millrace
