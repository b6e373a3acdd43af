// SPDX-License-Identifier: Apache-2.0
#include "watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace millrace::sim {
namespace {

// Real time, because it is the real thread that hangs; nothing that it finds out reaches a run.
using Clock = std::chrono::steady_clock;  // style-ok: the watchdog's whole purpose
using namespace std::chrono_literals;     // style-ok: literals only

constexpr Clock::duration longest_tick = 1s;
constexpr Clock::duration shortest_tick = 2ms;

}  // namespace

/// One for the process, with one detached thread. Never destroyed: that thread never ends.
class Watchdog {
 public:
  static Watchdog& instance() {
    static auto* const watchdog = new Watchdog;
    return *watchdog;
  }

  void add(const RunProgress& progress, Duration patience) {
    const std::lock_guard lock(mutex_);
    const auto real = std::chrono::nanoseconds(patience.ns);
    watched_.push_back({.progress = &progress, .patience = real});
    if (!is_started_) start();
    if (is_asleep_ || tick_for(real) < tick_) changed_.notify_one();
  }

  void remove(const RunProgress& progress) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(watched_, [&](const Watched& one) { return one.progress == &progress; });
  }

 private:
  struct Watched {
    const RunProgress* progress;
    Clock::duration patience;
    bool seen = false;  // else `since` and `steps` say nothing yet
    bool warned = false;
    std::uint64_t steps = 0;
    Clock::time_point since{};
  };

  static Clock::duration tick_for(Clock::duration patience) {
    return std::clamp(patience / 4, shortest_tick, longest_tick);
  }

  void start() {
    is_started_ = true;
    try {
      std::thread([this] { watch(); }).detach();
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): then nobody watches
    }
  }

  [[noreturn]] void watch() {
    std::unique_lock lock(mutex_);
    while (true) {
      is_asleep_ = watched_.empty();
      if (is_asleep_) changed_.wait(lock, [this] { return !watched_.empty(); });
      is_asleep_ = false;
      tick_ = longest_tick;
      for (const Watched& one : watched_) tick_ = std::min(tick_, tick_for(one.patience));
      changed_.wait_for(lock, tick_);
      for (Watched& one : watched_) look(one);
    }
  }

  static void look(Watched& one) {
    const std::uint64_t steps = one.progress->steps_.load(std::memory_order_relaxed);
    const Clock::time_point now = Clock::now();
    if (!one.seen || steps != one.steps) {
      one.seen = true;
      one.warned = false;
      one.steps = steps;
      one.since = now;
    } else if (!one.warned && now - one.since >= one.patience) {
      one.warned = true;
      warn(*one.progress, now - one.since);
    }
  }

  static void warn(const RunProgress& progress, Clock::duration stalled) {
    const std::string_view name = progress.name_.load(std::memory_order_relaxed);
    const std::string thread =
        name.empty() ? "thread " + std::to_string(progress.thread_.load(std::memory_order_relaxed))
                     : "'" + std::string(name) + "'";
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(stalled).count();
    std::string text = "millrace: watchdog: no progress for " + std::to_string(ms) + " ms: ";
    if (progress.in_operation_.load(std::memory_order_relaxed)) {
      text += "the body of an operation, run while time passes for host thread " + thread + ",";
    } else {
      text += "host thread " + thread;
    }
    text += " blocks the operating-system thread that all host threads of the run share";
    const std::uint32_t line = progress.line_.load(std::memory_order_relaxed);
    if (line != 0) {
      text += progress.called_.load(std::memory_order_relaxed) ? "; it last called the API at "
                                                               : "; it was started at ";
      text += progress.file_.load(std::memory_order_relaxed);
      text += ":" + std::to_string(line);
    }
    text +=
        ". Inside sim::run, block with sim::mutex, sim::condition_variable, sim::sleep_for and "
        "sim::thread instead.\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Watched> watched_;
  Clock::duration tick_ = longest_tick;
  bool is_started_ = false;
  bool is_asleep_ = false;
};

WatchdogScope::WatchdogScope(const RunProgress& progress, Duration patience) {
  if (patience <= Duration{0}) return;
  Watchdog::instance().add(progress, patience);
  watched_ = &progress;
}

WatchdogScope::~WatchdogScope() {
  if (watched_ != nullptr) Watchdog::instance().remove(*watched_);
}

}  // namespace millrace::sim
