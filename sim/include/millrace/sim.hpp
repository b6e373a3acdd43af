// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The simulator: deterministic runs of stream programs on virtual devices, in virtual time.

#include <millrace/backend.hpp>
#include <millrace/check.hpp>
#include <millrace/device.hpp>
#include <millrace/error.hpp>
#include <millrace/inject.hpp>
#include <millrace/name.hpp>
#include <millrace/script.hpp>
#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace millrace::sim {

/// How to simulate.
struct Options {
  std::string profile = "ideal";     ///< the device's timing: a name, or a profile file
  int devices = 1;                   ///< number of simulated devices, 1 to 64
  std::uint64_t seed = 0;            ///< for what is left to chance; the same seed, the same run
  bool trace = true;                 ///< keep the trace, without which there are no findings
  std::uint64_t max_operations = 0;  ///< stop with Error{LaunchTimeout} beyond; 0: no bound
  Duration max_time{0};              ///< the same for virtual time; 0: up to Time::latest()
  /// Real time without progress after which the watchdog names, on standard error, the host thread
  /// that blocks the operating-system thread; 0: never.
  Duration watchdog{10'000'000'000};
  Injection inject{};  ///< faults that the run meets on purpose
};

/// What a run gave.
struct Report {
  std::vector<Finding> findings;
  Trace trace;
  Time end_time;       ///< when all work, host work included, was done
  std::string replay;  ///< token that repeats this run
};

/// Runs `body` as the main host thread of a fresh simulated machine, and everything that it starts,
/// to its end: all host threads have returned and all enqueued work is done. Blocking calls inside
/// advance virtual time. When nothing can go on, that is a deadlock finding, not a hang: the
/// blocked host threads are unwound by an exception that is no std::exception.
///
/// Runs on the calling thread; host threads are fibers. Deterministic for equal programs and
/// options. Exceptions of bodies and host functions end the run and leave `run`. Runs do not nest:
/// Error{NotPermitted}. Bad options: Error{InvalidValue}.
Report run(const Options& options, const std::function<void()>& body);
Report run(const std::function<void()>& body);

/// A script's run, judged.
struct ScriptReport {
  Verdict verdict;
  Report report;
};

/// Runs a script on a fresh simulated machine: its profile and number of devices, unless `options`
/// names another profile ("" keeps the script's), and judges what it expects.
ScriptReport run(const Script& script, Options options = {.profile = ""},
                 const JudgeOptions& judging = {});

/// The virtual time of the calling host thread. Outside a run: of the process's own machine.
[[nodiscard]] Time now();
/// Lets virtual time pass for the calling host thread, as computation would; a negative duration is
/// none. More than Duration::longest(): Error{InvalidValue}.
void sleep_for(Duration duration, SourceLocation where = SourceLocation::current());

/// One look at an event loop.
struct LoopStep {
  std::size_t handlers = 0;         ///< how many were ready, and have run
  Time next_timer = Time::never();  ///< when the next one will be, if time alone makes it so
  bool stopped = false;             ///< there is nothing left to do
};
/// Runs somebody's event loop on the calling host thread of a run until it has stopped; returns the
/// number of handlers. `poll` must do what is ready and not block; whenever nothing is, other host
/// threads and virtual time go on, and when they cannot, that is a deadlock. Host threads take
/// turns in event loops: a handler that blocks holds those of all of them. For Asio's, see
/// sim_asio.hpp. Throws Error{NotPermitted} outside of a run.
std::size_t run_event_loop(const std::function<LoopStep()>& poll, const CallSite& site);

/// A host thread of the simulated machine: std::thread's meaning in virtual time, only inside a
/// run.
class thread {  // NOLINT(readability-identifier-naming): named as in std
 public:
  thread() = default;
  explicit thread(std::function<void()> body, SourceLocation where = SourceLocation::current())
      : thread(Name{}, std::move(body), where) {}
  /// `name` is what reports call it. Runs when its turn comes, not before the caller blocks.
  thread(Name name, std::function<void()> body, SourceLocation where = SourceLocation::current());
  thread(thread&& other) noexcept;
  thread& operator=(thread&& other) noexcept;  ///< joins first what it held
  ~thread();                                   ///< joins

  [[nodiscard]] bool joinable() const noexcept { return id_ != 0; }
  /// Waits until it has ended.
  void join(SourceLocation where = SourceLocation::current());
  /// Lets it run to its end on its own; the run waits for it.
  void detach() noexcept { id_ = 0; }

 private:
  void join_quietly() noexcept;

  Handle id_ = 0;
};

/// A lock between host threads and host functions of a run. It orders the calls, not the work that
/// they enqueue. Fulfils std::lock_guard's and std::unique_lock's needs.
class mutex {  // NOLINT(readability-identifier-naming)
 public:
  explicit mutex(Name name = {});
  ~mutex();
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock(SourceLocation where = SourceLocation::current());
  [[nodiscard]] bool try_lock(SourceLocation where = SourceLocation::current());
  void unlock(SourceLocation where = SourceLocation::current());

 private:
  friend class condition_variable;
  struct State;
  std::shared_ptr<State> state_;
};

/// Waiting for a condition under a sim::mutex. No spurious wake-ups; notify_one wakes the thread
/// that has waited longest.
class condition_variable {
 public:
  explicit condition_variable(Name name = {});
  ~condition_variable();
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  void notify_one(SourceLocation where = SourceLocation::current());
  void notify_all(SourceLocation where = SourceLocation::current());
  /// `lock` must hold its mutex.
  void wait(std::unique_lock<mutex>& lock, SourceLocation where = SourceLocation::current());
  template <typename Predicate>
  void wait(std::unique_lock<mutex>& lock, Predicate predicate,
            SourceLocation where = SourceLocation::current()) {
    while (!predicate()) wait(lock, where);
  }
  /// False when the time was up before a notification, in virtual time. More than
  /// Duration::longest() is for ever.
  bool wait_for(std::unique_lock<mutex>& lock, Duration timeout,
                SourceLocation where = SourceLocation::current());

 private:
  struct State;
  bool wait_until(std::unique_lock<mutex>& lock, Time deadline, const CallSite& site);
  std::shared_ptr<State> state_;
};

}  // namespace millrace::sim
