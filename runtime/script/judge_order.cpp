// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <string_view>

namespace millrace::script {
namespace {

/// What the clock behind events resolves.
constexpr std::int64_t event_clock_ns = 32;

std::string time(std::int64_t ns) { return to_string(Duration{ns}); }

}  // namespace

void Judge::judge(const ExpectOrder& expected) {
  const checker::OperationName a = name_of(expected.first);
  const checker::OperationName b = name_of(expected.second);
  std::string_view relation;
  std::string found;
  switch (expected.order) {
    case Order::before:
      relation = " before ";
      found = operations_.why_not_before(a, b);
      break;
    case Order::unordered:
      relation = " unordered ";
      found = operations_.why_not_unordered(a, b);
      break;
    case Order::overlaps:
      relation = " overlaps ";
      found = operations_.why_not_overlapping(a, b);
      break;
  }
  if (!found.empty()) differ(to_string(a).append(relation).append(to_string(b)), found);
}

void Judge::judge(const ExpectTime& expected) {
  if (expected.moment == Moment::end) {
    if (trace_.end_ns != expected.ns) {
      differ("the end at " + time(expected.ns), "all work is done at " + time(trace_.end_ns));
    }
    return;
  }
  const bool start = expected.moment == Moment::start;
  const std::string name = text(expected.operation);
  const std::string wanted =
      name + (start ? " to start at " : " to finish at ") + time(expected.ns);
  const TraceIndex operation = find(expected.operation);
  if (operation == none) return differ(wanted, operations_.missing(name_of(expected.operation)));
  const Operation& found = trace_.operations[operation];
  const std::int64_t ns = start ? found.start_ns : found.end_ns;
  if (ns == expected.ns) return;
  differ(wanted, ns < 0 ? (start ? "it never starts" : "it never finishes")
                        : (start ? "it starts at " : "it finishes at ") + time(ns));
}

TraceIndex Judge::last_record(std::string_view event) const {
  for (auto i = static_cast<TraceIndex>(trace_.operations.size()); i-- > 0;) {
    const Operation& operation = trace_.operations[i];
    if (operation.kind == OperationKind::record && operation.state == OperationState::completed &&
        operation.object != none &&
        trace_.object_name(ObjectKind::event, operation.object) == event) {
      return i;
    }
  }
  return none;
}

void Judge::judge(const ExpectElapsed& expected) {
  const std::string_view start = program_.name_of(expected.start);
  const std::string_view end = program_.name_of(expected.end);
  std::string wanted = time(expected.ns) + " from ";
  wanted.append(start).append(" to ").append(end);
  const TraceIndex first = last_record(start);
  const TraceIndex second = last_record(end);
  if (first == none || second == none) {
    return differ(wanted, std::string(first == none ? start : end) + " was never reached");
  }
  const std::int64_t ns = trace_.operations[second].end_ns - trace_.operations[first].end_ns;
  const bool near = expected.ns >= ns - event_clock_ns && expected.ns <= ns + event_clock_ns;
  if (!near) differ(wanted, "it is " + time(ns));
}

}  // namespace millrace::script
