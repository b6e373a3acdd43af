// SPDX-License-Identifier: Apache-2.0
// When does a memory pool hand out a freed block again, when does it give memory back, and what do
// allocation and release answer? The answers are words: a line is `what answer`.

#include "measure.cuh"

#include <functional>
#include <initializer_list>

namespace {

using measure::Event;
using measure::Gate;
using measure::Stream;

constexpr std::size_t mebi = std::size_t{1} << 20;
constexpr std::size_t block = 4 * mebi;

std::string name(cudaError_t error) { return cudaGetErrorName(error); }

std::string join(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

struct Reuse {
  int follow_events = 1;
  int opportunistic = 1;
  int internal = 1;
};

class Pool {
 public:
  explicit Pool(const Reuse& reuse = {}, std::size_t largest = 0) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.maxSize = largest;
    CHECK(cudaMemPoolCreate(&pool_, &properties));
    Reuse wanted = reuse;
    CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolReuseFollowEventDependencies,
                                  &wanted.follow_events));
    CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolReuseAllowOpportunistic,
                                  &wanted.opportunistic));
    CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolReuseAllowInternalDependencies,
                                  &wanted.internal));
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { cudaMemPoolDestroy(pool_); }

  operator cudaMemPool_t() const { return pool_; }

  void* allocate(cudaStream_t stream, std::size_t bytes = block) const {
    void* data = nullptr;
    CHECK(cudaMallocFromPoolAsync(&data, bytes, pool_, stream));
    return data;
  }
  cudaError_t try_allocate(cudaStream_t stream, std::size_t bytes = block) const {
    void* data = nullptr;
    return cudaMallocFromPoolAsync(&data, bytes, pool_, stream);
  }
  void keep(std::uint64_t bytes) const {
    CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &bytes));
  }
  /// In MiB, as text.
  std::string attribute(cudaMemPoolAttr which) const {
    std::uint64_t value = 0;
    CHECK(cudaMemPoolGetAttribute(pool_, which, &value));
    return value % mebi == 0 ? std::to_string(value / mebi) : std::to_string(value) + "B";
  }
  std::string reserved() const { return attribute(cudaMemPoolAttrReservedMemCurrent); }
  std::string used() const { return attribute(cudaMemPoolAttrUsedMemCurrent); }

 private:
  cudaMemPool_t pool_ = nullptr;
};

std::string compare(const void* first, const void* second) {
  return first == second ? "reused" : "fresh";
}

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

void ask(const std::string& what, const std::function<std::string()>& question) {
  const std::string answer = question();
  std::printf("%s\t%s\n", what.c_str(), answer.c_str());
  std::fflush(stdout);
  CHECK(cudaDeviceSynchronize());
  cudaGetLastError();
}

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

void blocks() {
  ask("pool.block.smaller", [] {
    const Pool pool;
    const Stream stream;
    void* const first = pool.allocate(stream);
    CHECK(cudaFreeAsync(first, stream));
    return compare(first, pool.allocate(stream, mebi));
  });
  ask("pool.block.split", [] {
    const Pool pool;
    const Stream stream;
    auto* const first = static_cast<char*>(pool.allocate(stream));
    CHECK(cudaFreeAsync(first, stream));
    auto* const left = static_cast<char*>(pool.allocate(stream, mebi));
    auto* const right = static_cast<char*>(pool.allocate(stream, mebi));
    return join({std::to_string((left - first) / 1024), std::to_string((right - first) / 1024)});
  });
  ask("pool.block.merged", [] {
    const Pool pool;
    const Stream stream;
    void* const left = pool.allocate(stream, mebi);
    void* const right = pool.allocate(stream, mebi);
    CHECK(cudaFreeAsync(left, stream));
    CHECK(cudaFreeAsync(right, stream));
    return compare(left, pool.allocate(stream, 2 * mebi));
  });
  ask("pool.block.smallest-apart", [] {
    const Pool pool;
    const Stream stream;
    auto* const first = static_cast<char*>(pool.allocate(stream, 1));
    auto* const second = static_cast<char*>(pool.allocate(stream, 1));
    const std::string used = pool.used();
    return join({std::to_string(second - first), used});
  });
  ask("pool.block.best-fit", [] {
    const Pool pool;
    const Stream stream;
    void* const large = pool.allocate(stream, 8 * mebi);
    void* const wall = pool.allocate(stream, mebi);
    void* const small = pool.allocate(stream, 2 * mebi);
    void* const end = pool.allocate(stream, mebi);
    CHECK(cudaFreeAsync(large, stream));
    CHECK(cudaFreeAsync(small, stream));
    const void* const got = pool.allocate(stream, 2 * mebi);
    static_cast<void>(wall);
    static_cast<void>(end);
    return std::string(got == small ? "smallest" : got == large ? "first" : "other");
  });
  ask("pool.block.of-two-equal", [] {
    const Pool pool;
    const Stream stream;
    void* const first = pool.allocate(stream);
    pool.allocate(stream, mebi);
    void* const second = pool.allocate(stream);
    pool.allocate(stream, mebi);
    CHECK(cudaFreeAsync(second, stream));
    CHECK(cudaFreeAsync(first, stream));
    const std::string pending = pool.allocate(stream) == first ? "lower" : "higher";
    return pending;
  });
  ask("pool.block.merged-of-two-streams", [] {
    const Pool pool;
    pool.keep(~std::uint64_t{0});
    const Stream one;
    const Stream two;
    void* const left = pool.allocate(one, 16 * mebi);
    void* const right = pool.allocate(two, 16 * mebi);
    CHECK(cudaFreeAsync(left, one));
    CHECK(cudaFreeAsync(right, two));
    usleep(20'000);
    const std::string unsynchronized = compare(left, pool.allocate(one, 32 * mebi));
    return join({unsynchronized, pool.reserved()});
  });
  ask("pool.block.merged-of-two-streams-synchronized", [] {
    const Pool pool;
    pool.keep(~std::uint64_t{0});
    const Stream one;
    const Stream two;
    void* const left = pool.allocate(one, 16 * mebi);
    void* const right = pool.allocate(two, 16 * mebi);
    CHECK(cudaFreeAsync(left, one));
    CHECK(cudaFreeAsync(right, two));
    CHECK(cudaDeviceSynchronize());
    const std::string synchronized = compare(left, pool.allocate(one, 32 * mebi));
    return join({synchronized, pool.reserved()});
  });
  ask("pool.block.same-stream-before-completed-other", [] {
    const Pool pool;
    const Stream one;
    const Stream two;
    Gate gate;
    void* const a = pool.allocate(one);
    void* const b = pool.allocate(two);
    CHECK(cudaFreeAsync(a, one));
    usleep(50'000);
    gate.close(two);
    CHECK(cudaFreeAsync(b, two));
    const void* const got = pool.allocate(two);
    return std::string(got == b ? "own" : got == a ? "other" : "fresh");
  });
}

void reserved() {
  ask("pool.reserved.granularity", [] {
    const Pool pool;
    const Stream stream;
    pool.allocate(stream, mebi);
    const std::string first = pool.reserved();
    pool.allocate(stream, 40 * mebi);
    return join({first, pool.reserved(), pool.used()});
  });
  const auto after_free = [](std::uint64_t threshold, auto synchronize) {
    const Pool pool;
    pool.keep(threshold);
    const Stream stream;
    void* const data = pool.allocate(stream, 100 * mebi);
    CHECK(cudaFreeAsync(data, stream));
    usleep(20'000);
    const std::string before = pool.reserved();
    synchronize(stream);
    return join({before, pool.reserved()});
  };
  const auto stream = [](cudaStream_t s) { CHECK(cudaStreamSynchronize(s)); };
  const auto event = [](cudaStream_t s) {
    const Event e;
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaEventSynchronize(e));
  };
  const auto device = [](cudaStream_t) { CHECK(cudaDeviceSynchronize()); };
  const auto query = [](cudaStream_t s) { CHECK(cudaStreamQuery(s)); };
  const auto other = [](cudaStream_t) {
    const Stream idle;
    CHECK(cudaStreamSynchronize(idle));
  };
  ask("pool.release.stream-synchronize", [=] { return after_free(0, stream); });
  ask("pool.release.event-synchronize", [=] { return after_free(0, event); });
  ask("pool.release.device-synchronize", [=] { return after_free(0, device); });
  ask("pool.release.stream-query", [=] { return after_free(0, query); });
  ask("pool.release.other-stream-synchronize", [=] { return after_free(0, other); });
  ask("pool.release.threshold-64", [=] { return after_free(64 * mebi, device); });
  ask("pool.release.threshold-all", [=] { return after_free(~std::uint64_t{0}, device); });
  ask("pool.release.part-in-use", [] {
    const Pool pool;
    const Stream s;
    void* const a = pool.allocate(s, 100 * mebi);
    pool.allocate(s, mebi);
    const std::string before = pool.reserved();
    CHECK(cudaFreeAsync(a, s));
    CHECK(cudaDeviceSynchronize());
    return join({before, pool.reserved(), pool.used()});
  });
}

void attributes() {
  ask("pool.defaults", [] {
    cudaMemPool_t pool = nullptr;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    int follow = 9;
    int opportunistic = 9;
    int internal = 9;
    std::uint64_t threshold = 9;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &follow));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &opportunistic));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &internal));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    return join({std::to_string(follow), std::to_string(opportunistic), std::to_string(internal),
                 std::to_string(threshold)});
  });
  ask("pool.destroy.default", [] {
    cudaMemPool_t pool = nullptr;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    return name(cudaMemPoolDestroy(pool));
  });
  ask("pool.used", [] {
    const Pool pool;
    const Stream stream;
    void* const data = pool.allocate(stream, 10 * mebi);
    const std::string before = pool.used();
    Gate gate;
    gate.close(stream);
    CHECK(cudaFreeAsync(data, stream));
    const std::string pending = pool.used();
    gate.open();
    CHECK(cudaDeviceSynchronize());
    return join({before, pending, pool.used(), pool.attribute(cudaMemPoolAttrUsedMemHigh),
                 pool.attribute(cudaMemPoolAttrReservedMemHigh)});
  });
  ask("pool.peak.reset", [] {
    const Pool pool;
    const Stream stream;
    CHECK(cudaFreeAsync(pool.allocate(stream, 10 * mebi), stream));
    pool.allocate(stream, 2 * mebi);
    std::uint64_t zero = 0;
    const cudaError_t answer = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero);
    const std::string peak = pool.attribute(cudaMemPoolAttrUsedMemHigh);
    std::uint64_t one = 1;
    return join({name(answer), peak,
                 name(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one))});
  });
  ask("pool.trim", [] {
    const Pool pool;
    pool.keep(~std::uint64_t{0});
    const Stream stream;
    void* const a = pool.allocate(stream, 100 * mebi);
    void* const b = pool.allocate(stream, 100 * mebi);
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaStreamSynchronize(stream));
    const std::string before = pool.reserved();
    CHECK(cudaMemPoolTrimTo(pool, 150 * mebi));
    const std::string trimmed = pool.reserved();
    CHECK(cudaFreeAsync(b, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolTrimTo(pool, 64 * mebi));
    const std::string more = pool.reserved();
    CHECK(cudaMemPoolTrimTo(pool, 0));
    return join({before, trimmed, more, pool.reserved()});
  });
  ask("pool.trim.pending", [] {
    const Pool pool;
    const Stream stream;
    void* const a = pool.allocate(stream, 100 * mebi);
    Gate gate;
    gate.close(stream);
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaMemPoolTrimTo(pool, 0));
    return pool.reserved();
  });
  ask("pool.trim.finished-not-synchronized", [] {
    const Pool pool;
    const Stream stream;
    CHECK(cudaFreeAsync(pool.allocate(stream, 100 * mebi), stream));
    usleep(50'000);
    CHECK(cudaMemPoolTrimTo(pool, 0));
    return pool.reserved();
  });
}

void errors() {
  ask("free.twice.async", [] {
    const Stream stream;
    void* data = nullptr;
    CHECK(cudaMallocAsync(&data, block, stream));
    CHECK(cudaFreeAsync(data, stream));
    return join({name(cudaFreeAsync(data, stream)), name(cudaStreamSynchronize(stream))});
  });
  ask("free.twice.plain-after-async", [] {
    const Stream stream;
    void* data = nullptr;
    CHECK(cudaMallocAsync(&data, block, stream));
    CHECK(cudaFreeAsync(data, stream));
    return name(cudaFree(data));
  });
  ask("free.twice.plain", [] {
    void* data = nullptr;
    CHECK(cudaMalloc(&data, block));
    CHECK(cudaFree(data));
    return name(cudaFree(data));
  });
  ask("free.twice.async-after-plain", [] {
    const Stream stream;
    void* data = nullptr;
    CHECK(cudaMalloc(&data, block));
    CHECK(cudaFree(data));
    return name(cudaFreeAsync(data, stream));
  });
  ask("free.async.host-pointer", [] {
    const Stream stream;
    static char host[64];
    return name(cudaFreeAsync(host, stream));
  });
  ask("free.async.pinned", [] {
    const Stream stream;
    void* data = nullptr;
    CHECK(cudaMallocHost(&data, 64));
    return name(cudaFreeAsync(data, stream));
  });
  ask("free.async.inside", [] {
    const Stream stream;
    void* data = nullptr;
    CHECK(cudaMallocAsync(&data, block, stream));
    return name(cudaFreeAsync(static_cast<char*>(data) + 512, stream));
  });
  ask("free.async.null", [] {
    const Stream stream;
    return name(cudaFreeAsync(nullptr, stream));
  });
  const auto plain_free = [](auto between) {
    const Pool pool({0, 0, 0});
    pool.keep(~std::uint64_t{0});
    const Stream stream;
    const Stream asking;
    void* const data = pool.allocate(stream);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(data));
    between();
    return join({pool.used(), pool.reserved(), compare(data, pool.allocate(asking))});
  };
  ask("free.plain-of-pool-memory", [=] { return plain_free([] {}); });
  ask("free.plain-of-pool-memory-synchronized",
      [=] { return plain_free([] { CHECK(cudaDeviceSynchronize()); }); });
  ask("malloc.reuses-address", [] {
    void* first = nullptr;
    void* second = nullptr;
    CHECK(cudaMalloc(&first, block));
    CHECK(cudaFree(first));
    CHECK(cudaMalloc(&second, block));
    return compare(first, second);
  });
  ask("malloc.async-freed-plain-memory", [] {
    void* first = nullptr;
    const Stream stream;
    const Pool pool;
    CHECK(cudaMalloc(&first, block));
    CHECK(cudaFreeAsync(first, stream));
    CHECK(cudaStreamSynchronize(stream));
    void* second = nullptr;
    CHECK(cudaMallocAsync(&second, block, stream));
    return compare(first, second);
  });
  ask("pool.destroyed-with-memory-in-use", [] {
    const Stream stream;
    void* data = nullptr;
    {
      const Pool pool;
      data = pool.allocate(stream);
    }
    return join({name(cudaMemsetAsync(data, 0, block, stream)), name(cudaFreeAsync(data, stream)),
                 name(cudaStreamSynchronize(stream))});
  });
}

}  // namespace

int main() {
  measure::report_conditions();
  measure::warm_up();
  reuse();
  limits();
  blocks();
  reserved();
  attributes();
  errors();
}
