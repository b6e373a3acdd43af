// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the measuring programs share. Each prints lines of tab-separated values,
///
///     what  condition  median  least  greatest  unit  samples
///
/// below a line that begins with # and names the device and the versions. A call that fails ends
/// the program with exit code 2 and says which.

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#define CHECK(call) ::measure::check((call), #call, __FILE__, __LINE__)

namespace measure {

inline void check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
  std::exit(2);
}

// Kernels, timed by the device's own clock.

using Nanoseconds = unsigned long long;

__device__ inline Nanoseconds device_clock() {
  Nanoseconds now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// From the first block's start to the last one's end.
struct Span {
  Nanoseconds start = ~0ULL;
  Nanoseconds end = 0;
};

[[maybe_unused]] static __global__ void spin(Nanoseconds length, Span* span) {
  const Nanoseconds start = device_clock();
  if (span != nullptr && threadIdx.x == 0) atomicMin(&span->start, start);
  while (device_clock() - start < length) {
  }
  if (span != nullptr && threadIdx.x == 0) atomicMax(&span->end, device_clock());
}

/// Until the host says so, or for two seconds: nothing hangs.
[[maybe_unused]] static __global__ void hold(const volatile unsigned* released) {
  const Nanoseconds start = device_clock();
  while (*released == 0 && device_clock() - start < 2'000'000'000ULL) {
  }
}

[[maybe_unused]] static __global__ void empty() {}

/// Loads the kernels and wakes the device.
inline void warm_up() {
  unsigned* released = nullptr;
  CHECK(cudaMallocHost(&released, sizeof *released));
  *released = 1;
  for (int i = 0; i < 3; ++i) {
    hold<<<1, 1>>>(released);
    spin<<<1, 1>>>(1'000'000, nullptr);
    empty<<<1, 1>>>();
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFreeHost(released));
}

/// Spans on the device.
class Spans {
 public:
  explicit Spans(std::size_t count) : host_(count) {
    CHECK(cudaMalloc(&device_, count * sizeof(Span)));
    CHECK(cudaMemcpy(device_, host_.data(), count * sizeof(Span), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
  }
  ~Spans() { CHECK(cudaFree(device_)); }
  Spans(const Spans&) = delete;
  Spans& operator=(const Spans&) = delete;

  Span* operator[](std::size_t i) const { return device_ + i; }
  /// All of them, when all work is done.
  const std::vector<Span>& read() {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host_.data(), device_, host_.size() * sizeof(Span), cudaMemcpyDeviceToHost));
    return host_;
  }

 private:
  Span* device_ = nullptr;
  std::vector<Span> host_;
};

/// In microseconds; negative where `later` is the earlier one.
inline double between(Nanoseconds earlier, Nanoseconds later) {
  return (static_cast<double>(later) - static_cast<double>(earlier)) / 1000;
}

// Streams, events, memory.

class Stream {
 public:
  explicit Stream(int priority = 0) {
    CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority));
  }
  ~Stream() {
    if (stream_ != nullptr) CHECK(cudaStreamDestroy(stream_));
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    CHECK(cudaEventCreateWithFlags(&event_, flags));
  }
  ~Event() { CHECK(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

struct TimedEvent : Event {
  TimedEvent() : Event(cudaEventDefault) {}
};

inline double elapsed_us(cudaEvent_t start, cudaEvent_t end) {
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  return static_cast<double>(milliseconds) * 1000;
}

enum class Place { device, pinned, pageable };

class Memory {
 public:
  Memory(Place place, std::size_t bytes) : place_(place) {
    if (place == Place::device) CHECK(cudaMalloc(&data_, bytes));
    if (place == Place::pinned) CHECK(cudaMallocHost(&data_, bytes));
    if (place == Place::pageable) data_ = std::calloc(bytes, 1);
  }
  ~Memory() {
    if (place_ == Place::device) CHECK(cudaFree(data_));
    if (place_ == Place::pinned) CHECK(cudaFreeHost(data_));
    if (place_ == Place::pageable) std::free(data_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  operator void*() const { return data_; }

 private:
  Place place_;
  void* data_ = nullptr;
};

/// Keeps a stream busy until it is opened.
class Gate {
 public:
  Gate() : released_(Place::pinned, sizeof(unsigned)) { *flag() = 0; }
  ~Gate() { open(); }
  void close(cudaStream_t stream) {
    *flag() = 0;
    hold<<<1, 1, 0, stream>>>(static_cast<const unsigned*>(static_cast<void*>(released_)));
    CHECK(cudaGetLastError());
  }
  void open() { *flag() = 1; }

 private:
  volatile unsigned* flag() { return static_cast<unsigned*>(static_cast<void*>(released_)); }
  Memory released_;
};

// Host time and results.

inline double host_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

template <typename Body>
double host_time(Body body) {
  const double start = host_us();
  body();
  return host_us() - start;
}

/// `runs` results of `body`.
template <typename Body>
std::vector<double> sample(int runs, Body body) {
  std::vector<double> results;
  for (int i = 0; i < runs; ++i) results.push_back(body());
  return results;
}

inline void report(const std::string& what, const std::string& condition,
                   std::vector<double> samples, const char* unit = "us") {
  if (samples.empty()) return;
  std::sort(samples.begin(), samples.end());
  std::printf("%s\t%s\t%.3f\t%.3f\t%.3f\t%s\t%zu\n", what.c_str(), condition.c_str(),
              samples[samples.size() / 2], samples.front(), samples.back(), unit, samples.size());
  std::fflush(stdout);
}

inline void report_conditions() {
  cudaDeviceProp device{};
  int driver = 0;
  int runtime = 0;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  const char* const connections = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  std::printf("# %s, %d multiprocessors, driver %d, runtime %d, connections %s\n", device.name,
              device.multiProcessorCount, driver, runtime,
              connections == nullptr ? "default" : connections);
}

/// Runs `body` in a process of its own with so many hardware queues (0: the default). To be called
/// before this process has used CUDA.
template <typename Body>
void with_connections(int connections, Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (connections > 0) {
      setenv("CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(connections).c_str(), 1);
    }
    report_conditions();
    warm_up();
    body();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::exit(2);
}

}  // namespace measure
