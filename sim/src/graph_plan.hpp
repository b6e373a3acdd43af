// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Graphs as data, and the order in which a launch enqueues their nodes.

#include "engine.hpp"

#include <millrace/graph_node.hpp>
#include <millrace/task.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace millrace::sim {

struct GraphBody;

struct NodeAccess {
  Access region;
  AccessMode mode = AccessMode::read;
  AccessOrder order = AccessOrder::in_order;
};

/// What a node does; it never changes once it is in a graph, so that copies of the graph share it.
struct GraphNode {
  NodeKind kind = NodeKind::empty;
  int device = -1;  ///< where it runs; -1: on that of the launch
  Name name{};
  std::uint64_t bytes = 0;   ///< as the trace's Operation says
  TraceIndex object = none;  ///< the trace's
  NewOperation operation{};  ///< what the engine is given, all but body, place and issuer
  std::shared_ptr<Task> body{};
  std::vector<NodeAccess> accesses{};
  std::shared_ptr<const GraphBody> child{};
  TraceIndex call = none;  ///< the host call that added it
  SourceLocation made{};
};

struct GraphBody {
  std::vector<std::shared_ptr<const GraphNode>> nodes;
  std::vector<std::vector<NodeId>> after;  ///< by node: those that it comes after, each once

  /// Adds a node; unknown ones in `predecessors` must have been refused before.
  NodeId add(std::shared_ptr<const GraphNode> node, std::span<const NodeId> predecessors);
  void depend(NodeId from, NodeId to);
  /// For each node whether it is in `ends` or comes before one that is.
  [[nodiscard]] std::vector<bool> leads_to(std::span<const NodeId> ends) const;
};

/// A graph ready to be launched: child graphs unfolded, each node behind those that it comes after.
/// The first one comes before, the last one after all others; empty nodes see to that where the
/// graph itself does not.
struct GraphPlan {
  std::vector<std::shared_ptr<const GraphNode>> nodes;
  std::vector<std::vector<NodeId>> after;  ///< by place in `nodes`
};

/// Nothing when the graph, or a child graph, has a cycle.
std::optional<GraphPlan> make_plan(const GraphBody& graph);

/// The same between two empty nodes, which the device of the launch can run whatever the others
/// are.
GraphPlan enclosed(const GraphPlan& plan);

/// Whether one plan can take the place of the other: equal kinds and edges.
bool same_shape(const GraphPlan& a, const GraphPlan& b);

}  // namespace millrace::sim
