// SPDX-License-Identifier: Apache-2.0
// A launch enqueues the nodes of a plan. The first and the last one stand in the launching stream
// like any other operation, so that whatever orders streams orders launches; the nodes between them
// only their edges hold.

#include "backend_impl.hpp"

#include <millrace/mention.hpp>

#include <algorithm>

namespace millrace::sim {
namespace {

std::size_t event_of(const GraphNode& node) { return node.operation.object; }

std::size_t memory_of(const GraphNode& node) {
  return handle_index(node.accesses.front().region.memory);
}

}  // namespace

void SimBackend::launch_graph(Handle stream_handle, Handle handle, const CallSite& site) {
  perform(CallKind::launch_graph, site, [&](Call& call) {
    StreamRecord& on = stream(stream_handle, call);
    ExecutableRecord& launched = to_launch(handle, call);
    about(call, ObjectKind::graph, launched.origin.traced);
    const std::shared_ptr<const GraphPlan> plan = launched.plan;
    check_launch(*plan, call);
    run(*plan, on, launched, call);
  });
}

ExecutableRecord& SimBackend::to_launch(Handle handle, Call& call) {
  if (is_handle(HandleKind::executable, handle)) return executable(handle, call);
  GraphRecord& found = graph(handle, call);
  if (found.executable == no_index) found.executable = add_executable(found, call);
  return executables_[found.executable];
}

void SimBackend::check_launch(const GraphPlan& plan, Call& call) {
  for (const auto& node : plan.nodes) {
    refuse_failed(node->device, call);
    if (node->kind == NodeKind::record || node->kind == NodeKind::wait) check_event(*node, call);
  }
  check_memory(plan, call);
}

/// The memory of the launch before must be freed, and there must be room for this one's.
void SimBackend::check_memory(const GraphPlan& plan, const Call& call) {
  std::map<int, std::int64_t> held;  // by device, as the nodes come
  for (const auto& node : plan.nodes) {
    if (node->kind != NodeKind::allocate && node->kind != NodeKind::free) continue;
    const MemoryRecord& memory = memories_[memory_of(*node)];
    const auto bytes = static_cast<std::int64_t>(memory.bytes);
    std::int64_t& in_use = held[memory.device];
    in_use += node->kind == NodeKind::allocate ? bytes : -bytes;
    if (node->kind == NodeKind::free) continue;
    const std::string subject = mention("memory", memory.origin.name, memory.origin.made);
    if (memory.live) {
      fail(Errc::InvalidValue, call, subject + " of the launch before was not freed");
    }
    if (in_use > 0 && !make_room(memory.device, static_cast<std::uint64_t>(in_use))) {
      refuse_room(memory.device, memory.bytes, subject, call);
    }
  }
}

void SimBackend::check_event(const GraphNode& node, Call& call) {
  EventRecord& used = events_[event_of(node)];
  if (used.origin.gone) refuse_gone(used.origin, ObjectKind::event, call);
  if (used.sharing == nullptr) return;
  look_elsewhere(used, call);
  if (node.kind == NodeKind::record) return refuse_unshared_record(used, call);
  refuse_lost(*used.sharing, used.sharing->current, call);
}

/// One launch while its nodes are enqueued.
struct SimBackend::GraphLaunch {
  const GraphPlan& plan;
  StreamRecord& on;
  ExecutableRecord& executable;
  Call& call;
  std::vector<OperationRef> enqueued{};                  // by place in the plan
  std::map<int, std::vector<OperationRef>> elsewhere{};  // by device, if not the stream's
};

void SimBackend::run(const GraphPlan& plan, StreamRecord& on, ExecutableRecord& executable,
                     Call& call) {
  const bool on_one_device = std::ranges::all_of(
      plan.nodes, [&](const auto& node) { return node->device < 0 || node->device == on.device; });
  const GraphPlan outer = on_one_device ? GraphPlan{} : enclosed(plan);
  GraphLaunch launch{on_one_device ? plan : outer, on, executable, call};
  for (const auto& node : launch.plan.nodes) launch.enqueued.push_back(run_node(*node, launch));
  join_other_devices(launch);
  on.tail = executable.last = launch.enqueued.back();
  executable.last_queue = on.queue;
}

OperationRef SimBackend::run_node(const GraphNode& node, GraphLaunch& launch) {
  const std::size_t place = launch.enqueued.size();
  StreamRecord& on = place_of(node, launch.on);
  const TraceIndex traced = describe_node(node, on, launch.executable, launch.call);
  prerequisites_.clear();
  if (place == 0) order_head(launch.on, launch.executable, traced);
  for (const NodeId before : launch.plan.after[place]) {
    order_node(launch.enqueued[before], traced);
  }
  if (node.kind == NodeKind::wait) order_wait(node, traced);
  NewOperation operation = without_body(node.operation);
  operation.traced = traced;
  operation.fifo = place == 0 || place + 1 == launch.plan.nodes.size();
  if (node.body != nullptr) operation.body = [body = node.body] { (*body)(); };
  if (node.kind == NodeKind::record) begin_record(events_[event_of(node)], unordered_record);
  const OperationRef enqueued = hand_over(std::move(operation), on, launch.call);
  if (node.kind == NodeKind::record) events_[event_of(node)].latest = enqueued;
  if (&on != &launch.on) launch.elsewhere[on.device].push_back(enqueued);
  return enqueued;
}

void SimBackend::order_node(const OperationRef& before, TraceIndex traced) {
  prerequisites_.push_back({before, ConstraintKind::graph_edge});
  recorder_.depend(Step::operation(before.traced), Step::operation(traced),
                   DependencyKind::graph_edge);
}

/// Nodes of another device than the stream's run on a stream of that device which only the
/// launches of this one use.
StreamRecord& SimBackend::place_of(const GraphNode& node, StreamRecord& on) {
  if (node.device < 0 || node.device == on.device) return on;
  const auto known = on.elsewhere.find(node.device);
  if (known != on.elsewhere.end() && !streams_[known->second].origin.gone) {
    return streams_[known->second];
  }
  const Name name(std::string(on.origin.name.text()) + " on sim:" + std::to_string(node.device));
  const std::size_t added =
      add_stream({.device = node.device, .name = name}, StreamKind::created, nullptr);
  streams_[added].origin.made = on.origin.made;
  traced_stream(streams_[added]);
  on.elsewhere[node.device] = added;
  return streams_[added];
}

/// Who waits for one of the other devices waits for the launch's nodes there.
void SimBackend::join_other_devices(GraphLaunch& launch) {
  for (const auto& [device, nodes] : launch.elsewhere) {
    StreamRecord& on = streams_[launch.on.elsewhere[device]];
    const TraceIndex traced = describe(on, OperationKind::graph_node, {},
                                       launch.executable.origin.traced, 0, launch.call);
    prerequisites_.clear();
    for (const OperationRef& node : nodes) order_node(node, traced);
    on.tail = hand_over({.kind = OperationKind::graph_node, .traced = traced}, on, launch.call);
  }
}

/// The node as an operation of this launch. It comes after the call that once added it, whose place
/// in the program the trace keeps by that.
TraceIndex SimBackend::describe_node(const GraphNode& node, const StreamRecord& on,
                                     const ExecutableRecord& launched, Call& call) {
  TraceIndex object = node.object;
  if (node.kind == NodeKind::empty) object = launched.origin.traced;
  if (node.kind == NodeKind::allocate) begin_life(memories_[memory_of(node)], call);
  if (node.kind == NodeKind::free) end_life(memories_[memory_of(node)]);
  if (node.kind == NodeKind::allocate || node.kind == NodeKind::free) {
    object = memories_[memory_of(node)].origin.traced;
  }
  const TraceIndex traced = describe(on, node.operation.kind, node.name, object, node.bytes, call);
  for (const NodeAccess& access : node.accesses) {
    add_access(traced, access.region, access.mode, access.order);
  }
  recorder_.depend(Step::call(node.call), Step::operation(traced), DependencyKind::graph_edge);
  return traced;
}

/// The first node comes after what the stream has to wait for, and after the launch before.
void SimBackend::order_head(StreamRecord& on, const ExecutableRecord& launched, TraceIndex traced) {
  if (on.blocking || on.kind == StreamKind::legacy) order_with_legacy(on, traced);
  if (launched.last.serial == 0 || launched.last_queue == on.queue) return;
  prerequisites_.push_back({launched.last, ConstraintKind::graph_launch});
  recorder_.depend(Step::operation(launched.last.traced), Step::operation(traced),
                   DependencyKind::graph_launch);
}

void SimBackend::order_wait(const GraphNode& node, TraceIndex traced) {
  const EventRecord& awaited = events_[event_of(node)];
  need(awaited);
  if (awaited.latest.serial == 0) return;
  prerequisites_.push_back({awaited.latest, ConstraintKind::record_wait});
  recorder_.depend(Step::operation(awaited.latest.traced), Step::operation(traced),
                   DependencyKind::record_wait);
}

// Memory of graphs: each launch allocates it anew, and the trace tells its lives apart.

void SimBackend::begin_life(MemoryRecord& memory, const Call& call) {
  memory.live = true;
  devices_[static_cast<std::size_t>(memory.device)].used_bytes += memory.bytes;
  if (std::exchange(memory.lived, true) && recorder_.enabled()) {
    auto& table = recorder_.trace().memories;
    TraceMemory next = table[memory.origin.traced];
    next.created_by = call.traced;
    memory.origin.traced = static_cast<TraceIndex>(table.size());
    table.push_back(next);
  }
}

void SimBackend::end_life(MemoryRecord& memory) {
  if (!std::exchange(memory.live, false)) return;
  devices_[static_cast<std::size_t>(memory.device)].used_bytes -= memory.bytes;
}

/// What a free outside of graphs does to the memory.
void SimBackend::release(MemoryRecord& memory, const Freed& freed, const CallSite& site) {
  if (memory.of_graph) {
    end_life(memory);
  } else {
    bury(memory, freed, site);
  }
}

}  // namespace millrace::sim
