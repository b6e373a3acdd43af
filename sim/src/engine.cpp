// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <millrace/host.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace millrace::sim {

Engine::Engine(int devices, Recorder& recorder, Hosts& hosts, EngineListener& listener)
    : recorder_(recorder),
      hosts_(hosts),
      listener_(listener),
      devices_(static_cast<std::size_t>(devices)) {}

Engine::Engine(const Profile& profile, int devices, Recorder& recorder, Hosts& hosts,
               EngineListener& listener)
    : Engine(devices, recorder, hosts, listener) {
  Stage& stage = *this;
  if (profile.device_model) model_ = std::make_unique<DeviceModel>(profile, devices, stage);
}

std::uint32_t Engine::add_stream(const DeviceModel::NewStream& stream) {
  queues_.push_back({.tail = nothing, .device = stream.device});
  if (model_ != nullptr) model_->add_stream(stream);
  return static_cast<std::uint32_t>(queues_.size() - 1);
}

/// Names every field, so that the compiler asks what is to become of a new one.
NewOperation without_body(const NewOperation& operation) {
  const auto& [stream, kind, duration, traced, call, object, value, condition, fault, demand, fifo,
               body] = operation;
  static_cast<void>(body);
  return {.stream = stream,
          .kind = kind,
          .duration = duration,
          .traced = traced,
          .call = call,
          .object = object,
          .value = value,
          .condition = condition,
          .fault = fault,
          .demand = demand,
          .fifo = fifo};
}

std::uint32_t Engine::add_flag() {
  flags_.emplace_back();
  return static_cast<std::uint32_t>(flags_.size() - 1);
}

std::uint32_t Engine::take_slot() {
  if (free_slots_.empty()) {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

std::uint32_t Engine::take_extra(NewOperation& operation) {
  const bool on_flag =
      operation.kind == OperationKind::set_flag || operation.kind == OperationKind::await_flag;
  if (!operation.body && !on_flag && operation.fault == Errc::Success) return nothing;
  std::uint32_t index = static_cast<std::uint32_t>(extras_.size());
  if (free_extras_.empty()) {
    extras_.emplace_back();
  } else {
    index = free_extras_.back();
    free_extras_.pop_back();
  }
  extras_[index] = {.body = std::move(operation.body),
                    .value = operation.value,
                    .condition = operation.condition,
                    .fault = operation.fault};
  return index;
}

OperationRef Engine::enqueue(NewOperation&& operation, std::span<const Prerequisite> prerequisites,
                             Time now) {
  now_ = std::max(now_, now.ns);
  const std::uint32_t slot = take_slot();
  Node& node = nodes_[slot];
  node = Node{.serial = ++serial_,
              .duration = operation.duration.ns,
              .stream = operation.stream,
              .traced = operation.traced,
              .call = operation.call,
              .object = operation.object,
              .extra = take_extra(operation),
              .kind = operation.kind,
              .constraint = ConstraintKind::enqueue,
              .state = State::waiting};
  ++unfinished_;

  if (operation.fifo) {
    Queue& queue = queues_[operation.stream];
    if (queue.tail != nothing) {
      nodes_[queue.tail].next = slot;
      ++node.missing;
    }
    queue.tail = slot;
  }
  for (const Prerequisite& prerequisite : prerequisites) {
    operation.demand.in_graph |= prerequisite.kind == ConstraintKind::graph_edge;
    if (finished(prerequisite.operation)) continue;
    add_edge(prerequisite.operation.slot, slot, prerequisite.kind);
    ++node.missing;
  }

  const OperationRef reference{slot, node.serial, node.traced};
  if (model_ != nullptr) node.missing += hand_over(slot, operation);
  if (node.missing == 0) {
    ready_.push_back(slot);
    settle_all();
  }
  return reference;
}

/// Tells the device model; returns how many more things the operation has to wait for.
std::uint32_t Engine::hand_over(std::uint32_t slot, const NewOperation& operation) {
  Node& node = nodes_[slot];
  if (std::exchange(waited_for_place_, false)) {
    node.constraint = ConstraintKind::launch_ring;
    node.because = model_->last_place();
  }
  const bool waits = model_->enqueue({.slot = slot,
                                      .stream = node.stream,
                                      .serial = node.serial,
                                      .traced = node.traced,
                                      .kind = node.kind,
                                      .demand = operation.demand,
                                      .duration = operation.duration},
                                     Time{now_});
  return waits ? 1 : 0;
}

void Engine::add_edge(std::uint32_t from, std::uint32_t to, ConstraintKind kind) {
  std::uint32_t edge = free_edge_;
  if (edge == nothing) {
    edge = static_cast<std::uint32_t>(edges_.size());
    edges_.emplace_back();
  } else {
    free_edge_ = edges_[edge].next;
  }
  edges_[edge] = {.to = to, .next = nodes_[from].first_edge, .kind = kind};
  nodes_[from].first_edge = edge;
}

void Engine::watch(const OperationRef& operation) {
  if (!finished(operation)) nodes_[operation.slot].watched = true;
}

void Engine::advance_to(Time limit) {
  while (!events_.empty() && events_.top().at <= limit.ns) {
    const Scheduled event = events_.top();
    events_.pop();
    now_ = std::max(now_, event.at);
    if (nodes_[event.slot].serial == event.serial) {  // else it was cut off, or ended before
      if (model_ == nullptr || model_->happened(event.slot, Time{now_})) finish(event.slot);
      settle();
    }
    // What the device gives to whom is decided when all that happens at this moment has.
    if (model_ != nullptr && next_event().ns > now_) settle_all();
  }
}

/// Settles, and lets the device model start what it can, until nothing more becomes ready.
void Engine::settle_all() {
  settle();
  if (model_ == nullptr || settling_) return;
  while (true) {
    model_->dispatch(Time{now_});
    if (ready_.empty()) return;
    settle();
  }
}

/// Starts what is ready, and what becomes ready by that, in order of becoming so.
void Engine::settle() {
  if (settling_) return;
  settling_ = true;
  while (ready_head_ < ready_.size()) start(ready_[ready_head_++]);
  ready_.clear();
  ready_head_ = 0;
  settling_ = false;
}

void Engine::release(std::uint32_t slot, ConstraintKind kind, TraceIndex because) {
  Node& node = nodes_[slot];
  if (--node.missing > 0) return;
  node.constraint = kind;
  node.because = because;
  ready_.push_back(slot);
}

/// All that it was enqueued behind is done.
void Engine::start(std::uint32_t slot) {
  Node& node = nodes_[slot];
  if (node.serial == 0) return;  // discarded meanwhile
  if (model_ == nullptr || node.state != State::waiting) return commence(slot);
  node.state = State::queued;
  model_->ready(slot, Time{now_});
}

void Engine::commence(std::uint32_t slot) {
  Node& node = nodes_[slot];
  switch (node.kind) {
    case OperationKind::host_function:
      return queue_host_function(slot);
    case OperationKind::await_flag:
      return await_flag(slot);
    default:
      break;
  }
  mark_started(node);
  if (node.duration == 0) return finish(slot);
  schedule(slot, Time{now_ + node.duration});
}

void Engine::mark_started(std::uint32_t slot, ConstraintKind kind, TraceIndex because) {
  Node& node = nodes_[slot];
  if (kind != ConstraintKind::unknown) {
    node.constraint = kind;
    node.because = because;
  }
  mark_started(node);
}

void Engine::mark_started(Node& node) {
  node.state = State::running;
  if (Operation* const traced = recorder_.operation(node.traced)) {
    traced->start_ns = now_;
    traced->sequence = recorder_.next_step();
    traced->state = OperationState::running;
    traced->constraint = node.constraint;
    traced->because = node.constraint == ConstraintKind::enqueue ? Step::call(node.call)
                                                                 : Step::operation(node.because);
  }
}

void Engine::schedule(std::uint32_t slot, Time at) {
  events_.push({at.ns, ++scheduled_, slot, nodes_[slot].serial});
}

void Engine::finish(std::uint32_t slot) {
  Node& node = nodes_[slot];
  if (node.extra != nothing) {
    Extra& extra = extras_[node.extra];
    if (extra.fault != Errc::Success) return fail_device(slot, extra.fault);
    if (extra.body) run_body(std::move(extra.body));
    if (node.kind == OperationKind::set_flag) set_flag(slot);
  }
  if (node.kind == OperationKind::record) listener_.recorded(node.object, node.serial, Time{now_});
  const int server = node.kind == OperationKind::host_function ? device_of(slot) : -1;
  release_successors(slot);
  if (model_ != nullptr) model_->ended(slot, Time{now_});
  retire(slot, OperationState::completed);
  if (server >= 0) {
    devices_[static_cast<std::size_t>(server)].serving = nothing;
    serve(server);
  }
}

void Engine::fail_device(std::uint32_t slot, Errc fault) {
  const int device = device_of(slot);
  const TraceIndex traced = nodes_[slot].traced;
  release_successors(slot);
  retire(slot, OperationState::failed);
  listener_.faulted(device, fault, traced);
  discard_all(device, Time{now_}, OperationState::pending);
}

/// Bodies call nothing of the API, so the tables stay as they are.
void Engine::run_body(Task body) {
  try {
    const OperationBodyScope scope;
    body();
  } catch (...) {
    hosts_.failed(std::current_exception());
  }
}

void Engine::release_from(std::uint32_t before, std::uint32_t slot, ConstraintKind kind) {
  if (model_ != nullptr) {
    model_->released(slot, before, kind == ConstraintKind::graph_edge, Time{now_});
  }
  release(slot, kind, nodes_[before].traced);
}

void Engine::release_successors(std::uint32_t slot) {
  if (nodes_[slot].next != nothing) {
    release_from(slot, nodes_[slot].next, ConstraintKind::stream_order);
  }
  for (std::uint32_t edge = nodes_[slot].first_edge; edge != nothing;) {
    release_from(slot, edges_[edge].to, edges_[edge].kind);
    const std::uint32_t next = edges_[edge].next;
    edges_[edge].next = std::exchange(free_edge_, edge);
    edge = next;
  }
  nodes_[slot].first_edge = nothing;
}

/// Takes an operation off the books.
void Engine::retire(std::uint32_t slot, OperationState state) {
  Node& node = nodes_[slot];
  if (Operation* const traced = recorder_.operation(node.traced)) {
    traced->state = state;
    if (traced->start_ns >= 0) traced->end_ns = now_;
  }
  if (state != OperationState::cancelled) end_of_work_ = std::max(end_of_work_, now_);
  Queue& queue = queues_[node.stream];
  if (queue.tail == slot) queue.tail = nothing;
  const bool watched = node.watched;
  if (node.extra != nothing) {
    extras_[node.extra].body.reset();
    free_extras_.push_back(node.extra);
  }
  node.serial = 0;
  node.state = State::unused;
  free_slots_.push_back(slot);
  --unfinished_;
  if (watched) hosts_.changed(Time{now_});
}

// Host functions: one server a device.

void Engine::queue_host_function(std::uint32_t slot) {
  Device& server = devices_[static_cast<std::size_t>(device_of(slot))];
  Node& node = nodes_[slot];
  node.state = State::queued;
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
  // std::function must be copyable, a Task is not.
  auto body = std::make_shared<Task>(std::move(extras_[node.extra].body));
  hosts_.run_host_function(
      device, Time{now_}, [body] { (*body)(); },
      [this, slot, serial](Time at) { host_function_done(slot, serial, at); }, node.traced);
}

void Engine::host_function_done(std::uint32_t slot, std::uint64_t serial, Time at) {
  if (nodes_[slot].serial != serial) return;  // cut off meanwhile
  schedule(slot, at + Duration{nodes_[slot].duration});
}

// Flags.

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

// Faults and resets.

void Engine::discard_all(int device, Time now, OperationState unstarted) {
  now_ = std::max(now_, now.ns);
  for (Flag& flag : flags_) {
    std::erase_if(flag.parked, [&](std::uint32_t slot) { return device_of(slot) == device; });
  }
  devices_[static_cast<std::size_t>(device)] = Device{};
  if (model_ != nullptr) model_->discard(device);
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

// Deadlocks.

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

void Engine::report_blocked(std::vector<Blocked>& blocked) const {
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
  for (const std::uint32_t slot : stuck) blocked.push_back(blocked_at(slot));
}

}  // namespace millrace::sim
