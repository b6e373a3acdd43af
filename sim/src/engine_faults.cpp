// SPDX-License-Identifier: Apache-2.0
// Faults and resets: what is unfinished is thrown away.
#include "engine.hpp"

#include <algorithm>
#include <vector>

namespace millrace::sim {

void Engine::fail_device(std::uint32_t slot, Errc fault) {
  const int device = device_of(slot);
  const TraceIndex traced = nodes_[slot].traced;
  release_successors(slot);
  retire(slot, OperationState::failed);
  listener_.faulted(device, fault, traced);
  discard_all(device, Time{now_}, OperationState::pending);
}

void Engine::discard_all(int device, Time now, OperationState unstarted) {
  now_ = std::max(now_, now.ns);
  for (Flag& flag : flags_) {
    std::erase_if(flag.parked, [&](std::uint32_t slot) { return device_of(slot) == device; });
  }
  devices_[static_cast<std::size_t>(device)] = Device{};
  if (model_ != nullptr) model_->discard(device, Time{now_});
  std::vector<std::uint32_t> doomed;
  for (std::uint32_t slot = 0; slot < nodes_.size(); ++slot) {
    if (nodes_[slot].state != State::unused && device_of(slot) == device) doomed.push_back(slot);
  }
  std::ranges::sort(doomed, {}, [this](std::uint32_t slot) { return nodes_[slot].serial; });
  for (const std::uint32_t slot : doomed) nodes_[slot].next = nothing;
  for (const std::uint32_t slot : doomed) {
    const bool running = nodes_[slot].state == State::running;
    // Work of other devices that waited for it goes on: there is nothing left to wait for.
    release_successors(slot);
    retire(slot, running ? OperationState::cancelled : unstarted);
  }
  settle_all();
}

}  // namespace millrace::sim
