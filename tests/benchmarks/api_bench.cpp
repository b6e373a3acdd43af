// SPDX-License-Identifier: Apache-2.0
// The public API on the simulator: what a user's launch costs.

#include <millrace/millrace.hpp>

#include <benchmark/benchmark.h>

#include <ctime>
#include <vector>

namespace {

using namespace millrace;

/// Launches `operations` kernels with one declared access each over eight streams, in one run, and
/// waits for them. Counted is what the program does, not the checking of its trace afterwards:
/// check_bench.cpp measures that.
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
      const std::clock_t start = std::clock();  // of the processor: the machine may be shared
      for (std::size_t i = 0; i < operations; ++i) {
        streams[i % 8].launch(name, {.cost = Duration{1000}, .updates = {buffers[i % 8]}});
      }
      Device{"sim:0"}.synchronize();
      state.SetIterationTime(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(operations));
}
BENCHMARK_CAPTURE(launch, untraced, false)
    ->Name("api/launch/untraced")
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->UseManualTime();
BENCHMARK_CAPTURE(launch, traced, true)
    ->Name("api/launch/traced")
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->UseManualTime();

}  // namespace
