// SPDX-License-Identifier: Apache-2.0
// Which calls with pageable memory block the host while their stream is busy, and what do they
// cost?

#include "measure.cuh"

#include <atomic>
#include <thread>

using namespace measure;

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

/// Whether `call(stream)` returns within 200 ms while the stream is held; it is released then.
template <typename Call>
bool returns(Call call) {
  const Stream stream;
  Gate gate;
  gate.close(stream);
  std::atomic<bool> returned{false};
  std::thread caller([&] {
    call(static_cast<cudaStream_t>(stream));
    returned = true;
  });
  for (int i = 0; i < 200 && !returned; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const bool early = returned;
  gate.open();
  caller.join();
  CHECK(cudaDeviceSynchronize());
  return early;
}

template <typename Call>
void report_return(const std::string& what, Call call) {
  report("pageable.returns_early", what, sample(3, [&] { return returns(call) ? 1.0 : 0.0; }),
         "yes");
}

void blocking() {
  const Memory device(Place::device, 64 * mebi);
  const Memory pageable(Place::pageable, 64 * mebi);
  for (const std::size_t kibi : {1, 64, 512, 1024, 2048, 2304, 2560, 2816, 3072, 4096, 16384}) {
    report_return(std::to_string(kibi) + " KiB to device", [&](cudaStream_t s) {
      CHECK(cudaMemcpyAsync(device, pageable, kibi * 1024, cudaMemcpyHostToDevice, s));
    });
  }
  for (const std::size_t bytes : {std::size_t{4}, mebi}) {
    report_return(std::to_string(bytes) + " bytes to host", [&](cudaStream_t s) {
      CHECK(cudaMemcpyAsync(pageable, device, bytes, cudaMemcpyDeviceToHost, s));
    });
  }
  for (const int count : {8, 20, 39, 40, 41, 48, 64, 128}) {
    report_return(std::to_string(count) + " of 64 KiB to device", [&](cudaStream_t s) {
      for (int i = 0; i < count; ++i) {
        CHECK(cudaMemcpyAsync(device, pageable, 65536, cudaMemcpyHostToDevice, s));
      }
    });
  }
  for (const int count : {1, 2, 3, 4}) {
    report_return(std::to_string(count) + " of 1 MiB to device", [&](cudaStream_t s) {
      for (int i = 0; i < count; ++i) {
        CHECK(cudaMemcpyAsync(device, pageable, mebi, cudaMemcpyHostToDevice, s));
      }
    });
  }
}

void costs() {
  const Memory device(Place::device, 64 * mebi);
  const Memory pageable(Place::pageable, 64 * mebi);
  const Stream stream;
  for (const std::size_t kibi : {1, 4, 16, 64, 256, 1024, 2048, 4096, 16384, 65536}) {
    const std::size_t bytes = kibi * 1024;
    const std::string size = std::to_string(kibi) + " KiB";
    const auto up = [&] {
      CHECK(cudaMemcpyAsync(device, pageable, bytes, cudaMemcpyHostToDevice, stream));
    };
    const auto down = [&] {
      CHECK(cudaMemcpyAsync(pageable, device, bytes, cudaMemcpyDeviceToHost, stream));
    };
    const auto idle = [&](auto call) {
      CHECK(cudaStreamSynchronize(stream));
      return host_time(call);
    };
    up();
    down();
    report("pageable.to_device.call", size, sample(21, [&] { return idle(up); }));
    report("pageable.to_host.call", size, sample(21, [&] { return idle(down); }));
    report("pageable.to_device.done", size, sample(21, [&] {
             return idle([&] {
               up();
               CHECK(cudaStreamSynchronize(stream));
             });
           }));
  }
  std::vector<char> from(16 * mebi);
  std::vector<char> to(16 * mebi);
  for (const std::size_t kibi : {1, 64, 1024, 16384}) {
    report("pageable.host_to_host.call", std::to_string(kibi) + " KiB", sample(21, [&] {
             return host_time([&] {
               CHECK(cudaMemcpy(to.data(), from.data(), kibi * 1024, cudaMemcpyHostToHost));
             });
           }));
  }
}

}  // namespace

int main() {
  report_conditions();
  warm_up();
  blocking();
  costs();
}
