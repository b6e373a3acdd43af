// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Host threads in virtual time: who runs, who waits for what, and when time goes on. Two ways:
/// FiberHosts inside sim::run (fibers under our own scheduler, fully deterministic) and ThreadHosts
/// for ordinary threads outside of it.

#include "chooser.hpp"

#include <millrace/host.hpp>
#include <millrace/name.hpp>
#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace millrace {
struct CallSite;
}

namespace millrace::sim {

/// What other processes have yet to say.
enum class News : std::uint8_t {
  none,       ///< nothing that matters
  asked_for,  ///< how things stand: a host thread has asked, and may ask again
  needed,     ///< a host thread or an operation cannot go on before
};

/// What moves virtual time: the engine, as the host threads see it. All calls are made under the
/// hosts' lock.
class Clockwork {
 public:
  virtual ~Clockwork() = default;
  /// The time of the next device event; Time::never() when nothing is under way.
  [[nodiscard]] virtual Time next_event() const = 0;
  /// Handles everything that happens up to and at `limit`.
  virtual void advance_to(Time limit) = 0;

  // Other processes, each with a clock of its own.
  [[nodiscard]] virtual News awaited_news() const { return News::none; }
  /// Time should not go beyond before there are news: they may be of an earlier time.
  [[nodiscard]] virtual Time stands_still_at() const { return Time::never(); }
  /// Takes in what there is. Whether there was anything.
  virtual bool take_news() { return false; }
  /// They are late: time does not stand still for those awaited now any more.
  virtual void go_on_without_news() {}

  // Explored runs, where devices do what is demanded and nothing else.
  /// Adds the host functions that can start, in order of enqueueing.
  virtual void startable_functions(std::vector<Actor>& /*functions*/) {}
  /// Demands what comes before it, and starts it after that.
  virtual void start_function(Actor /*function*/) {}
  /// Demands all that is enqueued but host functions. Whether there was any.
  virtual bool demand_rest() { return false; }
};

/// How often in a row, and at what distance of real time, one looks for news before they are late:
/// about two seconds.
inline constexpr int looks_for_news = 12'000;
inline constexpr std::chrono::microseconds news_pause{100};

/// What a blocked host thread waits for. `ready` is asked again whenever something may have
/// changed, under the lock; it must be cheap and without effects other than forgetting what is
/// done.
class Waiting {
 public:
  virtual ~Waiting() = default;
  virtual bool ready() = 0;
  /// In an explored run: demands of the devices what makes it ready.
  virtual void demand() {}
  ObjectKind kind = ObjectKind::nothing;  ///< what it waits for, for deadlock reports
  TraceIndex object = none;
  Step behind{};                  ///< the operation or call that it waits for, where there is one
  TraceIndex call = none;         ///< the trace's host call that waits, none when not traced
  Time deadline = Time::never();  ///< the wait ends then, ready or not
  bool background = false;        ///< waiting for ever is no deadlock: it only stands by
  /// Outside of runs: whether the devices go on for it. Inside they always do.
  [[nodiscard]] virtual bool drives() const { return true; }
};

/// A host thread that the scheduler knows.
struct HostId {
  TraceIndex index = none;  ///< in order of start; equals its index in the trace's thread table
};

/// Unwinds a host thread whose run was given up (a deadlock, an exception elsewhere, a bound).
/// No std::exception, so that tests do not take it for a failure of theirs; never swallow it.
struct RunStopped {};

class Hosts {
 public:
  virtual ~Hosts() = default;

  /// Guards the machine's state between ordinary threads; costs nothing with fibers. Never held
  /// while a host thread is switched or a host function runs.
  virtual std::unique_lock<std::mutex> lock() = 0;

  /// The calling host thread; makes it known at its first call. Where `site` is given, it is kept
  /// as the place of the thread's latest call, for the watchdog. Throws Error{NotPermitted} for an
  /// operating-system thread that has no part in the run.
  virtual HostId current(const CallSite* site = nullptr) = 0;
  /// The calling thread's clock.
  virtual Time now() = 0;
  /// Host time passes on the calling thread. Afterwards it is its turn: every thread with a smaller
  /// clock has gone on as far as it could, and all that happens on the devices up to its clock has.
  /// With Duration{0} it still handles device events up to the thread's clock. Once the run is
  /// given up: throws RunStopped, but returns at once where the thread unwinds already.
  virtual void spend(Duration cost, std::unique_lock<std::mutex>& lock) = 0;
  /// Returns when waiting.ready() or at its deadline, with the thread's clock at that moment.
  /// Throws RunStopped when the run is given up meanwhile, and at every later call of that thread
  /// but while it unwinds: then it returns at once. Outside a run throws Error{LaunchTimeout} when
  /// nothing can make it ready.
  virtual void wait(Waiting& waiting, std::unique_lock<std::mutex>& lock) = 0;
  /// Lets other threads, then time up to `deadline`, go on until something changed: see
  /// Backend::idle. False: asked several times in a row, and neither another thread nor a device
  /// could go on.
  virtual bool idle(Time deadline, std::unique_lock<std::mutex>& lock) = 0;
  /// A Waiting of some thread may have become ready at time `at`. Called by the engine and by
  /// whoever raises, unlocks or notifies.
  virtual void changed(Time at) = 0;

  /// Runs `body` (a host function's) as soon as possible at time `at`, on the device's server:
  /// one at a time per `server`, in order of submission, before host steps at `at`. When it has
  /// returned at time t, `done(t)` is called under the lock, never before this returns. An
  /// exception goes to `failed`. `operation` is the trace's, for order made inside the body.
  virtual void run_host_function(int server, Time at, std::function<void()> body,
                                 std::function<void(Time)> done, TraceIndex operation = none) = 0;
  /// Whether time goes on without a host thread that waits.
  [[nodiscard]] virtual bool moves_time() const = 0;
  /// Runs `body` on a host thread of its own that no one waits for while it waits in the
  /// background; it goes on for as long as the machine is used, then `at_end` runs there.
  virtual void stand_by(Name name, std::function<void()> body, std::function<void()> at_end) = 0;
  /// An operation's body or host function threw: ends the run, which rethrows it; outside a run the
  /// host thread that was driving rethrows it.
  virtual void failed(std::exception_ptr exception) = 0;

  /// Where the choices of an explored run come from; null in all others.
  [[nodiscard]] Chooser* chooser() const { return chooser_; }
  /// In an explored run: the devices do what was demanded.
  virtual void run_demanded() {}
  /// In an explored run: the caller has asked in vain, and others must go on before it asks again.
  virtual void rest(std::unique_lock<std::mutex>& /*lock*/) {}
  /// In an explored run: whether the caller may be told once more in a row that work is not done.
  virtual bool may_wait_longer() { return true; }
  /// In an explored run: what the caller was told.
  virtual void told_done(bool /*done*/) {}

 protected:
  Chooser* chooser_ = nullptr;
};

}  // namespace millrace::sim
