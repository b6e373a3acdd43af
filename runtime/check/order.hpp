// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What a trace's program orders: a stamp for each step, from one pass over the steps.

#include "clocks.hpp"
#include "stamps.hpp"
#include "steps.hpp"

#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace millrace::checker {

class Guarantees;

/// Which order is asked for.
enum class Scope : std::uint8_t {
  everything,
  /// Only what the host threads themselves order, whatever the device does: program order, start
  /// and join of threads, signals. Locks and the order of enqueues by several threads are
  /// accidents.
  host_threads,
};

/// The order of all steps of a trace.
Stamps order_of(const Steps& steps, Scope scope = Scope::everything);

/// One pass. Fed with the steps in the order in which they happened, it stamps each from the stamps
/// of what came before it, in time proportional to its dependencies, and never looks back at it.
class Order {
 public:
  /// `before` is what the pass before gave, if there was one: it says what may be assumed about
  /// steps that this pass has not seen yet (see Guarantees). Both arguments must outlive the pass.
  explicit Order(const Steps& steps, Scope scope = Scope::everything,
                 const Stamps* before = nullptr);
  ~Order();
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  void feed(Step step);

  [[nodiscard]] const Stamps& stamps() const { return stamps_; }
  [[nodiscard]] const Guarantees& guarantees() const { return *guarantees_; }
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
  Stamps::Call& begin_call(TraceIndex call);
  void begin_inside(TraceIndex function, Thread& thread, Stamps::Call& stamp);
  void begin_on_thread(TraceIndex call, Thread& thread, Stamps::Call& stamp);
  void learn_into_call(TraceIndex call, std::span<const Incoming> incoming);
  [[nodiscard]] TraceIndex staged_by(TraceIndex call) const;
  void learn_start_of(TraceIndex operation);
  void join_late(TraceIndex call);

  void feed_operation(TraceIndex operation);
  const Stamps::Call* issuer_of(TraceIndex operation);
  void learn_enqueue(Stream& stream, const Stamps::Call* call, bool node);
  void learn_dependencies(TraceIndex operation);
  Stamp join(const Stamp& a, const Stamp& b);

  ChainId new_chain();
  ChainId chain_after_known();
  ChainId chain_of(Stream& stream);
  ChainId chain_of_node(Stream& stream, TraceIndex operation);
  static void enter_graph(Stream& stream, TraceIndex launch);

  const Steps& steps_;
  Scope scope_;
  Stamps stamps_;
  Learner learner_{stamps_.clocks};
  std::unique_ptr<Guarantees> guarantees_;
  std::vector<Thread> threads_;
  std::vector<Stream> streams_;
  std::vector<Position> tails_;   // by chain: the last position given
  std::vector<ChainId> retired_;  // chains whose stream or thread has ended
  std::vector<Late> late_;        // calls that join an operation that is already under way
};

}  // namespace millrace::checker
