// SPDX-License-Identifier: Apache-2.0
#include "walk.hpp"

#include <algorithm>
#include <bit>

namespace millrace::checker {
namespace {

TraceIndex sequence_of(const Trace& trace, Step step) {
  return step.is_call ? trace.calls[step.index].sequence : trace.operations[step.index].sequence;
}

}  // namespace

Walk::Walk(const Trace& trace)
    : trace_(trace),
      calls_(static_cast<TraceIndex>(trace.calls.size())),
      operations_(static_cast<TraceIndex>(trace.operations.size())),
      aside_(least_room) {}

Step Walk::next() {
  while (true) {
    if (call_ < calls_ && trace_.calls[call_].sequence == sequence_) {
      ++sequence_;
      return Step::call(call_++);
    }
    if (operation_ < operations_ && trace_.operations[operation_].sequence == sequence_) {
      ++sequence_;
      return Step::operation(operation_++);
    }
    Step& here = slot(sequence_);
    if (here.exists()) {
      const Step step = here;
      here = {};
      --kept_;
      ++sequence_;
      return step;
    }
    if (read_more()) continue;
    if (kept_ == 0) return next_stray();
    ++sequence_;  // a number that nobody has
  }
}

/// Reads past what does not come now.
bool Walk::read_more() {
  const bool calls = call_ < calls_;
  const bool operations = operation_ < operations_;
  if (calls) {
    keep(Step::call(call_), trace_.calls[call_].sequence);
    ++call_;
  }
  if (operations) {
    keep(Step::operation(operation_), trace_.operations[operation_].sequence);
    ++operation_;
  }
  return calls || operations;
}

void Walk::keep(Step step, TraceIndex sequence) {
  if (sequence == none) return;
  const std::size_t most = std::size_t{calls_} + operations_;
  if (sequence < sequence_ || sequence >= most) return strays_.push_back(step);
  const std::size_t distance = sequence - sequence_;
  if (distance >= aside_.size()) grow(distance);
  Step& place = slot(sequence);
  if (place.exists()) return strays_.push_back(step);
  place = step;
  ++kept_;
}

void Walk::grow(std::size_t distance) {
  std::vector<Step> old(std::bit_ceil(distance + 1));
  old.swap(aside_);
  for (const Step step : old) {
    if (step.exists()) slot(sequence_of(trace_, step)) = step;
  }
}

Step Walk::next_stray() {
  if (strays_.empty()) return {};
  if (!strays_sorted_) {
    std::stable_sort(strays_.begin(), strays_.end(), [&](Step a, Step b) {
      return sequence_of(trace_, b) < sequence_of(trace_, a);
    });
    strays_sorted_ = true;
  }
  const Step step = strays_.back();
  strays_.pop_back();
  return step;
}

}  // namespace millrace::checker
