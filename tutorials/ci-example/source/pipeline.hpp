// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <millrace/millrace.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

/// Doubles numbers on a device, chunk by chunk: while one chunk is computed the next is uploaded.
class Pipeline {
 public:
  explicit Pipeline(std::size_t chunk);

  /// Takes the numbers of one chunk and enqueues its work. Waits only for buffers in use.
  void submit(std::span<const float> numbers);
  /// Waits for all chunks.
  void finish();

 private:
  struct Slot {
    Slot(std::size_t chunk, const char* host_name, const char* device_name);

    millrace::Buffer<float> host;
    millrace::Buffer<float> device;
    std::optional<millrace::Event> uploaded;
    std::optional<millrace::Event> computed;
  };

  std::array<Slot, 2> slots_;
  std::size_t submitted_ = 0;
  millrace::Stream copies_{{.name = "copies"}};
  millrace::Stream compute_{{.name = "compute"}};
};
