// SPDX-License-Identifier: Apache-2.0
// How long do copies and fills take, alone and together, and in which order are those served that
// wait?

#include "measure.cuh"

#include <functional>

using namespace measure;

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;
const std::vector<std::size_t> sizes{1,    4,        16,        64,        256,
                                     1024, 4096,     16384,     65536,     262144,
                                     mebi, 4 * mebi, 16 * mebi, 64 * mebi, 256 * mebi};

struct World {
  explicit World(std::size_t bytes_)
      : bytes(bytes_),
        device{{Place::device, bytes},
               {Place::device, bytes},
               {Place::device, bytes},
               {Place::device, bytes}},
        pinned{{Place::pinned, bytes},
               {Place::pinned, bytes},
               {Place::pinned, bytes},
               {Place::pinned, bytes}} {}

  void up(cudaStream_t s, int i) const { up(s, i, bytes); }
  void up(cudaStream_t s, int i, std::size_t n) const {
    CHECK(cudaMemcpyAsync(device[i], pinned[i], n, cudaMemcpyHostToDevice, s));
  }
  void down(cudaStream_t s, int i) const { down(s, i, bytes); }
  void down(cudaStream_t s, int i, std::size_t n) const {
    CHECK(cudaMemcpyAsync(pinned[i], device[i], n, cudaMemcpyDeviceToHost, s));
  }
  void across(cudaStream_t s, int i) const { across(s, i, bytes); }
  void across(cudaStream_t s, int i, std::size_t n) const {
    CHECK(cudaMemcpyAsync(device[i], device[(i + 1) % 4], n, cudaMemcpyDeviceToDevice, s));
  }
  void fill(cudaStream_t s, int i, std::size_t n) const {
    CHECK(cudaMemsetAsync(device[i], 0, n, s));
  }

  std::size_t bytes;
  Memory device[4];
  Memory pinned[4];
};

using Copy = std::function<void(const World&, cudaStream_t, std::size_t)>;

void by_size(const char* what, const World& world, const Copy& copy) {
  const Stream s;
  const TimedEvent before;
  const TimedEvent after;
  for (const std::size_t bytes : sizes) {
    const auto once = [&] {
      CHECK(cudaEventRecord(before, s));
      copy(world, s, bytes);
      CHECK(cudaEventRecord(after, s));
      CHECK(cudaStreamSynchronize(s));
      return elapsed_us(before, after);
    };
    once();
    report("copy." + std::string(what), std::to_string(bytes) + " bytes", sample(21, once));
  }
}

void tables() {
  const World world(256 * mebi);
  by_size("to_device", world, [](const World& w, cudaStream_t s, std::size_t n) { w.up(s, 0, n); });
  by_size("to_host", world, [](const World& w, cudaStream_t s, std::size_t n) { w.down(s, 0, n); });
  by_size("on_device", world,
          [](const World& w, cudaStream_t s, std::size_t n) { w.across(s, 0, n); });
  by_size("fill", world, [](const World& w, cudaStream_t s, std::size_t n) { w.fill(s, 0, n); });
}

/// Host time until all of what `body` enqueues on its streams is done.
template <typename Body>
void together(const char* what, Body body) {
  const World world(64 * mebi);
  const std::vector<Stream> streams(4);
  const auto once = [&] {
    return host_time([&] {
      body(world, streams);
      CHECK(cudaDeviceSynchronize());
    });
  };
  once();
  report("copies.64MiB", what, sample(11, once));
}

void overlaps() {
  using W = const World&;
  using S = const std::vector<Stream>&;
  together("to device", [](W w, S s) { w.up(s[0], 0); });
  together("to host", [](W w, S s) { w.down(s[0], 0); });
  together("both ways", [](W w, S s) {
    w.up(s[0], 0);
    w.down(s[1], 1);
  });
  together("two to device", [](W w, S s) {
    for (int i = 0; i < 2; ++i) w.up(s[static_cast<std::size_t>(i)], i);
  });
  together("two to host", [](W w, S s) {
    for (int i = 0; i < 2; ++i) w.down(s[static_cast<std::size_t>(i)], i);
  });
  for (const int count : {1, 2, 3, 4}) {
    together((std::to_string(count) + " on device").c_str(), [=](W w, S s) {
      for (int i = 0; i < count; ++i) w.across(s[static_cast<std::size_t>(i)], i);
    });
  }
  together("to device beside a kernel on all multiprocessors", [](W w, S s) {
    spin<<<132 * 2, 1024, 0, s[1]>>>(1'200'000, nullptr);
    w.up(s[0], 0);
  });
  together("to device beside one on the device", [](W w, S s) {
    w.across(s[1], 2);
    w.up(s[0], 0);
  });
}

// The order of those that wait.

struct Waiting {
  const char* name;
  Nanoseconds ready_after;  // it stands behind a kernel of this length; 0: ready at once
  int priority;
};

/// Copies of 16 MiB to the device, submitted in this order: each one's end after the first event.
void order(const char* what, bool engine_busy, const std::vector<Waiting>& copies) {
  const World world(64 * mebi);
  const Stream front;
  const TimedEvent start;
  const std::vector<TimedEvent> ends(copies.size());
  std::vector<Stream> streams;
  for (const Waiting& copy : copies) streams.emplace_back(copy.priority);
  std::vector<std::vector<double>> times(copies.size());
  for (int run = 0; run < 6; ++run) {
    CHECK(cudaEventRecord(start, front));
    if (engine_busy) world.up(front, 3);
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (copies[i].ready_after > 0) {
        spin<<<1, 1, 0, streams[i]>>>(copies[i].ready_after, nullptr);
      }
      world.up(streams[i], static_cast<int>(i % 3), 16 * mebi);
      CHECK(cudaEventRecord(ends[i], streams[i]));
    }
    CHECK(cudaDeviceSynchronize());
    for (std::size_t i = 0; run > 0 && i < copies.size(); ++i) {
      times[i].push_back(elapsed_us(start, ends[i]));
    }
  }
  for (std::size_t i = 0; i < copies.size(); ++i) {
    report("copies.order." + std::string(what),
           std::string(copies[i].name) + ", submitted as " + std::to_string(i), times[i]);
  }
}

void orders() {
  order("free-engine", false,
        {{"ready after 1 ms", 1'000'000, 0}, {"ready at once", 0, 0}, {"ready at once", 0, -5}});
  order("busy-engine", true,
        {{"ready after 0.2 ms", 200'000, 0}, {"ready at once", 0, 0}, {"ready at once", 0, 0}});
  order("busy-engine-reversed", true,
        {{"ready at once", 0, 0}, {"ready after 0.2 ms", 200'000, 0}, {"ready at once", 0, 0}});
  order("priorities", true, {{"priority 0", 0, 0}, {"priority 0", 0, 0}, {"priority -5", 0, -5}});
  order("priorities-ready-later", true,
        {{"priority 0, ready after 0.2 ms", 200'000, 0},
         {"priority 0, ready after 0.4 ms", 400'000, 0},
         {"priority -5, ready after 0.6 ms", 600'000, -5}});
}

}  // namespace

int main() {
  report_conditions();
  warm_up();
  tables();
  overlaps();
  orders();
}
