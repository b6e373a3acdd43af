// SPDX-License-Identifier: Apache-2.0
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

namespace millrace::sim {

// From handles to records.

GraphRecord& SimBackend::graph(Handle handle, Call& call) {
  if (!is_handle(HandleKind::graph, handle) || handle_index(handle) >= graphs_.size()) {
    fail(Errc::InvalidValue, call, "the handle is not a graph of this machine");
  }
  GraphRecord& found = graphs_[handle_index(handle)];
  refuse_gone(found.origin, ObjectKind::graph, call);
  refuse_failed(found.device, call);
  return found;
}

ExecutableRecord& SimBackend::executable(Handle handle, Call& call) {
  if (!is_handle(HandleKind::executable, handle) || handle_index(handle) >= executables_.size()) {
    fail(Errc::InvalidValue, call, "the handle is not an executable graph of this machine");
  }
  ExecutableRecord& found = executables_[handle_index(handle)];
  refuse_gone(found.origin, ObjectKind::graph, call);
  refuse_failed(found.device, call);
  return found;
}

void SimBackend::check_node(const GraphRecord& graph, NodeId node, const Call& call) const {
  if (node < graph.body.nodes.size()) return;
  fail(Errc::InvalidValue, call,
       mention("graph", graph.origin.name, graph.origin.made) + " has no node " +
           std::to_string(node));
}

// Making graphs.

std::size_t SimBackend::add_graph(int device, Call& call) {
  const std::size_t index = graphs_.size();
  GraphRecord& added = graphs_.emplace_back();
  added.origin.made = call.site.where;
  added.device = device;
  added.builder.device = device;
  added.builder.builds = index;
  return index;
}

void SimBackend::name_graph(GraphRecord& graph, Name name) {
  graph.origin.name = name;
  if (!recorder_.enabled()) return;
  graph.origin.traced = static_cast<TraceIndex>(recorder_.trace().graphs.size());
  recorder_.trace().graphs.push_back({.name = recorder_.string(name)});
}

Handle SimBackend::create_graph(int index, Name name, const CallSite& site) {
  return perform(CallKind::create_graph, site, [&](Call& call) {
    static_cast<void>(device(index, call));
    refuse_failed(index, call);
    const std::size_t added = add_graph(index, call);
    name_graph(graphs_[added], name);
    about(call, ObjectKind::graph, graphs_[added].origin.traced);
    return make_handle(HandleKind::graph, added);
  });
}

void SimBackend::destroy_graph(Handle handle, const CallSite& site) {
  perform(CallKind::destroy_graph, site, [&](Call& call) {
    GraphRecord& found = graph(handle, call);
    found.origin.gone = true;
    found.origin.destroyed = site.where;
  });
}

void SimBackend::destroy_executable(Handle handle, const CallSite& site) {
  perform(CallKind::destroy_graph, site, [&](Call& call) {
    ExecutableRecord& found = executable(handle, call);
    found.origin.gone = true;
    found.origin.destroyed = site.where;
  });
}

void SimBackend::destroy_graphs_of(int device, const CallSite& site) {
  for (CaptureRecord& capture : captures_) {
    if (!capture.ended && streams_[capture.origin].device == device) drop(capture);
  }
  const auto destroy = [&](auto& records) {
    for (auto& record : records) {
      if (record.device != device || record.origin.gone) continue;
      record.origin.gone = true;
      record.origin.destroyed = site.where;
    }
  };
  destroy(graphs_);
  destroy(executables_);
}

GraphInfo SimBackend::graph_info(Handle handle, const CallSite& site) {
  Look look(*this, site);
  const GraphBody& body = graph(handle, look.call).body;
  GraphInfo info;
  for (std::size_t i = 0; i < body.nodes.size(); ++i) {
    const GraphNode& node = *body.nodes[i];
    info.nodes.push_back(
        {.kind = node.kind, .name = node.name, .after = body.after[i], .made = node.made});
  }
  return info;
}

// Adding nodes. The functions that enqueue work on streams make nodes of it too: the builder is a
// stream to them.

Handle SimBackend::builder(Handle handle, std::span<const NodeId> after, const CallSite& site) {
  Look look(*this, site);
  GraphRecord& found = graph(handle, look.call);
  for (const NodeId node : after) check_node(found, node, look.call);
  found.builder.frontier.assign(after.begin(), after.end());
  return make_handle(HandleKind::builder, handle_index(handle));
}

struct SimBackend::NodeAdder {
  SimBackend& backend;
  Handle on;
  Handle graph;
  std::span<const NodeId> after;
  const CallSite& site;
  AddedNode added{};

  void operator()(KernelNode& node) {
    backend.launch(on, node.name, node.options, std::move(node.body), site);
  }
  void operator()(CallNode& node) {
    backend.call(on, node.name, node.options, std::move(node.body), site);
  }
  void operator()(const CopyNode& node) {
    backend.copy(on, node.to, node.from, node.options, site);
  }
  void operator()(const FillNode& node) {
    backend.fill(on, node.region, node.value, node.options, site);
  }
  void operator()(const RecordNode& node) { backend.record_event(node.event, on, true, site); }
  void operator()(const WaitNode& node) { backend.wait_event(on, node.event, true, site); }
  void operator()(const AllocateNode& node) {
    const Allocation made = backend.allocate_async(
        on, {.bytes = node.bytes, .backed = node.backed, .name = node.name}, site);
    added.memory = made.memory;
    added.data = made.data;
  }
  void operator()(const FreeNode& node) { backend.free_async(on, node.memory, site); }
  void operator()(const SetFlagNode& node) { backend.set_flag(on, node.flag, node.value, site); }
  void operator()(const AwaitFlagNode& node) {
    backend.await_flag(on, node.flag, node.condition, node.value, site);
  }
  void operator()(const EmptyNode&) { backend.add_plain_node(graph, after, std::nullopt, site); }
  void operator()(const ChildNode& node) { backend.add_plain_node(graph, after, node.graph, site); }
};

AddedNode SimBackend::add_node(Handle handle, std::span<const NodeId> after, NodeWork work,
                               const CallSite& site) {
  NodeAdder adder{*this, builder(handle, after, site), handle, after, site};
  std::visit(adder, work);
  const Lock lock = hosts_.lock();
  adder.added.id = static_cast<NodeId>(graphs_[handle_index(handle)].body.nodes.size() - 1);
  return adder.added;
}

/// A node without an operation of its own: a child graph, or nothing at all.
void SimBackend::add_plain_node(Handle handle, std::span<const NodeId> after,
                                std::optional<Handle> child, const CallSite& site) {
  perform(CallKind::create_graph, site, [&](Call& call) {
    GraphNode node{.operation = {.kind = OperationKind::graph_node}};
    if (child) {
      node.kind = NodeKind::child;
      const GraphRecord& copied = graph(*child, call);
      node.name = copied.origin.name;
      node.child = std::make_shared<const GraphBody>(copied.body);
    }
    node.call = call.traced;
    node.made = site.where;
    graph(handle, call).body.add(std::make_shared<const GraphNode>(std::move(node)), after);
  });
}

void SimBackend::add_dependency(Handle handle, NodeId from, NodeId to, const CallSite& site) {
  perform(CallKind::create_graph, site, [&](Call& call) {
    GraphRecord& found = graph(handle, call);
    check_node(found, from, call);
    check_node(found, to, call);
    if (from == to) {
      fail(Errc::InvalidValue, call,
           "node " + std::to_string(from) + " of " +
               mention("graph", found.origin.name, found.origin.made) +
               " cannot come after itself");
    }
    found.body.depend(from, to);
  });
}

/// A graph frees what it allocates itself, once.
void SimBackend::check_free_node(const StreamRecord& on, const MemoryRecord& memory,
                                 const Call& call) const {
  const std::string subject = mention("memory", memory.origin.name, memory.origin.made);
  if (!memory.of_graph) {
    fail(Errc::InvalidValue, call,
         subject +
             " was not allocated by a graph, which could not free "
             "it at each launch");
  }
  const std::size_t index = on.builds != no_index ? on.builds : captures_[on.capture].graph;
  for (const auto& node : graphs_[index].body.nodes) {
    if (node->kind != NodeKind::free) continue;
    if (&memories_[handle_index(node->accesses.front().region.memory)] != &memory) continue;
    fail(Errc::InvalidValue, call, subject + " is already freed in this graph");
  }
}

// Executables.

std::shared_ptr<const GraphPlan> SimBackend::plan(const GraphRecord& graph,
                                                  const Call& call) const {
  std::optional<GraphPlan> made = make_plan(graph.body);
  if (!made) {
    fail(Errc::InvalidValue, call,
         mention("graph", graph.origin.name, graph.origin.made) +
             " has a cycle: some node would come after itself");
  }
  return std::make_shared<const GraphPlan>(std::move(*made));
}

std::size_t SimBackend::add_executable(const GraphRecord& graph, Call& call) {
  refuse_unsafe(call);
  ExecutableRecord made;
  made.plan = plan(graph, call);
  made.origin = {.name = graph.origin.name,
                 .made = call.site.where,
                 .destroyed = {},
                 .traced = graph.origin.traced};
  made.device = graph.device;
  executables_.push_back(std::move(made));
  return executables_.size() - 1;
}

Handle SimBackend::instantiate_graph(Handle handle, const CallSite& site) {
  return perform(CallKind::create_graph, site, [&](Call& call) {
    return make_handle(HandleKind::executable, add_executable(graph(handle, call), call));
  });
}

void SimBackend::update_graph(Handle handle, Handle graph_handle, const CallSite& site) {
  perform(CallKind::create_graph, site, [&](Call& call) {
    ExecutableRecord& found = executable(handle, call);
    const GraphRecord& from = graph(graph_handle, call);
    std::shared_ptr<const GraphPlan> fresh = plan(from, call);
    if (!same_shape(*found.plan, *fresh)) {
      fail(Errc::GraphExecUpdateFailure, call,
           mention("graph", from.origin.name, from.origin.made) +
               " has other kinds of nodes or other edges than the executable");
    }
    found.plan = std::move(fresh);
  });
}

}  // namespace millrace::sim
