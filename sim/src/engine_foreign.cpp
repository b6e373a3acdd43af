// SPDX-License-Identifier: Apache-2.0
// Records of other processes, and how they end.
#include "engine.hpp"

#include <algorithm>

namespace millrace::sim {

OperationRef Engine::begin_foreign(std::uint32_t stream, TraceIndex traced, TraceIndex call,
                                   Time now) {
  now_ = std::max(now_, now.ns);
  const std::uint32_t slot = take_slot();
  Node& node = nodes_[slot];
  node = Node{.serial = ++serial_,
              .stream = stream,
              .traced = traced,
              .call = call,
              .kind = OperationKind::record,
              .constraint = ConstraintKind::enqueue,
              .foreign = true};
  if (is_explored_) note_predecessors(slot, false, {});
  mark_started(node);
  return {slot, node.serial, traced};
}

void Engine::end_foreign(const OperationRef& operation, Time at) {
  if (finished(operation)) return;  // by a reset
  if (at.ns > now_) return schedule(operation.slot, at);
  finish_foreign(operation.slot);
  settle_all();
}

void Engine::finish_foreign(std::uint32_t slot) {
  release_successors(slot);
  retire(slot, OperationState::completed);
}

}  // namespace millrace::sim
