// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <algorithm>
#include <chrono>

using namespace std::chrono_literals;

Pipeline::Slot::Slot(std::size_t chunk, const char* host_name, const char* device_name)
    : host(chunk, {.kind = millrace::MemoryKind::pinned, .name = host_name}),
      device(chunk, {.name = device_name}) {}

Pipeline::Pipeline(std::size_t chunk)
    : slots_{Slot(chunk, "host 0", "device 0"), Slot(chunk, "host 1", "device 1")} {}

void Pipeline::submit(std::span<const float> numbers) {
  Slot& slot = slots_[submitted_++ % slots_.size()];
  if (slot.uploaded) slot.uploaded->synchronize();  // the copy that reads `host`
  std::copy(numbers.begin(), numbers.end(), slot.host.write().begin());

  if (slot.computed) copies_.wait_event(*slot.computed);  // the kernel that uses `device`
  copies_.copy(slot.device, slot.host, {.name = "upload"});
  slot.uploaded = copies_.record_event();

  compute_.wait_event(*slot.uploaded);
  compute_.launch("double", {.cost = 80us, .updates = {slot.device}});
  slot.computed = compute_.record_event();
}

void Pipeline::finish() { compute_.synchronize(); }
