// SPDX-License-Identifier: Apache-2.0
// The engine by itself: no API, no handles, no trace.

#include "engine.hpp"
#include "profile.hpp"
#include "support/bare_engine.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace millrace;
using namespace millrace::sim;
using millrace::test::NoHosts;
using millrace::test::NoListener;

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

/// One block of 128 threads for kernels, as most launches between streams that overlap are small.
Demand demand_of(OperationKind kind) {
  if (kind != OperationKind::kernel) return {};
  return {.threads = 128, .path = Path::kernel};
}

/// Runs the program on one engine, over and over, with a host that is so many operations a stream
/// ahead of the device.
void event_driven(benchmark::State& state, const char* profile_name) {
  constexpr std::size_t run_ahead = 100;
  const auto streams = static_cast<std::uint32_t>(state.range(0));
  const std::vector<Step> steps = program(streams, 100'000);
  NoHosts hosts;
  NoListener listener;
  Recorder recorder(false);
  Engine engine(find_profile(profile_name), 1, recorder, hosts, listener);
  for (std::uint32_t i = 0; i < streams; ++i) engine.add_stream({.created = true});
  std::vector<OperationRef> ahead(run_ahead * streams);
  std::size_t oldest = 0;
  Time now;
  for (auto _ : state) {
    OperationRef recorded;
    for (const Step& step : steps) {
      while (!engine.finished(ahead[oldest])) {
        now = engine.next_event();
        engine.advance_to(now);
      }
      const std::array<Prerequisite, 1> after{Prerequisite{recorded}};
      const bool waits = step.kind == OperationKind::wait;
      ahead[oldest] = engine.enqueue(
          {.stream = step.stream,
           .kind = step.kind,
           .duration = Duration{step.duration},
           .demand = demand_of(step.kind)},
          waits ? std::span<const Prerequisite>(after) : std::span<const Prerequisite>(), now);
      if (step.kind == OperationKind::record) recorded = ahead[oldest];
      if (++oldest == ahead.size()) oldest = 0;
    }
  }
  engine.advance_to(Time::never());
  if (!engine.drained()) state.SkipWithError("operations are left");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(steps.size()));
}
BENCHMARK_CAPTURE(event_driven, ideal, "ideal")
    ->Name("engine/event_driven")
    ->ArgName("streams")
    ->Arg(8)
    ->Arg(128)
    ->Arg(4096);
BENCHMARK_CAPTURE(event_driven, h200, "h200")
    ->Name("engine/event_driven/h200")
    ->ArgName("streams")
    ->Arg(8)
    ->Arg(128)
    ->Arg(4096);

}  // namespace
