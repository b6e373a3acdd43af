// SPDX-License-Identifier: Apache-2.0
// Host functions: one server a device.
#include "engine.hpp"

#include <memory>
#include <utility>

namespace millrace::sim {

void Engine::queue_host_function(std::uint32_t slot) {
  Device& server = devices_[static_cast<std::size_t>(device_of(slot))];
  Node& node = nodes_[slot];
  node.state = State::queued;
  if (is_explored_ && !demanded_[slot].may_start) return;
  if (server.serving != nothing) node.constraint = ConstraintKind::host_server;
  server.functions.push_back(slot);
  serve(device_of(slot));
}

void Engine::serve(int device) {
  Device& server = devices_[static_cast<std::size_t>(device)];
  if (server.serving != nothing || server.functions.empty()) return;
  const std::uint32_t slot = server.functions.front();
  server.functions.pop_front();
  Node& node = nodes_[slot];
  if (node.constraint == ConstraintKind::host_server) node.because = server.last_served;
  server.serving = slot;
  server.last_served = node.traced;
  start_host_function(device, slot);
}

void Engine::start_host_function(int device, std::uint32_t slot) {
  Node& node = nodes_[slot];
  mark_started(node);
  if (node.extra == nothing) return schedule(slot, Time{now_ + node.duration});
  const std::uint64_t serial = node.serial;
  Extra& extra = extras_[node.extra];
  if (extra.callback) extra.body = [told = std::move(extra.callback)] { told(Errc::Success); };
  if (!extra.body) return schedule(slot, Time{now_ + node.duration});
  // std::function must be copyable, a Task is not.
  auto body = std::make_shared<Task>(std::move(extra.body));
  hosts_.run_host_function(
      device, Time{now_}, [body] { (*body)(); },
      [this, slot, serial](Time at) { host_function_done(slot, serial, at); }, node.traced);
}

void Engine::host_function_done(std::uint32_t slot, std::uint64_t serial, Time at) {
  if (nodes_[slot].serial != serial) return;  // cut off meanwhile
  schedule(slot, at + Duration{nodes_[slot].duration});
}

}  // namespace millrace::sim
