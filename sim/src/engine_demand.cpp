// SPDX-License-Identifier: Apache-2.0
// Explored runs: operations end when they are demanded, host functions start when they are chosen.
#include "engine.hpp"

#include <algorithm>

namespace millrace::sim {

bool Engine::has_body(const Node& node) const {
  if (node.kind != OperationKind::host_function || node.extra == nothing) return false;
  return extras_[node.extra].body || extras_[node.extra].callback;
}

void Engine::note_predecessors(std::uint32_t slot, bool fifo, std::span<const Prerequisite> after) {
  if (demanded_.size() < nodes_.size()) demanded_.resize(nodes_.size());
  Demanded& fresh = demanded_[slot];
  fresh.behind.clear();
  fresh.held_until = -1;
  fresh.demanded = fresh.is_over = fresh.may_start = false;
  const std::uint32_t tail = queues_[nodes_[slot].stream].tail;
  if (fifo && tail != nothing) fresh.behind.push_back({tail, nodes_[tail].serial});
  for (const Prerequisite& one : after) {
    if (!finished(one.operation)) fresh.behind.push_back(one.operation);
  }
  if (has_body(nodes_[slot])) functions_.push_back({slot, nodes_[slot].serial});
}

/// Whether it ends then only if it is demanded by that.
bool Engine::hold(std::uint32_t slot, Time at) {
  Demanded& known = demanded_[slot];
  if (known.demanded || nodes_[slot].foreign) return false;
  known.held_until = at.ns;
  return true;
}

/// The same for one that would end now.
bool Engine::hold_end(std::uint32_t slot) {
  return demanded_[slot].is_over = hold(slot, Time{now_});
}

/// Visits the operation and all unfinished ones before it; `visit` says whether to go on. False
/// when one of them said no.
template <typename Visit>
bool Engine::visit_past(const OperationRef& last, Visit visit) {
  ++visits_;
  to_visit_.assign({last});
  while (!to_visit_.empty()) {
    const OperationRef next = to_visit_.back();
    to_visit_.pop_back();
    if (finished(next) || demanded_[next.slot].visit == visits_) continue;
    demanded_[next.slot].visit = visits_;
    if (!visit(next.slot)) return false;
    const std::vector<OperationRef>& behind = demanded_[next.slot].behind;
    to_visit_.insert(to_visit_.end(), behind.begin(), behind.end());
  }
  return true;
}

bool Engine::can_finish(const OperationRef& operation) {
  return visit_past(operation, [this](std::uint32_t slot) {
    const Node& node = nodes_[slot];
    if (node.foreign || has_body(node)) return false;
    return node.kind != OperationKind::await_flag || satisfied(node);
  });
}

void Engine::demand(const OperationRef& operation) {
  visit_past(operation, [this](std::uint32_t slot) {
    hosts_.chooser()->touch(Thing::progress, nodes_[slot].stream, Touch::add);
    if (!demanded_[slot].demanded && !has_body(nodes_[slot])) demand_one(slot);
    return true;
  });
}

void Engine::demand_one(std::uint32_t slot) {
  Demanded& known = demanded_[slot];
  known.demanded = true;
  if (known.held_until < 0) return;
  events_.add(Time{std::max(known.held_until, now_)}, slot, nodes_[slot].serial);
}

void Engine::startable_functions(std::vector<Actor>& functions) {
  std::erase_if(functions_, [this](const OperationRef& function) { return finished(function); });
  for (const OperationRef& function : functions_) {
    const Demanded& known = demanded_[function.slot];
    const Device& server = devices_[static_cast<std::size_t>(device_of(function.slot))];
    if (known.may_start || server.serving != nothing) continue;
    const std::vector<OperationRef> behind = known.behind;
    const bool can_start = std::ranges::all_of(
        behind, [this](const OperationRef& before) { return can_finish(before); });
    if (can_start) functions.push_back(Actor::function(function.serial));
  }
}

void Engine::start_function(Actor chosen) {
  const auto found = std::ranges::find(functions_, chosen.serial(), &OperationRef::serial);
  const OperationRef function = *found;
  const auto device = static_cast<std::uint64_t>(device_of(function.slot));
  hosts_.chooser()->touch(Thing::server, device, Touch::write);
  const std::vector<OperationRef> behind = demanded_[function.slot].behind;
  for (const OperationRef& before : behind) demand(before);
  hosts_.chooser()->touch(Thing::progress, nodes_[function.slot].stream, Touch::add);
  demanded_[function.slot].demanded = demanded_[function.slot].may_start = true;
  if (nodes_[function.slot].state == State::queued) queue_host_function(function.slot);
}

bool Engine::demand_rest() {
  bool found = false;
  for (std::uint32_t slot = 0; slot < nodes_.size(); ++slot) {
    const Node& node = nodes_[slot];
    if (node.state == State::unused || node.foreign || has_body(node)) continue;
    if (demanded_[slot].demanded) continue;
    demand_one(slot);
    found = true;
  }
  return found;
}

}  // namespace millrace::sim
