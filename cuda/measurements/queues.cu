// SPDX-License-Identifier: Apache-2.0
// Which streams share a hardware queue, and which operations stand in one? A queue's head that
// waits for its predecessor holds what stands behind it, also of other streams: times are in
// lengths of one kernel, from the start of the first kernel on.

#include "measure.cuh"

#include <numeric>

using namespace measure;

namespace {

constexpr Nanoseconds unit = 2'000'000;

double in_units(Nanoseconds from, Nanoseconds to) { return between(from, to) * 1000 / unit; }

// Which streams count.

struct Setup {
  std::string name;
  std::vector<int> order;       // in which streams get their kernels
  std::vector<int> priorities;  // of stream i: the i-th, around again
  bool used_before = false;     // each has run a kernel, in order of creation
  int destroyed_before = 0;     // streams made and destroyed before those
  int unused_between = 0;       // made after each of them, and never used
};

/// Chains of two kernels, issued stream by stream: where streams share a queue, the later one's
/// first kernel starts when the earlier one's first has ended.
void fingerprint(const Setup& setup, int count) {
  for (int i = 0; i < setup.destroyed_before; ++i) {
    const Stream short_lived;
    empty<<<1, 1, 0, short_lived>>>();
    CHECK(cudaStreamSynchronize(short_lived));
  }
  std::vector<Stream> streams;
  std::vector<Stream> unused;
  for (int i = 0; i < count; ++i) {
    const auto& priorities = setup.priorities;
    const auto k = static_cast<std::size_t>(i);
    streams.emplace_back(priorities.empty() ? 0 : priorities[k % priorities.size()]);
    for (int j = 0; j < setup.unused_between; ++j) unused.emplace_back();
    if (setup.used_before) empty<<<1, 1, 0, streams.back()>>>();
  }
  Spans spans(setup.order.size());
  for (std::size_t k = 0; k < setup.order.size(); ++k) {
    const Stream& on = streams[static_cast<std::size_t>(setup.order[k])];
    spin<<<1, 32, 0, on>>>(unit, spans[k]);
    spin<<<1, 32, 0, on>>>(unit, nullptr);
  }
  const std::vector<Span>& found = spans.read();
  for (std::size_t k = 0; k < found.size(); ++k) {
    report("queues.start." + setup.name,
           "stream " + std::to_string(setup.order[k]) + " of " + std::to_string(count) +
               ", issued as " + std::to_string(k),
           {in_units(found[0].start, found[k].start)}, "kernels");
  }
}

std::vector<int> every(int count, int step = 1) {
  std::vector<int> order;
  for (int i = 0; i < count; i += step) order.push_back(i);
  return order;
}

std::vector<int> backwards(int count) {
  std::vector<int> order = every(count);
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<int> even_first(int count) {
  std::vector<int> order = every(count, 2);
  for (int i = 1; i < count; i += 2) order.push_back(i);
  return order;
}

void assignments() {
  const auto with = [](const Setup& setup, int count) {
    with_connections(0, [&] { fingerprint(setup, count); });
  };
  with({.name = "in-order", .order = every(16)}, 16);
  with({.name = "in-order-used", .order = every(16), .used_before = true}, 16);
  with({.name = "backwards", .order = backwards(16)}, 16);
  with({.name = "backwards-used", .order = backwards(16), .used_before = true}, 16);
  with({.name = "even-first", .order = even_first(16)}, 16);
  with({.name = "first-and-ninth", .order = {0, 8}}, 9);
  with({.name = "first-and-ninth-used", .order = {0, 8}, .used_before = true}, 9);
  with({.name = "every-third", .order = every(24, 3)}, 24);
  with({.name = "after-destroyed", .order = every(9), .destroyed_before = 3}, 9);
  with({.name = "beside-unused", .order = every(9), .unused_between = 1}, 9);
  with({.name = "all-urgent", .order = every(16), .priorities = {-5}}, 16);
  with({.name = "two-priorities", .order = every(16), .priorities = {0, -5}}, 16);
  with({.name = "three-priorities", .order = every(24), .priorities = {0, -1, -5}}, 24);
}

/// Which of eight streams a default stream shares its queue with: the default stream's chain goes
/// first, and the one that starts late is the neighbour.
void default_stream(const char* name, cudaStream_t handle) {
  with_connections(0, [&] {
    std::vector<Stream> streams(8);
    Spans spans(9);
    for (int k = 0; k < 2; ++k) spin<<<1, 32, 0, handle>>>(unit, k == 0 ? spans[8] : nullptr);
    for (std::size_t i = 0; i < 8; ++i) {
      for (int k = 0; k < 2; ++k) {
        spin<<<1, 32, 0, streams[i]>>>(unit, k == 0 ? spans[i] : nullptr);
      }
    }
    const std::vector<Span>& found = spans.read();
    for (std::size_t i = 0; i < 8; ++i) {
      report(std::string("queues.behind.") + name, "stream " + std::to_string(i),
             {in_units(found[8].start, found[i].start)}, "kernels");
    }
  });
}

// What stands in a queue.

/// With one queue: a kernel on x, then `second(x, other)`, then a kernel on y. Where what `second`
/// enqueues stands in the queue and waits for x's kernel, y's waits too.
template <typename Second>
void member(const char* name, Second second) {
  with_connections(1, [&] {
    const Stream x;
    const Stream y;
    const Stream other;
    const Memory device(Place::device, 1 << 20);
    const Memory device2(Place::device, 1 << 20);
    const Memory pinned(Place::pinned, 1 << 20);
    report("queues.member", name,
           sample(5,
                  [&] {
                    Spans spans(2);
                    spin<<<1, 32, 0, x>>>(unit, spans[0]);
                    second(x, other, device, device2, pinned);
                    spin<<<1, 32, 0, y>>>(unit, spans[1]);
                    const std::vector<Span>& found = spans.read();
                    return in_units(found[0].start, found[1].start);
                  }),
           "kernels");
  });
}

void members() {
  using S = const Stream&;
  using M = const Memory&;
  member("nothing", [](S, S, M, M, M) {});
  member("kernel", [](S x, S, M, M, M) { empty<<<1, 1, 0, x>>>(); });
  member("record", [](S x, S, M, M, M) {
    const Event event;
    CHECK(cudaEventRecord(event, x));
  });
  member("timed record", [](S x, S, M, M, M) {
    const TimedEvent event;
    CHECK(cudaEventRecord(event, x));
  });
  member("wait for another stream", [](S x, S other, M, M, M) {
    const Event event;
    spin<<<1, 1, 0, other>>>(unit, nullptr);
    CHECK(cudaEventRecord(event, other));
    CHECK(cudaStreamWaitEvent(x, event, 0));
  });
  member("host function", [](S x, S, M, M, M) {
    CHECK(cudaLaunchHostFunc(
        x, [](void*) {}, nullptr));
  });
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{65536}}) {
    const std::string size = std::to_string(bytes) + " bytes ";
    member((size + "filled").c_str(),
           [=](S x, S, M d, M, M) { CHECK(cudaMemsetAsync(d, 0, bytes, x)); });
    member((size + "to device").c_str(), [=](S x, S, M d, M, M p) {
      CHECK(cudaMemcpyAsync(d, p, bytes, cudaMemcpyHostToDevice, x));
    });
    member((size + "to host").c_str(), [=](S x, S, M d, M, M p) {
      CHECK(cudaMemcpyAsync(p, d, bytes, cudaMemcpyDeviceToHost, x));
    });
    member((size + "on device").c_str(), [=](S x, S, M d, M e, M) {
      CHECK(cudaMemcpyAsync(e, d, bytes, cudaMemcpyDeviceToDevice, x));
    });
  }
  member("allocation", [](S x, S, M, M, M) {
    void* block = nullptr;
    CHECK(cudaMallocAsync(&block, 4096, x));
    CHECK(cudaFreeAsync(block, x));
  });
}

}  // namespace

int main() {
  assignments();
  default_stream("legacy", cudaStreamLegacy);
  default_stream("per-thread", cudaStreamPerThread);
  members();
}
