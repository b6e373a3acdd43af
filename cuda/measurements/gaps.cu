// SPDX-License-Identifier: Apache-2.0
// How long after the end of one operation does the next one start, on a device that is kept busy?

#include "measure.cuh"

#include <functional>

using namespace measure;

namespace {

constexpr Nanoseconds kernel_length = 20'000;
constexpr int kernels = 50;

void noop(void*) {}

/// Gaps between kernels of 20 us, all enqueued behind a kernel of 5 ms; `between(stream, i)` goes
/// before the i-th. Even kernels run on `streams[0]`, odd ones on the last.
template <typename Between>
void between_kernels(const char* what, const std::vector<Stream>& streams, Between between_them) {
  Spans spans(kernels);
  spin<<<1, 1, 0, streams[0]>>>(5'000'000, nullptr);
  for (int i = 0; i < kernels; ++i) {
    const cudaStream_t on = i % 2 == 0 ? streams.front() : streams.back();
    if (i > 0) between_them(on, i);
    spin<<<1, 32, 0, on>>>(kernel_length, spans[static_cast<std::size_t>(i)]);
  }
  const std::vector<Span>& found = spans.read();
  std::vector<double> gaps;
  for (std::size_t i = 1; i < found.size(); ++i) {
    gaps.push_back(between(found[i - 1].end, found[i].start));
  }
  report("gap.kernel_to_kernel", what, gaps);
}

void kernels_with_things_between() {
  std::vector<Stream> one(1);
  std::vector<Stream> two(2);
  const Memory d(Place::device, 1 << 20);
  const Memory e(Place::device, 1 << 20);
  const Memory p(Place::pinned, 1 << 20);
  const Event plain;
  const TimedEvent timed;
  between_kernels("nothing", one, [](cudaStream_t, int) {});
  between_kernels("record", one, [&](cudaStream_t s, int) { CHECK(cudaEventRecord(plain, s)); });
  between_kernels("timed record", one,
                  [&](cudaStream_t s, int) { CHECK(cudaEventRecord(timed, s)); });
  between_kernels("two timed records", one, [&](cudaStream_t s, int) {
    CHECK(cudaEventRecord(timed, s));
    CHECK(cudaEventRecord(timed, s));
  });
  between_kernels("other stream, by event", two, [&](cudaStream_t s, int i) {
    const Stream& before = (i - 1) % 2 == 0 ? two.front() : two.back();
    CHECK(cudaEventRecord(plain, before));
    CHECK(cudaStreamWaitEvent(s, plain, 0));
  });
  between_kernels("host function", one,
                  [](cudaStream_t s, int) { CHECK(cudaLaunchHostFunc(s, noop, nullptr)); });
  between_kernels("two host functions", one, [](cudaStream_t s, int) {
    for (int k = 0; k < 2; ++k) CHECK(cudaLaunchHostFunc(s, noop, nullptr));
  });
  between_kernels("four host functions", one, [](cudaStream_t s, int) {
    for (int k = 0; k < 4; ++k) CHECK(cudaLaunchHostFunc(s, noop, nullptr));
  });
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{1} << 20}) {
    const std::string size = std::to_string(bytes) + " bytes ";
    between_kernels((size + "to device").c_str(), one, [&](cudaStream_t s, int) {
      CHECK(cudaMemcpyAsync(d, p, bytes, cudaMemcpyHostToDevice, s));
    });
    between_kernels((size + "to host").c_str(), one, [&](cudaStream_t s, int) {
      CHECK(cudaMemcpyAsync(p, d, bytes, cudaMemcpyDeviceToHost, s));
    });
    between_kernels((size + "on device").c_str(), one, [&](cudaStream_t s, int) {
      CHECK(cudaMemcpyAsync(e, d, bytes, cudaMemcpyDeviceToDevice, s));
    });
    between_kernels((size + "filled").c_str(), one,
                    [&](cudaStream_t s, int) { CHECK(cudaMemsetAsync(d, 0, bytes, s)); });
  }
}

/// Event pairs around `count` operations, on a stream that is idle, or busy until all are enqueued.
template <typename Operation>
void pair_around(const char* what, int count, Operation operation) {
  const Stream s;
  const TimedEvent before;
  const TimedEvent after;
  for (const bool busy : {false, true}) {
    const auto once = [&] {
      if (busy) spin<<<1, 1, 0, s>>>(500'000, nullptr);
      CHECK(cudaEventRecord(before, s));
      for (int i = 0; i < count; ++i) operation(s);
      CHECK(cudaEventRecord(after, s));
      CHECK(cudaStreamSynchronize(s));
      return elapsed_us(before, after);
    };
    once();
    report("pair." + std::string(what),
           std::to_string(count) + (busy ? " on a busy stream" : " on an idle stream"),
           sample(51, once));
  }
}

void pairs() {
  const Memory d(Place::device, 8192);
  const Memory p(Place::pinned, 4096);
  char* const other = static_cast<char*>(static_cast<void*>(d)) + 4096;
  pair_around("nothing", 0, [](cudaStream_t) {});
  for (const int count : {1, 2, 8}) {
    pair_around("empty kernel", count, [](cudaStream_t s) { empty<<<1, 1, 0, s>>>(); });
    pair_around("kernel of 100 us", count,
                [](cudaStream_t s) { spin<<<1, 32, 0, s>>>(100'000, nullptr); });
    pair_around("copy of 4 KiB to device", count, [&](cudaStream_t s) {
      CHECK(cudaMemcpyAsync(d, p, 4096, cudaMemcpyHostToDevice, s));
    });
    pair_around("copy of 4 KiB to host", count, [&](cudaStream_t s) {
      CHECK(cudaMemcpyAsync(p, d, 4096, cudaMemcpyDeviceToHost, s));
    });
    pair_around("copy of 4 KiB on device", count, [&](cudaStream_t s) {
      CHECK(cudaMemcpyAsync(other, d, 4096, cudaMemcpyDeviceToDevice, s));
    });
    pair_around("fill of 4 KiB", count,
                [&](cudaStream_t s) { CHECK(cudaMemsetAsync(d, 0, 4096, s)); });
    pair_around("host function", count,
                [](cudaStream_t s) { CHECK(cudaLaunchHostFunc(s, noop, nullptr)); });
  }
  pair_around("three waves of 100 us", 1,
              [](cudaStream_t s) { spin<<<132 * 2 * 3, 1024, 0, s>>>(100'000, nullptr); });
}

}  // namespace

int main() {
  report_conditions();
  warm_up();
  kernels_with_things_between();
  pairs();
}
