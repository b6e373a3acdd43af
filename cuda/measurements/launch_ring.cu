// SPDX-License-Identifier: Apache-2.0
// How many operations can wait before the call that enqueues one more blocks the host: of which
// kind, counted over what, and what makes room again?

#include "measure.cuh"

#include <atomic>
#include <functional>
#include <thread>

using namespace measure;

namespace {

constexpr int most = 40'000;

/// Counts calls made on a thread of its own until they stop coming, and then lets it finish.
/// `enqueue(i)` must go on once `open` is called.
template <typename Enqueue, typename Open>
int calls_before_block(Enqueue enqueue, Open open) {
  std::atomic<int> made{0};
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    for (int i = 0; i < most && !stop; ++i) {
      enqueue(i);
      made = i + 1;
    }
  });
  int last = -1;
  while (made != last) {
    last = made;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  stop = true;
  open();
  caller.join();
  CHECK(cudaDeviceSynchronize());
  return last;
}

struct World {
  explicit World(std::size_t count) : streams(count) {
    gate.close(gated);
    CHECK(cudaEventRecord(shut, gated));
    for (const Stream& stream : streams) CHECK(cudaStreamWaitEvent(stream, shut, 0));
  }

  Memory device{Place::device, 4096};
  Memory device2{Place::device, 4096};
  Memory pinned{Place::pinned, 4096};
  Event plain;
  TimedEvent timed;
  Event shut;
  Stream gated;
  std::vector<Stream> streams;
  Gate gate;
};

using Enqueue = std::function<void(World&, cudaStream_t)>;

void depth(const char* what, std::size_t streams, const Enqueue& enqueue, int connections = 0) {
  with_connections(connections, [&] {
    report("ring.depth", std::string(what) + ", streams " + std::to_string(streams),
           sample(3,
                  [&] {
                    World world(streams);
                    return static_cast<double>(calls_before_block(
                        [&](int i) {
                          enqueue(world, world.streams[static_cast<std::size_t>(i) % streams]);
                        },
                        [&] { world.gate.open(); }));
                  }),
           "calls");
  });
}

void kernel(World&, cudaStream_t s) { empty<<<1, 1, 0, s>>>(); }

void by_kind() {
  depth("kernels", 1, kernel);
  depth("records", 1, [](World& w, cudaStream_t s) { CHECK(cudaEventRecord(w.plain, s)); });
  depth("timed records", 1, [](World& w, cudaStream_t s) { CHECK(cudaEventRecord(w.timed, s)); });
  depth("waits", 1, [](World& w, cudaStream_t s) { CHECK(cudaStreamWaitEvent(s, w.shut, 0)); });
  depth("host functions", 1, [](World&, cudaStream_t s) {
    CHECK(cudaLaunchHostFunc(
        s, [](void*) {}, nullptr));
  });
  depth("fills", 1, [](World& w, cudaStream_t s) { CHECK(cudaMemsetAsync(w.device, 0, 4096, s)); });
  depth("copies to device", 1, [](World& w, cudaStream_t s) {
    CHECK(cudaMemcpyAsync(w.device, w.pinned, 4096, cudaMemcpyHostToDevice, s));
  });
  depth("copies to host", 1, [](World& w, cudaStream_t s) {
    CHECK(cudaMemcpyAsync(w.pinned, w.device, 4096, cudaMemcpyDeviceToHost, s));
  });
  depth("copies on device", 1, [](World& w, cudaStream_t s) {
    CHECK(cudaMemcpyAsync(w.device2, w.device, 4096, cudaMemcpyDeviceToDevice, s));
  });
  depth("kernel and timed record in turn", 1, [i = 0](World& w, cudaStream_t s) mutable {
    if (i++ % 2 == 0) return kernel(w, s);
    CHECK(cudaEventRecord(w.timed, s));
  });
  depth("kernel and copy to device in turn", 1, [i = 0](World& w, cudaStream_t s) mutable {
    if (i++ % 2 == 0) return kernel(w, s);
    CHECK(cudaMemcpyAsync(w.device, w.pinned, 4096, cudaMemcpyHostToDevice, s));
  });
}

void by_streams() {
  for (const std::size_t streams : {2, 4, 8, 9, 16, 32}) depth("kernels", streams, kernel);
  depth("kernels, one connection", 2, kernel, 1);
  depth("kernels, one connection", 8, kernel, 1);
  depth("kernels, 32 connections", 32, kernel, 32);
}

/// Whether a full ring takes one more call when a kernel starts or when one ends: kernels of 20 ms
/// are enqueued, and the times at which blocked calls return are counted in kernels.
void what_makes_room() {
  with_connections(0, [] {
    const Stream stream;
    constexpr Nanoseconds length = 20'000'000;
    const double start = host_us();
    std::vector<double> returns;
    for (int i = 0; i < 1026; ++i) {
      spin<<<1, 1, 0, stream>>>(length, nullptr);
      returns.push_back((host_us() - start) * 1000 / static_cast<double>(length));
    }
    for (std::size_t i = 1016; i < returns.size(); ++i) {
      report("ring.returns", "launch " + std::to_string(i + 1) + " of kernels of 20 ms",
             {returns[i]}, "kernels");
    }
    // Those left over would take 20 s.
    std::fflush(stdout);
    _exit(0);
  });
}

}  // namespace

int main() {
  by_kind();
  by_streams();
  what_makes_room();
}
