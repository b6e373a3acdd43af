// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The host threads of a run: fibers in virtual time. One runs at a time, always the one with the
/// smallest clock, ties in order of start; everything at time t happens on the devices before host
/// steps at t. Nothing here reads a clock, an address or a random number to decide.

#include "fiber_scheduler.hpp"
#include "hosts.hpp"
#include "recorder.hpp"
#include "sim_backend.hpp"
#include "watchdog.hpp"

#include <millrace/host.hpp>

#include <boost/intrusive_ptr.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace millrace::sim {

/// So often in a row a thread may ask in vain while nothing else can go on: then it is a deadlock.
inline constexpr std::uint32_t fruitless_polls_allowed = 1000;
/// In an explored run, so often in a row a thread is told that work is not done, which may be.
inline constexpr std::uint32_t unfinished_in_a_row = 2;

/// A host thread of a run.
struct HostFiber final : Fiber {
  enum class State : std::uint8_t {
    ready,
    running,
    waiting,  ///< in Hosts::wait
    polling,  ///< in Hosts::idle
    away,     ///< yields or blocks in one of Boost.Fiber's own primitives
    ended,
  };
  TraceIndex index = none;
  Name name;
  const char* text = "";  ///< of the name
  SourceLocation started;
  Time clock;
  State state = State::away;
  bool begun = false;
  bool serves = false;  ///< runs a device's host functions, before other steps at the same time
  Waiting* waiting = nullptr;
  const HostFiber* lingers_for = nullptr;  ///< the run is given up, but that one unwinds first
  int uncaught_at_start = 0;               ///< exceptions in flight around the run
  std::uint32_t fruitless_polls = 0;       ///< in a row
  Time polls_until = Time::never();        ///< while it polls: time goes on for it up to then
  TraceIndex operation = none;             ///< the host function that it runs
  TraceIndex birth = none;                 ///< its start among the run's orders
  Actor actor;                             ///< who it is to the chooser
  std::uint64_t rests_since = 0;           ///< in an explored run: polls until more has happened
  std::uint32_t told_unfinished = 0;       ///< in an explored run: in a row
  std::shared_ptr<HostThread> runtime;
};

/// "host thread 'main'"
std::string mention(const HostFiber& thread);

class FiberHosts final : public Hosts, private FiberPolicy {
 public:
  /// `latest` bounds virtual time. With a chooser the run is an explored one.
  FiberHosts(Recorder& recorder, Time latest, Chooser* chooser = nullptr);
  ~FiberHosts() override;

  /// The run of the calling operating-system thread; null outside of one.
  static FiberHosts* of_this_thread() noexcept;

  /// Runs `body` as the main host thread, and everything that it starts, to its end or to a
  /// deadlock. Rethrows the first exception of a body.
  void run(std::shared_ptr<SimMachine> machine, const std::function<void()>& body);

  [[nodiscard]] bool deadlocked() const { return deadlocked_; }
  [[nodiscard]] bool given_up() const { return given_up_; }
  /// Who waited for what when a deadlock ended the run, in words.
  [[nodiscard]] const std::string& blocked_text() const { return blocked_text_; }
  /// The latest clock of a host thread.
  [[nodiscard]] Time end() const { return end_; }
  /// Different for every run of the process.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }
  [[nodiscard]] const RunProgress& progress() const { return progress_; }

  /// The host thread that runs now.
  [[nodiscard]] HostFiber& running() { return *running_; }
  /// The host thread that is inside an event loop, if one is.
  [[nodiscard]] HostFiber*& inside_loop() { return inside_loop_; }
  /// Whether the body of a kernel, copy or fill runs now: it must not wait for anything.
  [[nodiscard]] bool in_operation() const { return advancing_; }
  /// Starts a host thread at the caller's clock; it runs when its turn comes.
  HostFiber& start(Name name, std::function<void()> body, SourceLocation where);
  [[nodiscard]] HostFiber& thread(TraceIndex index) { return threads_[index]; }
  /// The caller waits for the end of `thread`; safe to call in a destructor while unwinding, when
  /// it still lets `thread` unwind first: that one may use what the caller owns.
  void join(HostFiber& thread, Waiting& waiting);
  /// Order that goes from the calls of one thread up to `from` to those of another from `to` on.
  void order(const HostFiber& from_thread, TraceIndex from, const HostFiber& to_thread,
             TraceIndex to, DependencyKind kind);
  /// The index that the next recorded call gets.
  [[nodiscard]] TraceIndex next_call();
  /// Throws RunStopped when the run was given up. False: it was, but the caller unwinds already.
  bool may_go_on();
  /// In an explored run: a call begins that others may notice. Returns when the caller is chosen
  /// and, where there is a gate, that one is ready.
  void take_turn(Waiting* gate = nullptr);
  /// A number for what steps of an explored run touch.
  [[nodiscard]] std::uint64_t new_thing() { return things_++; }

  // Hosts
  std::unique_lock<std::mutex> lock() override { return {}; }
  HostId current(const CallSite* site) override;
  Time now() override { return advancing_ ? advanced_to_ : running_->clock; }
  void spend(Duration cost, std::unique_lock<std::mutex>& lock) override;
  void wait(Waiting& waiting, std::unique_lock<std::mutex>& lock) override;
  bool idle(Time deadline, std::unique_lock<std::mutex>& lock) override;
  void changed(Time at) override;
  void run_host_function(int server, Time at, std::function<void()> body,
                         std::function<void(Time)> done, TraceIndex operation) override;
  [[nodiscard]] bool moves_time() const override { return true; }
  void stand_by(Name name, std::function<void()> body, std::function<void()> at_end) override;
  void failed(std::exception_ptr exception) override { give_up(std::move(exception)); }
  void run_demanded() override;
  void rest(std::unique_lock<std::mutex>& lock) override;
  bool may_wait_longer() override { return running_->told_unfinished < unfinished_in_a_row; }
  void told_done(bool done) override;

 private:
  struct HostFunction {
    Time at;
    std::function<void()> body;
    std::function<void(Time)> done;
    TraceIndex operation = none;
  };
  struct Server {
    HostFiber* fiber = nullptr;
    std::deque<HostFunction> functions;
  };
  struct Order {
    TraceIndex from_thread;
    TraceIndex from;
    TraceIndex to_thread;
    TraceIndex to;
    DependencyKind kind;
  };
  class ServerWaiting;
  class EndWaiting;
  class Installation;

  // FiberPolicy
  Fiber* next() noexcept override;
  void left(bool ended) noexcept override;
  void woken(Fiber& fiber, bool yielded) noexcept override;
  Fiber& adopt() noexcept override;
  void dispatched(Fiber& fiber) noexcept override;
  void nobody() noexcept override;
  [[nodiscard]] bool any_ready() const noexcept override;

  // Whose turn it is.
  HostFiber& add_thread(Name name, SourceLocation where);
  void make_ready(HostFiber& fiber, Time at);
  HostFiber* choose();
  HostFiber* choose_to_unwind();
  HostFiber* first_poller();
  [[nodiscard]] Time earliest_poller() const;
  void wake_pollers(Time at);
  bool others_come_before(const HostFiber& self);
  void pass_turn(HostFiber& self);
  void enter(HostFiber& fiber);

  // The same in an explored run (fiber_explored.cpp).
  HostFiber* choose_freely();
  void gather_actors();
  [[nodiscard]] bool can_act(const HostFiber& fiber) const;
  HostFiber* start_function(Actor function);
  HostFiber* let_act(HostFiber& fiber);
  HostFiber* without_actors();
  void wait_freely(Waiting& waiting);

  // Time.
  [[nodiscard]] Time next_happening() const;
  void advance(Time to);
  bool hear_before(Time to);
  bool hear();
  void settle();

  // Lives and deaths.
  void live(HostFiber& self, std::function<void()> body);
  void end(HostFiber& self);
  HostFiber& launch(HostFiber& fiber, std::function<void()> body);
  HostFiber& add_server(Name name);
  [[nodiscard]] bool servers_stand_by() const;
  void serve(HostFiber& self, Server& server);
  void finish(HostFiber& main);
  void linger_for(const HostFiber& thread);
  void give_up(std::exception_ptr failure);
  void give_up_in_deadlock();
  void give_up_too_late();
  [[nodiscard]] Blocked poll_of(const HostFiber& fiber) const;
  [[noreturn]] void die_stuck() const;
  void write_orders();
  [[nodiscard]] Step last_call(TraceIndex thread, TraceIndex before) const;

  Recorder& recorder_;
  const Time latest_;
  const std::uint32_t number_;
  RunProgress progress_;
  boost::intrusive_ptr<FiberScheduler> scheduler_;
  std::shared_ptr<SimMachine> machine_;
  Clockwork* clockwork_ = nullptr;

  std::deque<HostFiber> threads_;   // by index
  std::vector<HostFiber*> living_;  // in order of start; the main thread first, to the last
  std::vector<HostFiber*> ready_;   // a heap: the next one first
  std::vector<HostFiber*> waiting_;
  std::deque<HostFiber*> polling_;                // first in, first out
  std::vector<std::unique_ptr<Server>> servers_;  // by device
  HostFiber* running_ = nullptr;
  HostFiber* inside_loop_ = nullptr;
  std::size_t away_ = 0;      // how many are away
  std::size_t programs_ = 0;  // living ones that are no servers
  std::size_t serving_ = 0;   // host functions that have not returned

  std::size_t deadlines_ = 0;  // how many of waiting_ have one

  bool changed_ = false;  // something that those in waiting_ have not been asked about
  Time changed_at_;
  std::uint64_t activity_ = 0;  // counts what may matter to who polls
  bool advancing_ = false;
  Time advanced_to_;
  Time end_;

  // Explored runs.
  std::vector<Actor> actors_;           // who can act …
  std::vector<HostFiber*> candidates_;  // … and, where it is a thread, which
  HostFiber* serving_now_ = nullptr;    // whose host function was started last
  Time frontier_;                       // nobody acts earlier
  std::uint64_t things_ = 0;

  bool given_up_ = false;
  bool deadlocked_ = false;
  bool finishing_ = false;  // the main thread is done, and leaves last
  std::exception_ptr failure_;
  std::string blocked_text_;
  std::vector<Order> orders_;
  std::vector<std::vector<TraceIndex>> calls_;  // by thread; while orders are written
};

}  // namespace millrace::sim
