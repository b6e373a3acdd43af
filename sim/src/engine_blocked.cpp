// SPDX-License-Identifier: Apache-2.0
// Deadlocks: what can never go on, and what it waits for.
#include "engine.hpp"

#include <algorithm>
#include <vector>

namespace millrace::sim {

Blocked Engine::blocked_at(std::uint32_t slot) const {
  const Node& node = nodes_[slot];
  Blocked blocked{.step = Step::operation(node.traced)};
  if (node.kind == OperationKind::await_flag && node.state == State::queued) {
    blocked.waits_for = ObjectKind::flag;
    blocked.object = node.object;
    return blocked;
  }
  for (const Node& other : nodes_) {
    if (other.state == State::unused) continue;
    for (std::uint32_t edge = other.first_edge; edge != nothing; edge = edges_[edge].next) {
      if (edges_[edge].to == slot) blocked.behind = Step::operation(other.traced);
    }
  }
  return blocked;
}

/// What stands before it in its hardware queue is of another stream, which the program's own order
/// does not show: the trace says so.
void Engine::blame_queue(std::uint32_t slot, Blocked& blocked) {
  if (model_ == nullptr || blocked.behind.exists()) return;
  const std::uint32_t before = model_->before_in_queue(slot);
  if (before == no_slot) return;
  blocked.behind = Step::operation(nodes_[before].traced);
  if (Operation* const traced = recorder_.operation(nodes_[slot].traced)) {
    traced->constraint = ConstraintKind::queue_neighbour;
    traced->because = blocked.behind;
  }
}

void Engine::report_blocked(std::vector<Blocked>& blocked) {
  std::vector<std::uint32_t> stuck;
  std::vector<bool> behind_another(nodes_.size());
  for (const Node& node : nodes_) {
    if (node.state != State::unused && node.next != nothing) behind_another[node.next] = true;
  }
  for (std::uint32_t slot = 0; slot < nodes_.size(); ++slot) {
    const bool head = nodes_[slot].state != State::unused && !behind_another[slot];
    if (head && nodes_[slot].state != State::running) stuck.push_back(slot);
  }
  std::ranges::sort(stuck, {}, [this](std::uint32_t slot) { return nodes_[slot].serial; });
  for (const std::uint32_t slot : stuck) {
    blocked.push_back(blocked_at(slot));
    blame_queue(slot, blocked.back());
  }
}

}  // namespace millrace::sim
