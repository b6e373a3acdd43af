// SPDX-License-Identifier: Apache-2.0
// The checker on traces of a million operations. The time of a case divided by its items is the
// cost of one access, its share of the order relation included.

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

using namespace millrace;

constexpr TraceIndex operations = 1'000'000;

/// A right program over many streams: each works on a buffer of its own, in ranges of equal size,
/// reads a second buffer now and then, and every eighth operation of a stream is a record, the next
/// one a wait for the neighbour's.
class Program {
 public:
  Program(TraceIndex streams, std::uint64_t ranges) : streams_(streams), ranges_(ranges) {
    trace_.devices.push_back({});
    trace_.threads.push_back({});
    trace_.streams.resize(streams);
    trace_.events.resize(streams);
    for (TraceIndex i = 0; i < 2 * streams; ++i) {
      trace_.memories.push_back({.bytes = std::uint64_t{64} << 20U});
    }
    recorded_.assign(streams, none);
    trace_.operations.reserve(operations);
    trace_.calls.reserve(operations);
    trace_.accesses.reserve(2 * operations);
    for (TraceIndex i = 0; i < operations; ++i) add(i);
  }

  Trace take() { return std::move(trace_); }

 private:
  void add(TraceIndex i) {
    const TraceIndex stream = i % streams_;
    const TraceIndex round = i / streams_;
    const TraceIndex neighbour = (stream + streams_ - 1) % streams_;
    if (round % 8 == 3) {
      enqueue(OperationKind::record, stream);
      recorded_[stream] = i;
    } else if (round % 8 == 4) {
      enqueue(OperationKind::wait, stream);
      depend(recorded_[neighbour], i);
    } else {
      enqueue(OperationKind::kernel, stream);
      access(stream, AccessMode::update, round);
      if (round % 8 == 2) access(streams_ + stream, AccessMode::read, round);
      if (round % 8 == 5) access(streams_ + neighbour, AccessMode::read, round);
    }
  }

  void enqueue(OperationKind kind, TraceIndex stream) {
    Operation operation;
    operation.stream = stream;
    operation.kind = kind;
    operation.object = stream;
    operation.call = static_cast<TraceIndex>(trace_.calls.size());
    operation.first_access = static_cast<TraceIndex>(trace_.accesses.size());
    HostCall call;
    call.thread = 0;
    call.line = 1;
    call.operation = static_cast<TraceIndex>(trace_.operations.size());
    call.sequence = trace_.steps++;
    operation.sequence = trace_.steps++;
    trace_.calls.push_back(call);
    trace_.operations.push_back(operation);
  }

  void access(TraceIndex memory, AccessMode mode, std::uint64_t round) {
    const std::uint64_t bytes = trace_.memories[memory].bytes / ranges_;
    const std::uint64_t begin = (round * 2'654'435'761U) % ranges_ * bytes;
    trace_.accesses.push_back(
        {.begin = begin, .end = begin + bytes, .memory = memory, .mode = mode});
    ++trace_.operations.back().access_count;
  }

  void depend(TraceIndex from, TraceIndex to) {
    if (from == none) return;
    trace_.dependencies.push_back({Step::operation(from), Step::operation(to),
                                   DependencyKind::record_wait, DependencyState::exact});
  }

  TraceIndex streams_;
  std::uint64_t ranges_;
  Trace trace_;
  std::vector<TraceIndex> recorded_;
};

void measure(benchmark::State& state, const Trace& trace) {
  for (auto _ : state) {
    if (!check(trace).empty()) throw std::logic_error("the program is right");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace.accesses.size()));
}

void over_streams(benchmark::State& state) {
  const Trace trace = Program(static_cast<TraceIndex>(state.range(0)), 1).take();
  measure(state, trace);
}

void over_ranges(benchmark::State& state) {
  const Trace trace = Program(16, static_cast<std::uint64_t>(state.range(0))).take();
  measure(state, trace);
}

/// Two loops that nothing orders, so that every pair is a race: findings must not cost their
/// number.
void over_races(benchmark::State& state) {
  Trace trace = Program(2, 1).take();
  for (TraceAccess& access : trace.accesses) access.memory = 0;
  for (auto _ : state) benchmark::DoNotOptimize(check(trace));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace.accesses.size()));
}

void order_alone(benchmark::State& state) {
  const Trace trace = Program(16, 1).take();
  for (auto _ : state) benchmark::DoNotOptimize(OrderRelation(trace));
  state.SetItemsProcessed(state.iterations() * std::int64_t{operations});
}

}  // namespace

BENCHMARK(over_streams)
    ->Name("check")
    ->ArgName("streams")
    ->Arg(16)
    ->Arg(128)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(over_ranges)
    ->Name("check")
    ->ArgName("ranges")
    ->Arg(64)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(over_races)->Name("check/races")->Unit(benchmark::kMillisecond);
BENCHMARK(order_alone)->Name("check/order")->Unit(benchmark::kMillisecond);
