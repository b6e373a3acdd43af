// SPDX-License-Identifier: Apache-2.0
// The engine by itself: no API, no handles, no trace.

#include "engine.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace millrace;
using namespace millrace::sim;

/// Host threads that are never asked to do anything.
class NoHosts final : public Hosts {
 public:
  std::unique_lock<std::mutex> lock() override { return {}; }
  HostId current(const CallSite*) override { return {}; }
  Time now() override { return {}; }
  void spend(Duration, std::unique_lock<std::mutex>&) override {}
  void wait(Waiting&, std::unique_lock<std::mutex>&) override {}
  bool idle(std::unique_lock<std::mutex>&) override { return false; }
  void changed(Time) override {}
  void run_host_function(int, Time, std::function<void()>, std::function<void(Time)>,
                         TraceIndex) override {}
  void failed(std::exception_ptr) override {}
};

class NoListener final : public EngineListener {
 public:
  void recorded(std::uint32_t, std::uint64_t, Time) override {}
  void faulted(int, Errc, TraceIndex) override {}
};

/// A stream program as it is met in practice: kernels of several lengths round robin over the
/// streams, and after every eighth operation of a stream a record that its neighbour waits for.
struct Step {
  std::uint32_t stream;
  OperationKind kind;
  std::int64_t duration;
};

std::vector<Step> program(std::uint32_t streams, std::size_t length) {
  std::mt19937 random(7);
  std::vector<Step> steps;
  for (std::uint32_t i = 0; steps.size() < length; ++i) {
    const std::uint32_t stream = i % streams;
    steps.push_back({stream, OperationKind::kernel, 1000 + static_cast<int>(random() % 9000)});
    if ((i / streams) % 8 == 7) {
      steps.push_back({stream, OperationKind::record, 0});
      steps.push_back({(stream + 1) % streams, OperationKind::wait, 0});
    }
  }
  return steps;
}

void event_driven(benchmark::State& state) {
  const auto streams = static_cast<std::uint32_t>(state.range(0));
  const std::vector<Step> steps = program(streams, 100'000);
  NoHosts hosts;
  NoListener listener;
  Recorder recorder(false);
  for (auto _ : state) {
    Engine engine(1, recorder, hosts, listener);
    for (std::uint32_t i = 0; i < streams; ++i) engine.add_stream(0);
    OperationRef recorded;
    for (const Step& step : steps) {
      const std::array<Prerequisite, 1> after{Prerequisite{recorded}};
      const bool waits = step.kind == OperationKind::wait;
      const OperationRef enqueued = engine.enqueue(
          {.stream = step.stream, .kind = step.kind, .duration = Duration{step.duration}},
          waits ? std::span<const Prerequisite>(after) : std::span<const Prerequisite>(), Time{0});
      if (step.kind == OperationKind::record) recorded = enqueued;
    }
    engine.advance_to(Time::never());
    if (!engine.drained()) state.SkipWithError("operations are left");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(steps.size()));
}
BENCHMARK(event_driven)
    ->Name("engine/event_driven")
    ->ArgName("streams")
    ->Arg(8)
    ->Arg(128)
    ->Arg(4096);

}  // namespace
