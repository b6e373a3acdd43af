// SPDX-License-Identifier: Apache-2.0
// Faults, losses and resets: what is unfinished is thrown away, and callbacks are told.
#include "engine.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace millrace::sim {

void Engine::fail_operation(std::uint32_t slot, Errc fault) {
  const int device = device_of(slot);
  const TraceIndex traced = nodes_[slot].traced;
  release_successors(slot);
  retire(slot, OperationState::failed);
  listener_.faulted(device, fault, traced);
  fail_device(device, fault);
}

/// What is pending never runs, but callbacks are told why: they are enqueued anew.
void Engine::fail_device(int device, Errc fault) {
  std::vector<NewOperation> callbacks = callbacks_on(device, fault);
  discard_all(device, Time{now_}, OperationState::pending);
  for (NewOperation& callback : callbacks) enqueue(std::move(callback), {}, Time{now_});
}

/// In order of enqueueing.
std::vector<NewOperation> Engine::callbacks_on(int device, Errc fault) const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  for (std::uint32_t slot = 0; slot < nodes_.size(); ++slot) {
    const Node& node = nodes_[slot];
    const bool pending = node.state == State::waiting || node.state == State::queued;
    if (!pending || device_of(slot) != device || node.extra == nothing) continue;
    if (extras_[node.extra].callback) found.emplace_back(node.serial, slot);
  }
  std::ranges::sort(found);
  std::vector<NewOperation> callbacks;
  for (const auto& [serial, slot] : found) {
    const Node& node = nodes_[slot];
    callbacks.push_back(
        {.stream = node.stream,
         .kind = node.kind,
         .duration = Duration{node.duration},
         .traced = node.traced,
         .call = node.call,
         .body = [callback = extras_[node.extra].callback, fault] { callback(fault); }});
  }
  return callbacks;
}

void Engine::lose(int device, Time at, Errc code) {
  losses_.push_back({at.ns, device, code});
  std::ranges::sort(losses_, std::ranges::greater{}, &Loss::at);
}

void Engine::catch_up(Time now) {
  while (!losses_.empty() && losses_.back().at <= now.ns) {
    const Loss loss = losses_.back();
    losses_.pop_back();
    now_ = std::max(now_, loss.at);
    listener_.lost(loss.device, loss.code, Time{loss.at});
    fail_device(loss.device, loss.code);
  }
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
