// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What a trace's program orders: a stamp for each step, from one pass over the steps.

#include "clocks.hpp"
#include "guarantees.hpp"
#include "stamps.hpp"
#include "steps.hpp"

#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace millrace::checker {

/// Which order is asked for.
enum class Scope : std::uint8_t {
  everything,
  /// The order in which threads took locks is an accident of the run.
  without_locks,
  /// Only what the host threads themselves order, whatever the device does: program order, start
  /// and join of threads, signals. Locks and the order of enqueues by several threads are
  /// accidents.
  host_threads,
};

/// Whose stamps a pass keeps.
enum class Keep : std::uint8_t {
  all_steps,
  /// Only of steps that later ones will ask for, so that memory follows what is under way at one
  /// time, not the length of the run.
  live_steps,
};

/// The order of all steps of a trace.
Stamps order_of(const Steps& steps, Scope scope = Scope::everything);

/// One pass. Fed with the steps in the order in which they happened, it stamps each from the stamps
/// of what came before it, in time proportional to its dependencies, and never looks back at it.
///
/// One that keeps live steps only is to `forget` each step after it has been fed and looked at.
class Order {
 public:
  /// `before` is what the pass before gave, if there was one: it says what may be assumed about
  /// steps that this pass has not seen yet (see Guarantees). Both arguments must outlive the pass.
  explicit Order(const Steps& steps, Scope scope = Scope::everything,
                 const Stamps* before = nullptr, Keep keep = Keep::all_steps);
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  void feed(Step step);
  /// Frees what nobody will ask for after this step.
  void forget(Step step);

  [[nodiscard]] const Stamps& stamps() const { return stamps_; }
  [[nodiscard]] const Guarantees& guarantees() const { return guarantees_; }
  /// Whether the stamps are those of the program's order. A single pass with live steps cannot tell
  /// what an await may rely on, or a damaged trace means, when it takes steps that are yet to come.
  [[nodiscard]] bool is_sure() const;
  /// How many clocks' components and stamps there is room for.
  [[nodiscard]] std::size_t room() const;
  /// Ends the pass and gives its result away.
  [[nodiscard]] Stamps finish();

 private:
  struct Thread {
    ChainId chain = no_chain;
    ClockId clock = empty_clock;
    std::uint32_t calls_left = 0;
    TraceIndex function = none;  // where the thread serves host functions: the one it is in
    ClockId function_clock = empty_clock;
  };
  struct Stream {
    Stamp last;  // of its last operation, or of all of the last graph launch
    ClockId enqueue_clock = empty_clock;  // of the last call, already learned
    std::uint32_t operations_left = 0;
    std::vector<ChainId> chains;     // the first is its own, others serve branches of graphs
    TraceIndex graph_launch = none;  // the call whose nodes are running
    Stamp before_graph;
    std::size_t branches = 0;  // how many of the chains this launch uses
  };
  struct Late {
    TraceIndex call = none;
    TraceIndex operation = none;
  };

  void feed_call(TraceIndex call);
  /// Where the call stands: known from its begin on, because operations that it enqueues may run
  /// before it returns.
  Stamps::Call& begin_call(TraceIndex call) {
    Stamps::Call& stamp = stamps_.calls.add(call);
    if (stamp.begin.chain == no_chain) begin_call(call, stamp);
    return stamp;
  }
  void begin_call(TraceIndex call, Stamps::Call& stamp);
  void begin_inside(TraceIndex function, Thread& thread, Stamps::Call& stamp);
  void begin_on_thread(std::span<const Incoming> incoming, Thread& thread, Stamps::Call& stamp);
  void learn_into_call(TraceIndex call, std::span<const Incoming> incoming);
  [[nodiscard]] TraceIndex staged_by(TraceIndex call) const;
  [[nodiscard]] bool has_host_side(TraceIndex operation) const;
  void learn_start_of(TraceIndex operation);
  void join_late(TraceIndex call);

  void feed_operation(TraceIndex operation);
  const Stamps::Call* issuer_of(TraceIndex operation);
  [[nodiscard]] bool only_follows(const Stream& stream, const Stamps::Call* call,
                                  TraceIndex index) const;
  void learn_enqueue(Stream& stream, const Stamps::Call* call, bool node);
  void learn_dependencies(TraceIndex operation);
  Stamp join(const Stamp& a, const Stamp& b);

  [[nodiscard]] std::uint32_t uses_of_call(TraceIndex call) const;
  [[nodiscard]] std::uint32_t uses_of_operation(TraceIndex operation) const;
  void release(Step step);
  /// Whether the operation has a host side that is over when its call returns, which it is before.
  [[nodiscard]] bool awaits_return(TraceIndex operation, TraceIndex call) const {
    const Trace& trace = steps_.trace();
    return operation < trace.operations.size() &&
           trace.operations[operation].sequence < trace.calls[call].sequence &&
           trace.calls[call].operation == operation && has_host_side(operation);
  }
  void collect_clocks();

  void count_totals();
  ChainId new_chain();
  ChainId chain_after_known();
  ChainId chain_of(Stream& stream);
  ChainId chain_of_node(Stream& stream, TraceIndex operation);
  static void enter_graph(Stream& stream, TraceIndex launch);

  const Steps& steps_;
  Scope scope_;
  Keep keep_;
  Stamps stamps_;
  Learner learner_{stamps_.clocks};
  Guarantees guarantees_;
  std::vector<Thread> threads_;
  std::vector<Stream> streams_;
  std::vector<Position> tails_;   // by chain: the last position given
  std::vector<ChainId> retired_;  // chains whose stream or thread has ended
  bool retires_ = false;          // chains, of which there are many
  std::vector<Late> late_;        // calls that join an operation that is already under way
  // While only live steps are kept.
  std::size_t most_clock_words_ = 0;  // before they are looked through
  TraceIndex now_ = 0;                // the sequence number of the step at hand
  bool is_lost_ = false;
};

}  // namespace millrace::checker
