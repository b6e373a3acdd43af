// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include "guarantees.hpp"

#include <algorithm>
#include <utility>

namespace millrace::checker {
namespace {

/// Enough for any program that a person writes; each pass only takes orders away.
constexpr int most_passes = 64;
/// Of the chains that nobody uses any more, how many are tried for a new stream or thread.
constexpr std::size_t tried_chains = 8;

bool is_between_threads(DependencyKind kind) {
  return kind == DependencyKind::thread_start || kind == DependencyKind::thread_join;
}

}  // namespace

Stamps order_of(const Steps& steps, Scope scope) {
  Stamps stamps;
  std::vector<Position> trail;
  for (int pass = 0; pass < most_passes; ++pass) {
    Order order(steps, scope, pass == 0 ? nullptr : &stamps);
    for (const Step step : steps.in_order()) order.feed(step);
    const Guarantees& guarantees = order.guarantees();
    const bool done = pass == 0 ? !guarantees.looked_ahead() : guarantees.trail() == trail;
    trail = guarantees.trail();
    stamps = order.finish();
    if (done) break;
  }
  return stamps;
}

Order::Order(const Steps& steps, Scope scope, const Stamps* before)
    : steps_(steps),
      scope_(scope),
      guarantees_(std::make_unique<Guarantees>(steps, stamps_, before)),
      threads_(steps.trace().threads.size()),
      streams_(steps.trace().streams.size()) {
  if (scope == Scope::everything) stamps_.operations.resize(steps.trace().operations.size());
  stamps_.calls.resize(steps.trace().calls.size());
  for (TraceIndex i = 0; i < threads_.size(); ++i) threads_[i].calls_left = steps.calls_by(i);
  for (TraceIndex i = 0; i < streams_.size(); ++i) {
    streams_[i].operations_left = steps.operations_on(i);
  }
}

Order::~Order() = default;

Stamps Order::finish() { return std::move(stamps_); }

void Order::feed(Step step) {
  if (step.is_call) {
    if (steps_.thread_of(step.index) != none) feed_call(step.index);
  } else if (scope_ == Scope::everything && steps_.stream_of(step.index) != none) {
    feed_operation(step.index);
  }
}

ChainId Order::new_chain() {
  tails_.push_back(0);
  return stamps_.chains++;
}

/// A chain for a thread or stream whose first step knows what the learner knows: one whose user has
/// ended, if all of that is known, so that programs that make many streams keep short clocks.
ChainId Order::chain_after_known() {
  // Passes are compared by chain: there the choice must not depend on what is known.
  if (!guarantees_->several_sources()) {
    const std::size_t tried = std::min(tried_chains, retired_.size());
    for (std::size_t i = retired_.size(); i-- > retired_.size() - tried;) {
      const ChainId chain = retired_[i];
      if (!learner_.knows({chain, tails_[chain]})) continue;
      retired_.erase(retired_.begin() + static_cast<std::ptrdiff_t>(i));
      return chain;
    }
  }
  return new_chain();
}

// Host calls ------------------------------------------------------------------------------------

/// Where the call stands: known from its begin on, because operations that it enqueues may run
/// before it returns.
Stamps::Call& Order::begin_call(TraceIndex call) {
  Stamps::Call& stamp = stamps_.calls[call];
  if (stamp.begin.chain != no_chain) return stamp;
  Thread& thread = threads_[steps_.thread_of(call)];
  const TraceIndex function = steps_.inside_of(call);
  if (function != none && stamps_.seen(Step::operation(function))) {
    begin_inside(function, thread, stamp);
  } else {
    begin_on_thread(call, thread, stamp);
  }
  return stamp;
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

void Order::begin_on_thread(TraceIndex call, Thread& thread, Stamps::Call& stamp) {
  learner_.begin({thread.clock, {}, {}});
  // What started the thread, or ended another one that it knew of, came before this call began.
  for (const Incoming& in : steps_.incoming(Step::call(call))) {
    if (is_between_threads(in.kind) && stamps_.seen(in.from)) {
      stamps_.learn_result(learner_, in.from);
    }
  }
  if (thread.chain == no_chain) thread.chain = chain_after_known();
  stamp.begin_clock = learner_.finish();
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
  if (--thread.calls_left == 0 && thread.chain != no_chain) retired_.push_back(thread.chain);
}

void Order::learn_into_call(TraceIndex call, std::span<const Incoming> incoming) {
  const bool judged = guarantees_->covers_call(call);
  if (judged && steps_.trace().calls[call].kind == CallKind::await) {
    guarantees_->await_signal(call, learner_);
  }
  for (const Incoming& in : incoming) {
    if (judged && in.kind == DependencyKind::signal) continue;
    if (is_between_threads(in.kind)) continue;  // known when the call began
    if (scope_ == Scope::host_threads && (in.kind == DependencyKind::lock || !in.from.is_call)) {
      continue;
    }
    if (stamps_.seen(in.from)) stamps_.learn_result(learner_, in.from);
  }
}

/// The operation whose host side is over when this call returns, if there is one.
TraceIndex Order::staged_by(TraceIndex call) const {
  const TraceIndex operation = steps_.trace().calls[call].operation;
  if (operation == none || !stamps_.seen(Step::operation(operation))) return none;
  const std::span<const TraceAccess> accesses = steps_.accesses(Step::operation(operation));
  const bool staged = std::any_of(accesses.begin(), accesses.end(), [](const TraceAccess& access) {
    return access.order == AccessOrder::until_return;
  });
  return staged ? operation : none;
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
    Stamps::Operation& operation = stamps_.operations[late.operation];
    learner_.begin(stamps_.result(Step::operation(late.operation)));
    stamps_.learn_result(learner_, Step::call(call));
    operation.end_clock = learner_.finish();
    Stream& stream = streams_[steps_.stream_of(late.operation)];
    if (stream.last.own == operation.own) stream.last.clock = operation.end_clock;
  }
  std::erase_if(late_, [&](const Late& late) { return late.call == call; });
}

// Operations ------------------------------------------------------------------------------------

void Order::feed_operation(TraceIndex index) {
  Stream& stream = streams_[steps_.stream_of(index)];
  const bool node = steps_.is_graph_node(index);
  const TraceIndex launch = node ? steps_.call_of(index) : none;
  if (stream.graph_launch != launch) enter_graph(stream, launch);

  Stamps::Operation stamp;
  const Stamps::Call* call = issuer_of(index);
  learner_.begin(node ? stream.before_graph : stream.last);
  if (call != nullptr) stamp.issuer = call->begin;
  learn_enqueue(stream, call, node);
  learn_dependencies(index);

  const ChainId chain = node ? chain_of_node(stream, index) : chain_of(stream);
  stamp.own = {chain, ++tails_[chain]};
  stamp.clock = stamp.end_clock = learner_.finish();
  stamps_.operations[index] = stamp;
  const Stamp last{stamp.clock, stamp.own, stamp.issuer};
  stream.last = node ? join(stream.last, last) : last;
  if (--stream.operations_left == 0) {
    retired_.insert(retired_.end(), stream.chains.begin(), stream.chains.end());
  }
}

const Stamps::Call* Order::issuer_of(TraceIndex operation) {
  const TraceIndex call = steps_.call_of(operation);
  return call == none || steps_.thread_of(call) == none ? nullptr : &begin_call(call);
}

void Order::learn_enqueue(Stream& stream, const Stamps::Call* call, bool node) {
  // The stream's last operation carries its own point and its issuer in its stamp. The point and
  // an issuer of the same thread are replaced by later ones; others must be remembered.
  const Epoch last = stream.last.issuer;
  const bool same_issuer = call != nullptr && last.chain == call->begin.chain;
  const bool issuer_is_shared =
      last.chain == no_chain || stamps_.clocks.at(stream.last.clock, last.chain) >= last.position;
  if (node || !(same_issuer || issuer_is_shared)) learner_.keep_own();
  if (call == nullptr) return;
  if (node) return learner_.learn(call->begin_clock);
  if (call->begin_clock == stream.enqueue_clock) return;
  learner_.learn(call->begin_clock);
  stream.enqueue_clock = call->begin_clock;
}

void Order::learn_dependencies(TraceIndex index) {
  const std::span<const Incoming> incoming = steps_.incoming(Step::operation(index));
  const bool judged = guarantees_->covers_operation(index);
  for (const Incoming& in : incoming) {
    if (judged && in.kind == DependencyKind::flag) continue;
    if (stamps_.seen(in.from)) {
      stamps_.learn_result(learner_, in.from);
    } else if (in.from.is_call) {
      late_.push_back({in.from.index, index});
    }
  }
  if (judged) guarantees_->await_flag(index, learner_);
}

ChainId Order::chain_of(Stream& stream) {
  if (stream.chains.empty()) stream.chains.push_back(chain_after_known());
  return stream.chains.front();
}

// Graphs ----------------------------------------------------------------------------------------
// A launch is one thing in its stream: its nodes start after all that was before, and what follows
// starts after all its nodes. Among the nodes only the graph's edges count, so that each branch
// needs a chain. The stream keeps the chains of its branches from launch to launch.

void Order::enter_graph(Stream& stream, TraceIndex launch) {
  stream.graph_launch = launch;
  stream.before_graph = stream.last;
  stream.branches = 0;
}

/// The chain of a node's predecessor if that is still its last; otherwise the next one that this
/// launch does not use. (Not one that happens to be known to be over: see chain_after_known.)
ChainId Order::chain_of_node(Stream& stream, TraceIndex index) {
  for (const Incoming& in : steps_.incoming(Step::operation(index))) {
    if (in.kind != DependencyKind::graph_edge || in.from.is_call || !stamps_.seen(in.from))
      continue;
    const Epoch end = stamps_.operations[in.from.index].own;
    if (steps_.call_of(in.from.index) == stream.graph_launch && tails_[end.chain] == end.position) {
      return end.chain;
    }
  }
  if (stream.branches == stream.chains.size()) stream.chains.push_back(new_chain());
  return stream.chains[stream.branches++];
}

/// What a step knows that comes after both.
Stamp Order::join(const Stamp& a, const Stamp& b) {
  learner_.begin(a);
  learner_.keep_own();
  learner_.learn(b);
  return {learner_.finish(), {}, {}};
}

}  // namespace millrace::checker
