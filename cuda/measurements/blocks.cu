// SPDX-License-Identifier: Apache-2.0
// Where do blocks go, what holds them, and what do copies and fills on the device need of the
// multiprocessors? Times are from the start of the first kernel on.

#include "measure.cuh"

#include <map>
#include <thread>

using namespace measure;

namespace {

constexpr int multiprocessors = 132;
constexpr Nanoseconds millisecond = 1'000'000;

struct Block {
  unsigned multiprocessor = 0;
  Nanoseconds start = 0;
};

__global__ void spin_and_tell(Nanoseconds length, Block* blocks) {
  extern __shared__ char shared[];
  const Nanoseconds start = device_clock();
  while (device_clock() - start < length) {
  }
  if (threadIdx.x != 0) return;
  unsigned multiprocessor = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  blocks[blockIdx.x] = {multiprocessor, start};
}

/// The blocks of several grids, told by themselves.
class Blocks {
 public:
  explicit Blocks(std::size_t count)
      : host_(count), device_(Place::device, count * sizeof(Block)) {}
  Block* at(std::size_t first) const {
    return static_cast<Block*>(static_cast<void*>(device_)) + first;
  }
  const std::vector<Block>& read() {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host_.data(), device_, host_.size() * sizeof(Block), cudaMemcpyDeviceToHost));
    return host_;
  }

 private:
  std::vector<Block> host_;
  Memory device_;
};

void allow_all_shared_memory() {
  CHECK(
      cudaFuncSetAttribute(spin_and_tell, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
  spin_and_tell<<<1, 1>>>(1000, Blocks(1).at(0));
  CHECK(cudaDeviceSynchronize());
}

// Placement.

/// How many blocks of one grid each multiprocessor gets, as a histogram.
void spread(int blocks, int threads) {
  Blocks told(static_cast<std::size_t>(blocks));
  spin_and_tell<<<blocks, threads>>>(millisecond, told.at(0));
  std::map<unsigned, int> of;
  for (const Block& block : told.read()) ++of[block.multiprocessor];
  std::map<int, int> histogram;
  for (const auto& [multiprocessor, count] : of) ++histogram[count];
  for (const auto& [count, how_many] : histogram) {
    report("blocks.spread",
           std::to_string(blocks) + " of " + std::to_string(threads) + " threads, so many with " +
               std::to_string(count),
           {static_cast<double>(how_many)}, "multiprocessors");
  }
}

/// Half of the multiprocessors hold something: how many blocks of a second grid go beside it?
void beside(int first, int second) {
  const Stream a;
  const Stream b;
  Blocks told(static_cast<std::size_t>(first + second));
  spin_and_tell<<<first, 1024, 0, a>>>(4 * millisecond, told.at(0));
  std::this_thread::sleep_for(std::chrono::microseconds(500));
  spin_and_tell<<<second, 256, 0, b>>>(millisecond, told.at(static_cast<std::size_t>(first)));
  const std::vector<Block>& found = told.read();
  std::vector<unsigned> taken;
  for (int i = 0; i < first; ++i)
    taken.push_back(found[static_cast<std::size_t>(i)].multiprocessor);
  int together = 0;
  for (int i = first; i < first + second; ++i) {
    const unsigned at = found[static_cast<std::size_t>(i)].multiprocessor;
    together += std::find(taken.begin(), taken.end(), at) != taken.end() ? 1 : 0;
  }
  report("blocks.beside",
         std::to_string(second) + " of 256 threads where " + std::to_string(first) + " of 1024 run",
         {static_cast<double>(together)}, "blocks");
}

// What holds what.

/// A takes 120 KiB of shared memory everywhere, B needs 200, C hardly anything: does C pass B?
void head_of_line(int priority_of_b, int priority_of_c) {
  const Stream a;
  const Stream b(priority_of_b);
  const Stream c(priority_of_c);
  Blocks told(2 * multiprocessors + 1);
  spin_and_tell<<<multiprocessors, 32, 120 << 10, a>>>(millisecond, told.at(0));
  spin_and_tell<<<multiprocessors, 32, 200 << 10, b>>>(millisecond, told.at(multiprocessors));
  spin_and_tell<<<1, 32, 0, c>>>(100'000, told.at(2 * multiprocessors));
  const std::vector<Block>& found = told.read();
  const std::string condition =
      "priorities 0, " + std::to_string(priority_of_b) + ", " + std::to_string(priority_of_c);
  report("blocks.head_of_line.b", condition,
         {between(found[0].start, found[multiprocessors].start)});
  report("blocks.head_of_line.c", condition, {between(found[0].start, found.back().start)});
}

/// 127 long kernels and one of 1.5 ms, and then one more: when does it start?
void at_the_limit(int priority, std::size_t position_of_short) {
  const std::vector<Stream> streams(128);
  const Stream late(priority);
  Spans spans(129);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Nanoseconds length = i == position_of_short ? 1'500'000 : 4'000'000;
    spin<<<1, 32, 0, streams[i]>>>(length, spans[i]);
  }
  spin<<<1, 32, 0, late>>>(100'000, spans[128]);
  const std::vector<Span>& found = spans.read();
  report("blocks.grid_limit.late",
         "priority " + std::to_string(priority) + ", short one issued as " +
             std::to_string(position_of_short),
         {between(found[position_of_short].start, found[128].start)});
}

// What transfers on the device need.

/// With so many threads free on each multiprocessor for 2 ms: when is a transfer done?
template <typename Transfer>
void beside_full(const char* what, Transfer transfer) {
  const Stream a;
  const Stream b;
  const Stream t;
  for (const int free : {0, 32, 64, 128, 256, 512, 1024}) {
    report("blocks.transfer_beside_full",
           std::string(what) + ", free threads " + std::to_string(free), sample(5, [&] {
             spin<<<multiprocessors, 1024, 0, a>>>(2 * millisecond, nullptr);
             if (free < 1024) {
               spin<<<multiprocessors, 1024 - free, 0, b>>>(2 * millisecond, nullptr);
             }
             std::this_thread::sleep_for(std::chrono::microseconds(200));
             const double time = host_time([&] {
               transfer(static_cast<cudaStream_t>(t));
               CHECK(cudaStreamSynchronize(t));
             });
             CHECK(cudaDeviceSynchronize());
             return time;
           }));
  }
}

void transfers() {
  const Memory d(Place::device, 1 << 20);
  const Memory e(Place::device, 1 << 20);
  for (const std::size_t bytes : {4096, 8192, 65536, 1 << 20}) {
    const std::string size = std::to_string(bytes) + " bytes ";
    beside_full((size + "filled").c_str(),
                [&](cudaStream_t s) { CHECK(cudaMemsetAsync(d, 0, bytes, s)); });
    beside_full((size + "on device").c_str(), [&](cudaStream_t s) {
      CHECK(cudaMemcpyAsync(e, d, bytes, cudaMemcpyDeviceToDevice, s));
    });
  }
}

}  // namespace

int main() {
  report_conditions();
  warm_up();
  allow_all_shared_memory();
  for (const int blocks : {66, 132, 200, 264, 400}) spread(blocks, 256);
  beside(66, 66);
  beside(66, 132);
  beside(66, 264);
  for (const int b : {0, -5}) {
    for (const int c : {0, -5}) head_of_line(b, c);
  }
  for (const int priority : {0, -1, -5}) {
    for (const std::size_t position : {0, 64, 127}) at_the_limit(priority, position);
  }
  transfers();
}
