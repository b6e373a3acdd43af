// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the questions about memory pools are asked with. Answers are words: a line is `what
/// answer`.

#include "measure.cuh"

#include <functional>
#include <initializer_list>
#include <string>

namespace pools {

using measure::Event;
using measure::Gate;
using measure::Stream;

inline constexpr std::size_t mebi = std::size_t{1} << 20;
inline constexpr std::size_t block = 4 * mebi;

inline std::string name(cudaError_t error) { return cudaGetErrorName(error); }

inline std::string join(std::initializer_list<std::string> parts) {
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
    CHECK(
        cudaMemPoolSetAttribute(pool_, cudaMemPoolReuseAllowOpportunistic, &wanted.opportunistic));
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

inline std::string compare(const void* first, const void* second) {
  return first == second ? "reused" : "fresh";
}

inline void ask(const std::string& what, const std::function<std::string()>& question) {
  const std::string answer = question();
  std::printf("%s\t%s\n", what.c_str(), answer.c_str());
  std::fflush(stdout);
  CHECK(cudaDeviceSynchronize());
  cudaGetLastError();
}

}  // namespace pools
