// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Host threads outside of runs: the process's own, real ones. Who waits drives the devices;
/// results depend on how the operating system interleaves the threads, as on real devices.

#include "hosts.hpp"

#include <millrace/backend.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <vector>

namespace millrace::sim {

class ThreadHosts final : public Hosts {
 public:
  /// A wait during which no thread does anything for `patience` of real time fails.
  explicit ThreadHosts(std::chrono::milliseconds patience = std::chrono::seconds(10));

  /// What they drive; before anything else is called.
  void drive(Clockwork& clockwork) { clockwork_ = &clockwork; }

  std::unique_lock<std::mutex> lock() override { return std::unique_lock(mutex_); }
  HostId current(const CallSite* site) override;
  Time now() override;
  void spend(Duration cost, std::unique_lock<std::mutex>& lock) override;
  void wait(Waiting& waiting, std::unique_lock<std::mutex>& lock) override;
  bool idle(Time deadline, std::unique_lock<std::mutex>& lock) override;
  void changed(Time at) override;
  void run_host_function(int server, Time at, std::function<void()> body,
                         std::function<void(Time)> done, TraceIndex operation) override;
  [[nodiscard]] bool moves_time() const override { return false; }
  void stand_by(Name name, std::function<void()> body, std::function<void()> at_end) override;
  void failed(std::exception_ptr exception) override;

 private:
  struct HostFunction {
    Time at;
    std::function<void()> body;
    std::function<void(Time)> done;
  };
  struct Server {
    std::deque<HostFunction> functions;
    bool busy = false;
  };
  struct Self;

  Self& self();
  static void refuse_beyond_latest(Time time);
  void step_to(Time event);
  bool go_on(Time limit, News weight, std::unique_lock<std::mutex>& lock);
  void hear(std::unique_lock<std::mutex>& lock);
  bool run_pending(std::unique_lock<std::mutex>& lock);
  void run(Server& server, std::unique_lock<std::mutex>& lock);
  void wait_for_others(const Waiting& waiting, std::unique_lock<std::mutex>& lock);
  void rethrow_failure();
  void note_change();

  const std::chrono::milliseconds patience_;
  const std::uint64_t number_;
  Clockwork* clockwork_ = nullptr;
  std::mutex mutex_;
  std::condition_variable something_changed_;
  std::uint64_t changes_ = 0;   // whatever may let another thread go on, calls included
  int looks_ = 0;               // in a row, for news from other processes
  std::size_t busy_ = 0;        // servers that run a host function
  std::deque<Server> servers_;  // by device; references stay valid while a function runs
  std::exception_ptr failure_;
  std::atomic<std::int64_t> now_ns_{0};
  std::atomic<TraceIndex> threads_{0};
};

/// Those of the process's own machine, which is made at first use.
ThreadHosts& process_hosts(const CallSite& site);

}  // namespace millrace::sim
