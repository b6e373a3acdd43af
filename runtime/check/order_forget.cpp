// SPDX-License-Identifier: Apache-2.0
// A pass that keeps only what later steps will ask for.
#include "order.hpp"

#include <algorithm>
#include <utility>

namespace millrace::checker {
namespace {

/// How many words clocks get before those that nobody knows any more are looked for.
constexpr std::size_t least_clock_words = std::size_t{1} << 14U;

}  // namespace

/// How often later steps will ask for the call's stamp: its operations, which stand one behind the
/// other, and what it comes before.
std::uint32_t Order::uses_of_call(TraceIndex call) const {
  const std::vector<Operation>& operations = steps_.trace().operations;
  std::uint32_t uses = steps_.uses_of(Step::call(call)) + (guarantees_.covers_call(call) ? 1 : 0);
  for (std::size_t i = steps_.trace().calls[call].operation;
       i < operations.size() && operations[i].call == call; ++i) {
    ++uses;
  }
  return uses;
}

std::uint32_t Order::uses_of_operation(TraceIndex operation) const {
  const TraceIndex call = steps_.call_of(operation);
  return steps_.uses_of(Step::operation(operation)) +
         (call != none && awaits_return(operation, call) ? 1 : 0) +
         (guarantees_.covers_operation(operation) || guarantees_.is_set(operation) ? 1 : 0);
}

void Order::forget(Step step) {
  for (const Incoming& in : steps_.incoming(step)) release(in.from);
  if (step.is_call) {
    const TraceIndex operation = steps_.trace().calls[step.index].operation;
    if (awaits_return(operation, step.index)) stamps_.operations.release(operation);
    stamps_.calls.drop_unused(step.index);
  } else {
    const TraceIndex call = steps_.call_of(step.index);
    if (call != none) stamps_.calls.release(call);
    stamps_.operations.drop_unused(step.index);
  }
  if (stamps_.clocks.words() > std::max(most_clock_words_, least_clock_words)) collect_clocks();
}

void Order::release(Step step) {
  step.is_call ? stamps_.calls.release(step.index) : stamps_.operations.release(step.index);
}

/// Leaves out the clocks that nobody knows any more.
void Order::collect_clocks() {
  ClockStore kept;
  std::vector<ClockId> moved(stamps_.clocks.size(), none);
  moved[empty_clock] = empty_clock;
  const auto move = [&](ClockId& clock) {
    if (moved[clock] == none) moved[clock] = kept.add(stamps_.clocks.positions(clock));
    clock = moved[clock];
  };
  for (Thread& thread : threads_) {
    move(thread.clock);
    move(thread.function_clock);
  }
  for (Stream& stream : streams_) {
    move(stream.last.clock);
    move(stream.enqueue_clock);
    move(stream.before_graph.clock);
  }
  stamps_.operations.for_each([&](Stamps::Operation& operation) {
    move(operation.clock);
    move(operation.end_clock);
  });
  stamps_.calls.for_each([&](Stamps::Call& call) {
    move(call.begin_clock);
    move(call.end_clock);
  });
  stamps_.clocks = std::move(kept);
  most_clock_words_ = 2 * stamps_.clocks.words();
}

bool Order::is_sure() const { return !is_lost_ && late_.empty() && !guarantees_.looked_ahead(); }

std::size_t Order::room() const {
  return stamps_.clocks.words() + stamps_.operations.size() + stamps_.calls.size();
}

}  // namespace millrace::checker
