// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the engine needs around it where there is no program: for benchmarks and fuzzers.

#include "engine.hpp"

#include <functional>
#include <mutex>

namespace millrace::test {

/// Host threads that are never asked to do anything.
class NoHosts final : public sim::Hosts {
 public:
  std::unique_lock<std::mutex> lock() override { return {}; }
  sim::HostId current(const CallSite*) override { return {}; }
  Time now() override { return {}; }
  void spend(Duration, std::unique_lock<std::mutex>&) override {}
  void wait(sim::Waiting&, std::unique_lock<std::mutex>&) override {}
  bool idle(Time, std::unique_lock<std::mutex>&) override { return false; }
  [[nodiscard]] bool moves_time() const override { return true; }
  void stand_by(Name, std::function<void()>, std::function<void()>) override {}
  void changed(Time) override {}
  void run_host_function(int, Time, std::function<void()>, std::function<void(Time)>,
                         TraceIndex) override {}
  void failed(std::exception_ptr) override {}
};

class NoListener final : public sim::EngineListener {
 public:
  void recorded(std::uint32_t, std::uint64_t, Time) override {}
  void faulted(int, Errc, TraceIndex) override {}
  void lost(int, Errc, Time) override {}
};

}  // namespace millrace::test
