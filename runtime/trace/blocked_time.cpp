// SPDX-License-Identifier: Apache-2.0
#include "blocked_time.hpp"

#include <limits>

namespace millrace {
namespace {

/// Whether it says that something else than the call and the stream was waited for.
bool is_blocking(ConstraintKind constraint) {
  return constraint != ConstraintKind::enqueue && constraint != ConstraintKind::stream_order &&
         constraint != ConstraintKind::unknown;
}

}  // namespace

std::int64_t end_ns(const Trace& trace, const Operation& operation) {
  if (operation.end_ns >= 0) return operation.end_ns;
  return std::max(operation.start_ns, trace.end_ns);
}

BlockedTime::BlockedTime(const Trace& trace)
    : trace_(trace), ready_ns_(trace.streams.size(), std::numeric_limits<std::int64_t>::min()) {}

Span BlockedTime::before(const Operation& operation) {
  std::int64_t& ready = ready_ns_[operation.stream];
  const std::int64_t start = operation.start_ns;
  Span span{start, start};
  if (is_blocking(operation.constraint)) {
    span.begin_ns = std::min(start, std::max(ready, operation.enqueue_ns));
  }
  ready = std::max(ready, end_ns(trace_, operation));
  return span;
}

}  // namespace millrace
