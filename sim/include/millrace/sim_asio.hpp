// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Boost.Asio in virtual time: its event loop and its timers inside sim::run. Needs the headers of
/// Boost.Asio 1.81 or newer.

#include <millrace/sim.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace millrace::sim {

/// Virtual time as a clock of std::chrono.
struct clock {  // NOLINT(readability-identifier-naming): named as in std
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<clock>;
  static constexpr bool is_steady = true;

  static time_point now() { return time_point(duration(sim::now().ns)); }
};

/// Asio asks how long it should sleep until its next timer: not at all, but run_context, which
/// looks from here, lets virtual time go on.
class TimerTraits {
 public:
  static clock::duration to_wait_duration(const clock::duration& left) {
    next_ = std::min(next_, sim::now() + Duration(left));
    return clock::duration::zero();
  }
  static clock::duration to_wait_duration(const clock::time_point& at) {
    return to_wait_duration(at - clock::now());
  }

 private:
  friend std::size_t run_context(boost::asio::io_context& context, SourceLocation where);

  inline static thread_local Time next_;
};

/// A timer in virtual time, for contexts that run_context runs.
using timer = boost::asio::basic_waitable_timer<clock, TimerTraits>;

/// io_context::run in virtual time: runs handlers on the calling host thread until there is no work
/// left or the context was stopped, and returns how many. What counts is what the run itself brings
/// about: an io_context that waits for a socket or a real clock only is deadlocked.
/// Throws what handlers throw, and Error{NotPermitted} outside of a run.
inline std::size_t run_context(boost::asio::io_context& context,
                               SourceLocation where = SourceLocation::current()) {
  const auto poll = [&context] {
    TimerTraits::next_ = Time::never();
    LoopStep step;
    step.handlers = context.poll();
    step.next_timer = TimerTraits::next_;
    step.stopped = context.stopped();
    return step;
  };
  return run_event_loop(poll, {"sim::run_context", where});
}

}  // namespace millrace::sim
