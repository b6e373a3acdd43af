// SPDX-License-Identifier: Apache-2.0
// How fast programs are explored.

#include <millrace/explore.hpp>
#include <millrace/millrace.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace millrace;

/// Two host threads with five operations each, on one stream: 252 executions.
void two_threads(benchmark::State& state) {
  sim::ExploreOptions options;
  options.run.trace = false;
  std::uint64_t executions = 0;
  for (auto _ : state) {
    const sim::ExploreReport report = sim::explore(options, [] {
      const Stream stream;
      const auto launch = [&stream] {
        for (int i = 0; i < 5; ++i) stream.launch("k", {}, [] {});
      };
      sim::thread other(launch);
      launch();
    });
    executions += report.executions;
  }
  state.counters["executions"] =
      benchmark::Counter(static_cast<double>(executions), benchmark::Counter::kIsRate);
}
BENCHMARK(two_threads)->Name("explore/two_threads");

/// So many operations on four streams, each waiting now and then for its neighbour.
void relinearise(benchmark::State& state) {
  const auto operations = static_cast<int>(state.range(0));
  const Trace trace = sim::run([operations] {
                        std::vector<Stream> streams(4);
                        const Buffer<int> shared(1);
                        for (int i = 0; i < operations; ++i) {
                          const Stream& stream = streams[static_cast<std::size_t>(i) % 4];
                          if (i % 16 == 12) stream.wait_stream(streams[3]);
                          stream.launch("k", {.reads = {shared}}, [] {});
                        }
                      }).trace;
  sim::Relinearisation orders(trace);
  constexpr std::uint64_t at_once = 10'000;
  std::uint64_t tried = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(orders.explore(at_once, tried));
    tried += at_once;
  }
  state.counters["schedules"] =
      benchmark::Counter(static_cast<double>(tried), benchmark::Counter::kIsRate);
}
BENCHMARK(relinearise)->Name("explore")->ArgName("relinearise")->Arg(64);

}  // namespace
