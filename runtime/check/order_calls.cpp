// SPDX-License-Identifier: Apache-2.0
// Host calls of a pass over the steps.
#include "order.hpp"

#include <algorithm>

namespace millrace::checker {
namespace {

bool is_between_threads(DependencyKind kind) {
  return kind == DependencyKind::thread_start || kind == DependencyKind::thread_join;
}

}  // namespace

void Order::begin_call(TraceIndex call, Stamps::Call& stamp) {
  if (keep_ == Keep::live_steps) {
    stamp.uses = uses_of_call(call);
    is_lost_ |= steps_.sequence(Step::call(call)) < now_;  // forgotten, or never fed
  }
  Thread& thread = threads_[steps_.thread_of(call)];
  const std::span<const Incoming> incoming = steps_.incoming(Step::call(call));
  const TraceIndex function = incoming.empty() ? none : steps_.inside_of(call);
  if (function != none && stamps_.seen(Step::operation(function))) {
    begin_inside(function, thread, stamp);
  } else {
    begin_on_thread(incoming, thread, stamp);
  }
}

/// One thread serves the host functions of many streams, in an order that nobody promises. What
/// they call stands in their streams, at the function's own point.
void Order::begin_inside(TraceIndex function, Thread& thread, Stamps::Call& stamp) {
  if (thread.function != function) {
    thread.function = function;
    learner_.begin(stamps_.stamp(Step::operation(function)));
    learner_.keep_own();
    thread.function_clock = learner_.finish();
  }
  stamp.begin_clock = thread.function_clock;
  stamp.begin = stamps_.operations[function].own;
  stamp.end = stamp.begin.position;
  stamp.inside = true;
}

void Order::begin_on_thread(std::span<const Incoming> incoming, Thread& thread,
                            Stamps::Call& stamp) {
  stamp.begin_clock = thread.clock;
  if (!incoming.empty() || thread.chain == no_chain) {
    learner_.begin({thread.clock, {}, {}});
    // What started the thread, or ended another one that it knew of, came before this call began.
    for (const Incoming& in : incoming) {
      if (is_between_threads(in.kind) && stamps_.seen(in.from)) {
        stamps_.learn_result(learner_, in.from);
      }
    }
    if (thread.chain == no_chain) thread.chain = chain_after_known();
    stamp.begin_clock = learner_.finish();
  }
  stamp.begin = {thread.chain, tails_[thread.chain] + 1};
  stamp.end = stamp.begin.position + 1;
}

void Order::feed_call(TraceIndex call) {
  Stamps::Call& stamp = begin_call(call);
  Thread& thread = threads_[steps_.thread_of(call)];
  const std::span<const Incoming> incoming = steps_.incoming(Step::call(call));
  stamp.end_clock = stamp.begin_clock;
  const TraceIndex staged = staged_by(call);
  if (!incoming.empty() || staged != none) {
    learner_.begin(stamps_.begin_of(call));
    learn_into_call(call, incoming);
    if (staged != none) learn_start_of(staged);
    stamp.end_clock = learner_.finish();
  }
  stamp.returned = true;
  if (stamp.inside) {
    thread.function_clock = stamp.end_clock;
  } else {
    tails_[thread.chain] = stamp.end;
    thread.clock = stamp.end_clock;
  }
  if (!late_.empty()) join_late(call);
  if (retires_ && --thread.calls_left == 0 && thread.chain != no_chain) {
    retired_.push_back(thread.chain);
    if (keep_ == Keep::live_steps) thread = {};
  }
}

void Order::learn_into_call(TraceIndex call, std::span<const Incoming> incoming) {
  const bool judged = guarantees_.covers_call(call);
  if (judged && steps_.trace().calls[call].kind == CallKind::await) {
    guarantees_.await_signal(call, learner_);
  }
  for (const Incoming& in : incoming) {
    if (judged && in.kind == DependencyKind::signal) continue;
    if (is_between_threads(in.kind)) continue;  // known when the call began
    if (scope_ != Scope::everything && in.kind == DependencyKind::lock) continue;
    if (scope_ == Scope::host_threads && !in.from.is_call) continue;
    if (stamps_.seen(in.from)) stamps_.learn_result(learner_, in.from);
  }
}

/// The operation whose host side is over when this call returns, if there is one.
TraceIndex Order::staged_by(TraceIndex call) const {
  const TraceIndex operation = steps_.trace().calls[call].operation;
  const bool staged = awaits_return(operation, call) && stamps_.seen(Step::operation(operation));
  return staged ? operation : none;
}

bool Order::has_host_side(TraceIndex operation) const {
  const std::span<const TraceAccess> accesses = steps_.accesses(Step::operation(operation));
  return std::any_of(accesses.begin(), accesses.end(), [](const TraceAccess& access) {
    return access.order == AccessOrder::until_return;
  });
}

/// A host side that is over began in stream order, so that what the operation had to wait for is
/// over as well, though the operation may not be.
void Order::learn_start_of(TraceIndex operation) {
  Stamp start = stamps_.stamp(Step::operation(operation));
  --start.own.position;
  learner_.learn_all(start);
}

/// An operation that was under way waited for this call: who comes after it comes after the call.
void Order::join_late(TraceIndex call) {
  for (const Late& late : late_) {
    if (late.call != call) continue;
    Stamps::Operation& operation = stamps_.operations.add(late.operation);
    learner_.begin(stamps_.result(Step::operation(late.operation)));
    stamps_.learn_result(learner_, Step::call(call));
    operation.end_clock = learner_.finish();
    Stream& stream = streams_[steps_.stream_of(late.operation)];
    if (stream.last.own == operation.own) stream.last.clock = operation.end_clock;
  }
  std::erase_if(late_, [&](const Late& late) { return late.call == call; });
}

}  // namespace millrace::checker
