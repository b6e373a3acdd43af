// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the tests of profile h200 share. They repeat the programs that measured a real H200 call by
/// call, in virtual time, and compare with what those printed.

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace h200 {

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: only literals

inline Trace run(const std::function<void()>& body) {
  return sim::run({.profile = "h200"}, body).trace;
}

/// Runs and gives what the body returns.
template <typename Body>
auto measure(Body body) {
  std::optional<decltype(body())> result;
  run([&] { result = body(); });
  return *result;
}

inline bool within(double found, double expected, double percent) {
  const bool holds =
      found >= expected * (1 - percent / 100) && found <= expected * (1 + percent / 100);
  if (!holds)
    UNSCOPED_INFO("found " << found << ", expected " << expected << " +-" << percent << " %");
  return holds;
}

struct Span {
  double start = 0;
  double end = 0;
};

/// From the first start to the last end of the operations of this name, in units.
inline Span span(const Trace& trace, std::string_view name, Duration unit) {
  std::int64_t start = Time::never().ns;
  std::int64_t end = -1;
  for (const Operation& operation : trace.operations) {
    if (trace.string(operation.name) != name || operation.start_ns < 0) continue;
    start = std::min(start, operation.start_ns);
    end = std::max(end, operation.end_ns);
  }
  const auto in_units = [&](std::int64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(unit.ns);
  };
  return {in_units(start), in_units(end)};
}

inline double length(const Trace& trace, std::string_view name, Duration unit) {
  const Span found = span(trace, name, unit);
  return found.end - found.start;
}

inline void launch(const Stream& stream, std::string_view name, Duration cost,
                   std::uint32_t blocks = 1, std::uint32_t threads = 32) {
  stream.launch(Name(std::string(name)), {.grid = blocks, .block = threads, .cost = cost});
}

inline void synchronize_device() { current_device().synchronize(); }

/// Streams that have been used, on an idle device.
inline std::vector<Stream> streams(std::size_t count) {
  std::vector<Stream> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.emplace_back();
    launch(made.back(), "warm", Duration{0});
  }
  synchronize_device();
  return made;
}

/// The number of hardware queues, as CUDA's variable sets it, for one test.
class Connections {
 public:
  explicit Connections(int count) {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(count).c_str(), 1);
  }
  ~Connections() { unsetenv("CUDA_DEVICE_MAX_CONNECTIONS"); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
};

inline double microseconds(Duration duration) { return static_cast<double>(duration.ns) / 1000; }

/// Host time that `body` takes.
template <typename Body>
double host_time(Body body) {
  const Time before = sim::now();
  body();
  return microseconds(sim::now() - before);
}

/// Host time a call, over some on a device that was idle before.
template <typename Body>
double host_time_per_call(int calls, Body body) {
  synchronize_device();
  return host_time([&] {
           for (int i = 0; i < calls; ++i) body();
         }) /
         calls;
}

/// Between two events with timing around `body`.
template <typename Body>
double event_pair(const Stream& stream, Body body) {
  // With a device they are made at once, not by their first record.
  Event before({.device = stream.device(), .enable_timing = true});
  Event after({.device = stream.device(), .enable_timing = true});
  before.record(stream);
  body();
  after.record(stream);
  stream.synchronize();
  return static_cast<double>(before.elapsed_time(after)) * 1000;
}

}  // namespace h200
