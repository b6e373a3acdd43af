// SPDX-License-Identifier: Apache-2.0
#include "graph_plan.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace millrace::sim {

NodeId GraphBody::add(std::shared_ptr<const GraphNode> node, std::span<const NodeId> predecessors) {
  const auto id = static_cast<NodeId>(nodes.size());
  nodes.push_back(std::move(node));
  after.emplace_back();
  for (const NodeId predecessor : predecessors) depend(predecessor, id);
  return id;
}

void GraphBody::depend(NodeId from, NodeId to) {
  std::vector<NodeId>& known = after[to];
  if (std::find(known.begin(), known.end(), from) == known.end()) known.push_back(from);
}

std::vector<bool> GraphBody::leads_to(std::span<const NodeId> ends) const {
  std::vector<bool> found(nodes.size());
  std::vector<NodeId> open(ends.begin(), ends.end());
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    if (found[node]) continue;
    found[node] = true;
    open.insert(open.end(), after[node].begin(), after[node].end());
  }
  return found;
}

namespace {

std::shared_ptr<const GraphNode> empty_node() {
  static const auto node = std::make_shared<const GraphNode>(
      GraphNode{.operation = {.kind = OperationKind::graph_node}});
  return node;
}

std::vector<std::vector<NodeId>> successors_of(const std::vector<std::vector<NodeId>>& after) {
  std::vector<std::vector<NodeId>> before(after.size());
  for (NodeId node = 0; node < after.size(); ++node) {
    for (const NodeId predecessor : after[node]) before[predecessor].push_back(node);
  }
  return before;
}

/// The nodes, each behind those that it comes after, otherwise by number: fewer than there are when
/// some stand in a cycle.
std::vector<NodeId> sorted(const std::vector<std::vector<NodeId>>& after) {
  const std::vector<std::vector<NodeId>> before = successors_of(after);
  std::vector<std::size_t> missing(after.size());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (NodeId node = 0; node < after.size(); ++node) {
    missing[node] = after[node].size();
    if (missing[node] == 0) ready.push(node);
  }
  std::vector<NodeId> order;
  while (!ready.empty()) {
    const NodeId node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const NodeId successor : before[node]) {
      if (--missing[successor] == 0) ready.push(successor);
    }
  }
  return order;
}

/// Adds an empty node before or after all others, unless one of them stands so already.
void bound(GraphPlan& plan) {
  const auto count = static_cast<NodeId>(plan.nodes.size());
  std::vector<NodeId> roots;
  std::vector<NodeId> leaves;
  const std::vector<std::vector<NodeId>> before = successors_of(plan.after);
  for (NodeId node = 0; node < count; ++node) {
    if (plan.after[node].empty()) roots.push_back(node);
    if (before[node].empty()) leaves.push_back(node);
  }
  if (leaves.size() != 1) {
    plan.nodes.push_back(empty_node());
    plan.after.push_back(leaves);
  }
  if (roots.size() <= 1) return;
  for (std::vector<NodeId>& known : plan.after) {
    for (NodeId& node : known) ++node;
  }
  for (const NodeId root : roots) plan.after[root].push_back(0);
  plan.nodes.insert(plan.nodes.begin(), empty_node());
  plan.after.insert(plan.after.begin(), std::vector<NodeId>{});
}

/// Appends a child graph in place of its node; `after` are places of the plan. Returns the place
/// of its last node.
NodeId unfold(const GraphPlan& child, const std::vector<NodeId>& after, GraphPlan& plan) {
  const auto first = static_cast<NodeId>(plan.nodes.size());
  for (std::size_t i = 0; i < child.nodes.size(); ++i) {
    plan.nodes.push_back(child.nodes[i]);
    std::vector<NodeId>& known = plan.after.emplace_back(child.after[i]);
    for (NodeId& node : known) node += first;
  }
  plan.after[first] = after;
  return static_cast<NodeId>(plan.nodes.size() - 1);
}

}  // namespace

std::optional<GraphPlan> make_plan(const GraphBody& graph) {
  const std::vector<NodeId> order = sorted(graph.after);
  if (order.size() < graph.nodes.size()) return std::nullopt;
  GraphPlan plan;
  std::vector<NodeId> place(graph.nodes.size());
  for (const NodeId node : order) {
    std::vector<NodeId> after;
    for (const NodeId predecessor : graph.after[node]) after.push_back(place[predecessor]);
    if (graph.nodes[node]->child == nullptr) {
      place[node] = static_cast<NodeId>(plan.nodes.size());
      plan.nodes.push_back(graph.nodes[node]);
      plan.after.push_back(std::move(after));
      continue;
    }
    const std::optional<GraphPlan> child = make_plan(*graph.nodes[node]->child);
    if (!child) return std::nullopt;
    place[node] = unfold(*child, after, plan);
  }
  bound(plan);
  return plan;
}

GraphPlan enclosed(const GraphPlan& plan) {
  GraphPlan outer;
  outer.nodes.push_back(empty_node());
  outer.after.emplace_back();
  const NodeId last = unfold(plan, {0}, outer);
  outer.nodes.push_back(empty_node());
  outer.after.push_back({last});
  return outer;
}

bool same_shape(const GraphPlan& a, const GraphPlan& b) {
  return a.after == b.after &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const auto& x, const auto& y) { return x->kind == y->kind; });
}

}  // namespace millrace::sim
