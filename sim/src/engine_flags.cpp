// SPDX-License-Identifier: Apache-2.0
// Flags: what is set and awaited in streams.
#include "engine.hpp"

namespace millrace::sim {

bool Engine::satisfied(const Node& node) const {
  const std::uint32_t value = flags_[node.object].value;
  const Extra& wanted = extras_[node.extra];
  switch (wanted.condition) {
    case FlagCondition::greater_or_equal:
      return static_cast<std::int32_t>(value - wanted.value) >= 0;  // cyclic, as on the device
    case FlagCondition::equal:
      return value == wanted.value;
    case FlagCondition::bits:
      return (value & wanted.value) != 0;
  }
  return false;
}

void Engine::await_flag(std::uint32_t slot) {
  Node& node = nodes_[slot];
  if (!satisfied(node)) {
    node.state = State::queued;
    flags_[node.object].parked.push_back(slot);
    return;
  }
  mark_started(node);
  recorder_.depend(Step::operation(flags_[node.object].last_set), Step::operation(node.traced),
                   DependencyKind::flag);
  finish(slot);
}

void Engine::set_flag(std::uint32_t setter) {
  const TraceIndex traced = nodes_[setter].traced;
  Flag& flag = flags_[nodes_[setter].object];
  flag.value = extras_[nodes_[setter].extra].value;
  flag.last_set = traced;
  std::erase_if(flag.parked, [&](std::uint32_t slot) {
    if (!satisfied(nodes_[slot])) return false;
    nodes_[slot].constraint = ConstraintKind::flag;
    nodes_[slot].because = traced;
    ready_.push_back(slot);
    return true;
  });
}

}  // namespace millrace::sim
