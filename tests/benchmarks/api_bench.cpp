// SPDX-License-Identifier: Apache-2.0
// The public API on the simulator: what a user's launch costs.

#include <millrace/millrace.hpp>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace millrace;

/// Launches `operations` kernels with one declared access each over eight streams, in one run.
void launch(benchmark::State& state, bool traced) {
  const auto operations = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    sim::run({.trace = traced}, [&] {
      const Name name("kernel");
      std::vector<Stream> streams;
      std::vector<Buffer<float>> buffers;
      for (int i = 0; i < 8; ++i) {
        streams.emplace_back(Device{"sim:0"});
        buffers.emplace_back(std::size_t{1024}, MemoryKind::device);
      }
      for (std::size_t i = 0; i < operations; ++i) {
        streams[i % 8].launch(name, {.cost = Duration{1000}, .updates = {buffers[i % 8]}});
      }
      Device{"sim:0"}.synchronize();
    });
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(operations));
}
BENCHMARK_CAPTURE(launch, untraced, false)
    ->Name("api/launch/untraced")
    ->Arg(10'000)
    ->Arg(1'000'000);
BENCHMARK_CAPTURE(launch, traced, true)->Name("api/launch/traced")->Arg(10'000)->Arg(1'000'000);

}  // namespace
