// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <algorithm>
#include <cstdlib>

namespace millrace::script {
namespace {

/// What the clock behind events resolves.
constexpr std::int64_t event_clock_ns = 32;

std::string time(std::int64_t ns) { return to_string(Duration{ns}); }

}  // namespace

std::string Judge::span(TraceIndex operation) const {
  const Operation& o = trace_.operations[operation];
  if (o.start_ns < 0) return "never starts";
  return "runs from " + time(o.start_ns) + (o.end_ns < 0 ? " on" : " to " + time(o.end_ns));
}

std::string Judge::why_not_before(OperationName first, OperationName second) {
  const TraceIndex a = find(first);
  const TraceIndex b = find(second);
  if (trace_.operations[a].end_ns < 0) return text(first) + " never ends";
  if (trace_.operations[b].start_ns < 0) return text(second) + " never starts";
  if (before(b, a)) return text(second) + " ends before " + text(first) + " starts";
  return "nothing orders them: another legal run may start " + text(second) + " before " +
         text(first) + " ends";
}

void Judge::judge(const ExpectOrder& expected) {
  const std::string a = text(expected.first);
  const std::string b = text(expected.second);
  const std::string wanted = a +
                             (expected.order == Order::before      ? " before "
                              : expected.order == Order::unordered ? " unordered "
                                                                   : " overlaps ") +
                             b;
  const auto pair = find(expected.first, expected.second, wanted);
  if (!pair) return;
  const auto& [first, second] = *pair;
  switch (expected.order) {
    case Order::before:
      if (!before(first, second)) differ(wanted, why_not_before(expected.first, expected.second));
      break;
    case Order::unordered:
      if (before(first, second))
        differ(wanted, a + " ends before " + b + " starts in every legal run");
      if (before(second, first))
        differ(wanted, b + " ends before " + a + " starts in every legal run");
      break;
    case Order::overlaps: {
      const Operation& x = trace_.operations[first];
      const Operation& y = trace_.operations[second];
      const bool ran = x.start_ns >= 0 && y.start_ns >= 0;
      const auto end = [](const Operation& o) { return o.end_ns < 0 ? INT64_MAX : o.end_ns; };
      if (!ran || std::max(x.start_ns, y.start_ns) >= std::min(end(x), end(y))) {
        differ(wanted, a + " " + span(first) + ", " + b + " " + span(second));
      }
      break;
    }
  }
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
  if (operation == none) return differ(wanted, missing(expected.operation));
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
