// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include "grow.hpp"

#include <millrace/host.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace millrace::sim {

Engine::Engine(int devices, Recorder& recorder, Hosts& hosts, EngineListener& listener)
    : recorder_(recorder),
      hosts_(hosts),
      listener_(listener),
      devices_(static_cast<std::size_t>(devices)),
      is_explored_(hosts.chooser() != nullptr) {}

Engine::Engine(const Profile& profile, int devices, Recorder& recorder, Hosts& hosts,
               EngineListener& listener)
    : Engine(devices, recorder, hosts, listener) {
  Stage& stage = *this;
  if (profile.device_model) {
    model_ = std::make_unique<DeviceModel>(profile, devices, stage, recorder);
  }
}

std::uint32_t Engine::add_stream(const DeviceModel::NewStream& stream) {
  queues_.push_back({.tail = nothing, .device = stream.device});
  if (model_ != nullptr) model_->add_stream(stream);
  return static_cast<std::uint32_t>(queues_.size() - 1);
}

std::uint32_t Engine::add_flag() {
  flags_.emplace_back();
  return static_cast<std::uint32_t>(flags_.size() - 1);
}

std::uint32_t Engine::take_slot() {
  if (free_slots_.empty()) {
    grow(nodes_);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

std::uint32_t Engine::take_extra(NewOperation& operation) {
  std::uint32_t index = static_cast<std::uint32_t>(extras_.size());
  if (free_extras_.empty()) {
    extras_.emplace_back();
  } else {
    index = free_extras_.back();
    free_extras_.pop_back();
  }
  extras_[index] = {.body = std::move(operation.body),
                    .callback = std::move(operation.callback),
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
              .extra = needs_extra(operation) ? take_extra(operation) : nothing,
              .kind = operation.kind,
              .constraint = ConstraintKind::enqueue,
              .state = State::waiting};
  ++unfinished_;
  if (is_explored_) note_predecessors(slot, operation.fifo, prerequisites);

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
  return model_->enqueue(slot, operation, Time{now_}) ? 1 : 0;
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
  while (true) {
    if (!losses_.empty()) catch_up(std::min(limit, next_event()));
    if (events_.empty() || events_.next() > limit) return;
    const EventQueue::Event event = events_.take();
    now_ = std::max(now_, event.at);
    if (nodes_[event.slot].serial == event.serial) {  // else it was cut off, or ended before
      if (nodes_[event.slot].foreign) {
        finish_foreign(event.slot);
      } else if (model_ == nullptr || ends_now(event.slot)) {
        finish(event.slot);
      }
      settle();
    }
    // What the device gives to whom is decided when all that happens at this moment has.
    if (model_ != nullptr && next_event().ns > now_) settle_all();
  }
}

/// Whether what the device model has in mind for it is its end, and that is wanted now.
bool Engine::ends_now(std::uint32_t slot) {
  if (is_explored_ && demanded_[slot].is_over) return true;
  if (!model_->happened(slot, Time{now_})) return false;
  return !is_explored_ || !hold_end(slot);
}

void Engine::end_at_once(std::uint32_t slot) {
  if (!is_explored_ || !hold_end(slot)) finish(slot);
}

void Engine::dispatch() {
  while (true) {
    model_->dispatch(Time{now_});
    if (ready_.empty()) return;
    settle();
  }
}

void Engine::start_ready() {
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
  model_->ready(slot, node.serial, Time{now_});
}

void Engine::commence(std::uint32_t slot) {
  Node& node = nodes_[slot];
  switch (node.kind) {
    case OperationKind::host_function:
      if (is_explored_ && !has_body(node)) break;  // who has no body disturbs nobody
      return queue_host_function(slot);
    case OperationKind::await_flag:
      return await_flag(slot);
    default:
      break;
  }
  mark_started(node);
  if (node.duration == 0) return end_at_once(slot);
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
  if (node.next != nothing) prefetch(node.next);
  if (Operation* const traced = recorder_.operation(node.traced)) {
    traced->start_ns = now_;
    traced->sequence = recorder_.next_step();
    traced->state = OperationState::running;
    traced->constraint = node.constraint;
    traced->because = node.constraint == ConstraintKind::enqueue ? Step::call(node.call)
                                                                 : Step::operation(node.because);
  }
}

void Engine::finish(std::uint32_t slot) {
  Node& node = nodes_[slot];
  if (node.extra != nothing) {
    Extra& extra = extras_[node.extra];
    if (extra.fault != Errc::Success) return fail_operation(slot, extra.fault);
    if (extra.body) run_body(std::move(extra.body));
    if (node.kind == OperationKind::set_flag) set_flag(slot);
  }
  if (node.kind == OperationKind::record) listener_.recorded(node.object, node.serial, Time{now_});
  const bool was_served = node.kind == OperationKind::host_function &&
                          devices_[static_cast<std::size_t>(device_of(slot))].serving == slot;
  const int server = was_served ? device_of(slot) : -1;
  release_successors(slot);
  if (model_ != nullptr) model_->ended(slot, Time{now_});
  retire(slot, OperationState::completed);
  if (server >= 0) {
    devices_[static_cast<std::size_t>(server)].serving = nothing;
    serve(server);
  }
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
  if (model_ != nullptr && !nodes_[before].foreign) {
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
  if (state != OperationState::cancelled && !node.foreign)
    end_of_work_ = std::max(end_of_work_, now_);
  Queue& queue = queues_[node.stream];
  if (queue.tail == slot) queue.tail = nothing;
  const bool watched = node.watched;
  if (node.extra != nothing) {
    extras_[node.extra].body.reset();
    extras_[node.extra].callback = nullptr;
    free_extras_.push_back(node.extra);
  }
  node.serial = 0;
  node.state = State::unused;
  free_slots_.push_back(slot);
  if (!node.foreign) --unfinished_;
  if (watched) hosts_.changed(Time{now_});
}

}  // namespace millrace::sim
