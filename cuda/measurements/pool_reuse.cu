// SPDX-License-Identifier: Apache-2.0
// When does a memory pool hand out a freed block again, and what does it answer when it has none?

#include "pools.cuh"

namespace {

using namespace pools;

/// A block freed on a busy stream, asked for on another one after `between`.
template <typename Between>
std::string other_stream(const Pool& pool, Between between) {
  const Stream freeing;
  const Stream asking;
  Gate gate;
  void* const first = pool.allocate(freeing);
  gate.close(freeing);
  CHECK(cudaFreeAsync(first, freeing));
  between(freeing, asking, gate);
  const void* const second = pool.allocate(asking);
  const std::string answer = compare(first, second);
  gate.open();
  CHECK(cudaDeviceSynchronize());
  return answer;
}

void wait_by_event(cudaStream_t later, cudaStream_t earlier) {
  const Event event;
  CHECK(cudaEventRecord(event, earlier));
  CHECK(cudaStreamWaitEvent(later, event, 0));
}

const auto nothing = [](auto&...) {};

void reuse() {
  ask("pool.reuse.same-stream-pending", [] {
    const Pool pool;
    const Stream stream;
    Gate gate;
    void* const first = pool.allocate(stream);
    gate.close(stream);
    CHECK(cudaFreeAsync(first, stream));
    return compare(first, pool.allocate(stream));
  });
  ask("pool.reuse.same-stream-all-off", [] {
    const Pool pool({0, 0, 0});
    const Stream stream;
    void* const first = pool.allocate(stream);
    CHECK(cudaFreeAsync(first, stream));
    return compare(first, pool.allocate(stream));
  });
  ask("pool.reuse.other-stream-pending", [] { return other_stream(Pool(), nothing); });
  const auto by_event = [](cudaStream_t freeing, cudaStream_t asking, Gate&) {
    wait_by_event(asking, freeing);
  };
  ask("pool.reuse.event", [=] { return other_stream(Pool({1, 0, 0}), by_event); });
  ask("pool.reuse.event-off", [=] { return other_stream(Pool({0, 0, 0}), by_event); });
  ask("pool.reuse.event-recorded-before-free", [] {
    const Pool pool({1, 0, 0});
    const Stream freeing;
    const Stream asking;
    Gate gate;
    void* const first = pool.allocate(freeing);
    gate.close(freeing);
    wait_by_event(asking, freeing);
    CHECK(cudaFreeAsync(first, freeing));
    return compare(first, pool.allocate(asking));
  });
  ask("pool.reuse.event-over-third-stream", [] {
    const Stream third;
    return other_stream(Pool({1, 0, 0}), [&](cudaStream_t freeing, cudaStream_t asking, Gate&) {
      wait_by_event(third, freeing);
      wait_by_event(asking, third);
    });
  });
  const auto finished = [](cudaStream_t freeing, cudaStream_t, Gate& gate) {
    gate.open();
    while (cudaStreamQuery(freeing) == cudaErrorNotReady) {
    }
  };
  const auto elapsed = [](cudaStream_t, cudaStream_t, Gate& gate) {
    gate.open();
    usleep(100'000);
  };
  const auto synchronized = [](cudaStream_t freeing, cudaStream_t, Gate& gate) {
    gate.open();
    CHECK(cudaStreamSynchronize(freeing));
  };
  const auto kept = [](const Reuse& reuse, auto between) {
    Pool pool(reuse);
    pool.keep(~std::uint64_t{0});
    return other_stream(pool, between);
  };
  ask("pool.reuse.opportunistic-queried", [=] { return kept({0, 1, 0}, finished); });
  ask("pool.reuse.opportunistic-time-passed", [=] { return kept({0, 1, 0}, elapsed); });
  ask("pool.reuse.opportunistic-synchronized", [=] { return kept({0, 1, 0}, synchronized); });
  ask("pool.reuse.opportunistic-off-queried", [=] { return kept({0, 0, 0}, finished); });
  ask("pool.reuse.opportunistic-off-time-passed", [=] { return kept({0, 0, 0}, elapsed); });
  ask("pool.reuse.opportunistic-off-synchronized", [=] { return kept({0, 0, 0}, synchronized); });
  ask("pool.reuse.opportunistic-off-event-synchronized", [=] {
    return kept({0, 0, 0}, [](cudaStream_t freeing, cudaStream_t, Gate& gate) {
      const Event event;
      CHECK(cudaEventRecord(event, freeing));
      gate.open();
      CHECK(cudaEventSynchronize(event));
    });
  });
  ask("pool.reuse.opportunistic-off-follower-synchronized", [=] {
    return kept({0, 0, 0}, [](cudaStream_t freeing, cudaStream_t, Gate& gate) {
      const Stream follower;
      wait_by_event(follower, freeing);
      gate.open();
      CHECK(cudaStreamSynchronize(follower));
    });
  });
  ask("pool.reuse.event-allocated-before-free", [=] {
    const Pool pool({1, 0, 0});
    const Stream freeing;
    const Stream asking;
    Gate gate;
    void* const first = pool.allocate(freeing);
    gate.close(freeing);
    CHECK(cudaFreeAsync(first, freeing));
    wait_by_event(asking, freeing);
    measure::empty<<<1, 1, 0, asking>>>();
    wait_by_event(asking, asking);
    return compare(first, pool.allocate(asking));
  });
  ask("pool.reuse.legacy-after-blocking", [=] {
    const Pool pool({1, 0, 0});
    Gate gate;
    cudaStream_t blocking = nullptr;
    CHECK(cudaStreamCreate(&blocking));
    void* const first = pool.allocate(blocking);
    gate.close(blocking);
    CHECK(cudaFreeAsync(first, blocking));
    const std::string answer = compare(first, pool.allocate(cudaStreamLegacy));
    gate.open();
    CHECK(cudaStreamDestroy(blocking));
    return answer;
  });
  ask("pool.reuse.blocking-after-legacy", [=] {
    const Pool pool({1, 0, 0});
    Gate gate;
    cudaStream_t blocking = nullptr;
    CHECK(cudaStreamCreate(&blocking));
    void* const first = pool.allocate(cudaStreamLegacy);
    gate.close(cudaStreamLegacy);
    CHECK(cudaFreeAsync(first, cudaStreamLegacy));
    const std::string answer = compare(first, pool.allocate(blocking));
    gate.open();
    CHECK(cudaStreamDestroy(blocking));
    return answer;
  });
  ask("pool.reuse.opportunistic-off-device-synchronized", [=] {
    return kept({0, 0, 0}, [](cudaStream_t, cudaStream_t, Gate& gate) {
      gate.open();
      CHECK(cudaDeviceSynchronize());
    });
  });
}

/// A pool of one block: freed on a busy stream, asked for on another one.
std::string full_pool(const Reuse& reuse) {
  const Pool pool(reuse, 32 * mebi);
  const Stream freeing;
  const Stream asking;
  Gate gate;
  void* const first = pool.allocate(freeing, 32 * mebi);
  gate.close(freeing);
  CHECK(cudaFreeAsync(first, freeing));
  void* second = nullptr;
  const cudaError_t answer = cudaMallocFromPoolAsync(&second, 32 * mebi, pool, asking);
  if (answer != cudaSuccess) return name(answer);
  const std::string waits = cudaStreamQuery(asking) == cudaErrorNotReady ? "waits" : "runs";
  return join({compare(first, second), waits});
}

void limits() {
  ask("pool.full.internal", [] { return full_pool({0, 0, 1}); });
  ask("pool.full.internal-off", [] { return full_pool({1, 1, 0}); });
  ask("pool.full.live", [] {
    const Pool pool({}, 32 * mebi);
    const Stream stream;
    pool.allocate(stream, 32 * mebi);
    return name(pool.try_allocate(stream));
  });
  ask("pool.full.larger", [] {
    const Pool pool({}, 32 * mebi);
    const Stream stream;
    return name(pool.try_allocate(stream, 64 * mebi));
  });
  const auto after_cached = [](auto allocate) {
    const Pool pool;
    pool.keep(~std::uint64_t{0});
    const Stream stream;
    std::size_t free = 0;
    std::size_t total = 0;
    CHECK(cudaMemGetInfo(&free, &total));
    const std::size_t most = free / 5 * 3;
    CHECK(cudaFreeAsync(pool.allocate(stream, most), stream));
    CHECK(cudaDeviceSynchronize());
    const cudaError_t answer = allocate(stream, most);
    return join({name(answer), pool.reserved() == "0" ? "given back" : "kept"});
  };
  ask("malloc.while-pool-caches", [=] {
    return after_cached([](cudaStream_t, std::size_t bytes) {
      void* data = nullptr;
      const cudaError_t answer = cudaMalloc(&data, bytes);
      cudaFree(data);
      return answer;
    });
  });
  ask("pool.allocate-while-other-pool-caches", [=] {
    return after_cached([](cudaStream_t stream, std::size_t bytes) {
      const Pool other;
      void* data = nullptr;
      const cudaError_t answer = cudaMallocFromPoolAsync(&data, bytes, other, stream);
      if (answer == cudaSuccess) cudaFreeAsync(data, stream);
      cudaDeviceSynchronize();
      return answer;
    });
  });
  ask("pool.allocate.huge", [] {
    const Pool pool;
    const Stream stream;
    return join({name(pool.try_allocate(stream, std::size_t{1} << 50)), name(cudaGetLastError()),
                 name(cudaStreamSynchronize(stream))});
  });
}

}  // namespace

int main() {
  measure::report_conditions();
  measure::warm_up();
  reuse();
  limits();
}
