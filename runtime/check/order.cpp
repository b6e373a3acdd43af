// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include "walk.hpp"

#include <algorithm>
#include <utility>

namespace millrace::checker {
namespace {

/// Enough for any program that a person writes; each pass only takes orders away.
constexpr int most_passes = 64;
/// Of the chains that nobody uses any more, how many are tried for a new stream or thread.
constexpr std::size_t tried_chains = 8;
/// With so few streams and threads it does not matter that some have ended.
constexpr std::size_t few_chains = 48;

}  // namespace

Stamps order_of(const Steps& steps, Scope scope) {
  Stamps stamps;
  std::vector<Position> trail;
  for (int pass = 0; pass < most_passes; ++pass) {
    Order order(steps, scope, pass == 0 ? nullptr : &stamps);
    Walk walk(steps.trace());
    for (Step step = walk.next(); step.exists(); step = walk.next()) order.feed(step);
    const Guarantees& guarantees = order.guarantees();
    const bool done = pass == 0 ? !guarantees.looked_ahead() : guarantees.trail() == trail;
    trail = guarantees.trail();
    stamps = order.finish();
    if (done) break;
  }
  return stamps;
}

Order::Order(const Steps& steps, Scope scope, const Stamps* before, Keep keep)
    : steps_(steps),
      scope_(scope),
      keep_(keep),
      guarantees_(steps, stamps_, before),
      threads_(steps.trace().threads.size()),
      streams_(steps.trace().streams.size()) {
  if (keep == Keep::all_steps) {
    stamps_.calls.keep_all(steps.trace().calls.size());
    if (scope != Scope::host_threads) stamps_.operations.keep_all(steps.trace().operations.size());
  }
  count_totals();
}

Stamps Order::finish() { return std::move(stamps_); }

void Order::feed(Step step) {
  now_ = steps_.sequence(step);
  if (step.is_call) {
    if (steps_.thread_of(step.index) != none) feed_call(step.index);
  } else if (scope_ != Scope::host_threads && steps_.stream_of(step.index) != none) {
    feed_operation(step.index);
  }
}

/// The steps of each stream and thread, to see when it has ended.
void Order::count_totals() {
  retires_ = streams_.size() + threads_.size() > few_chains;
  if (!retires_) return;
  const Steps::Totals totals = steps_.totals();
  for (TraceIndex i = 0; i < threads_.size(); ++i) threads_[i].calls_left = totals.by_thread[i];
  for (TraceIndex i = 0; i < streams_.size(); ++i) {
    streams_[i].operations_left = totals.on_stream[i];
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
  if (!guarantees_.several_sources()) {
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

// Operations ------------------------------------------------------------------------------------

void Order::feed_operation(TraceIndex index) {
  Stream& stream = streams_[steps_.stream_of(index)];
  const bool node = steps_.is_graph_node(index);
  const TraceIndex launch = node ? steps_.call_of(index) : none;
  if (stream.graph_launch != launch) enter_graph(stream, launch);

  const Stamps::Call* const call = issuer_of(index);
  Stamps::Operation& stamp = stamps_.operations.add(index);
  if (call != nullptr) stamp.issuer = call->begin;
  stamp.clock = stream.last.clock;
  ChainId chain = stream.last.own.chain;
  if (node || !only_follows(stream, call, index)) {
    learner_.begin(node ? stream.before_graph : stream.last);
    learn_enqueue(stream, call, node);
    learn_dependencies(index);
    chain = node ? chain_of_node(stream, index) : chain_of(stream);
    stamp.clock = learner_.finish();
  }
  stamp.own = {chain, ++tails_[chain]};
  stamp.end_clock = stamp.clock;
  if (keep_ == Keep::live_steps) stamp.uses = uses_of_operation(index);
  const Stamp last{stamp.clock, stamp.own, stamp.issuer};
  stream.last = node ? join(stream.last, last) : last;
  if (retires_ && --stream.operations_left == 0) {
    retired_.insert(retired_.end(), stream.chains.begin(), stream.chains.end());
    if (keep_ == Keep::live_steps) stream = {};
  }
}

/// Whether the operation has nothing to learn: it follows one of its stream that the same thread
/// enqueued, which has learned nothing since.
bool Order::only_follows(const Stream& stream, const Stamps::Call* call, TraceIndex index) const {
  return call != nullptr && call->begin.chain == stream.last.issuer.chain &&
         call->begin_clock == stream.enqueue_clock &&
         steps_.incoming(Step::operation(index)).empty() && !guarantees_.covers_operation(index);
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
  const bool judged = guarantees_.covers_operation(index);
  for (const Incoming& in : incoming) {
    if (judged && in.kind == DependencyKind::flag) continue;
    if (stamps_.seen(in.from)) {
      stamps_.learn_result(learner_, in.from);
    } else if (in.from.is_call && keep_ == Keep::all_steps) {
      late_.push_back({in.from.index, index});
    } else {
      is_lost_ = true;
    }
  }
  if (judged) guarantees_.await_flag(index, learner_);
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
