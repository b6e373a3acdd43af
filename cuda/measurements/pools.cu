// SPDX-License-Identifier: Apache-2.0
// Which block does a memory pool give, when does it give memory back, what does it say of itself,
// and what do wrong frees answer?

#include "pools.cuh"

namespace {

using namespace pools;

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
    const std::string used = pool.used();
    const std::string reserved = pool.reserved();
    return join({used, reserved, compare(data, pool.allocate(asking))});
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
  blocks();
  reserved();
  attributes();
  errors();
}
