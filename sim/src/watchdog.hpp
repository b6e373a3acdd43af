// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Names, after some real time without progress, the host thread that blocks the operating-system
/// thread of a run. Has no effect on results.

#include <millrace/source_location.hpp>
#include <millrace/time.hpp>

#include <atomic>
#include <cstdint>

namespace millrace::sim {

/// Where a run stands: written by its operating-system thread, read by the watchdog.
class RunProgress {
 public:
  /// Something went on. A few instructions: called at every step.
  void step() noexcept {
    steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// This host thread goes on; its name, "" if it has none, lives as long as the process.
  void runs(std::uint32_t thread, const char* name, SourceLocation started) noexcept {
    thread_.store(thread, std::memory_order_relaxed);
    name_.store(name, std::memory_order_relaxed);
    place(started, false);
  }
  /// It calls the API there.
  void calls(SourceLocation where) noexcept { place(where, true); }
  /// It runs the bodies of operations.
  void in_operation(bool now) noexcept { in_operation_.store(now, std::memory_order_relaxed); }

 private:
  friend class Watchdog;
  void place(SourceLocation where, bool called) noexcept {
    file_.store(where.file, std::memory_order_relaxed);
    line_.store(where.line, std::memory_order_relaxed);
    called_.store(called, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> steps_{0};
  std::atomic<std::uint32_t> thread_{0};
  std::atomic<const char*> name_{""};
  std::atomic<const char*> file_{""};
  std::atomic<std::uint32_t> line_{0};
  std::atomic<bool> called_{false};
  std::atomic<bool> in_operation_{false};
};

/// Watches a run for a scope. `patience` of zero: does nothing.
class WatchdogScope {
 public:
  [[nodiscard]] WatchdogScope(const RunProgress& progress, Duration patience);
  ~WatchdogScope();
  WatchdogScope(const WatchdogScope&) = delete;
  WatchdogScope& operator=(const WatchdogScope&) = delete;

 private:
  const RunProgress* watched_ = nullptr;
};

}  // namespace millrace::sim
