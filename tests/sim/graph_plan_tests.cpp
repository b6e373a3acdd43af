// SPDX-License-Identifier: Apache-2.0
#include "graph_plan.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace millrace;
using namespace millrace::sim;

NodeId add(GraphBody& body, const char* name, std::vector<NodeId> after = {}) {
  return body.add(
      std::make_shared<const GraphNode>(GraphNode{.kind = NodeKind::kernel, .name = name}), after);
}

NodeId add_child(GraphBody& body, const GraphBody& child, std::vector<NodeId> after = {}) {
  GraphNode node{.kind = NodeKind::child};
  node.child = std::make_shared<const GraphBody>(child);
  return body.add(std::make_shared<const GraphNode>(std::move(node)), after);
}

/// "a b<a c<a": the nodes in order, each with the places that it comes after; "-" is an empty one.
std::string text(const GraphPlan& plan) {
  std::string result;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const GraphNode& node = *plan.nodes[i];
    result += i == 0 ? "" : " ";
    result += node.kind == NodeKind::empty ? "-" : std::string(node.name.text());
    for (const NodeId before : plan.after[i]) result += "<" + std::to_string(before);
  }
  return result;
}

std::string plan_of(const GraphBody& body) {
  const std::optional<GraphPlan> plan = make_plan(body);
  return plan ? text(*plan) : "cycle";
}

TEST_CASE("a chain is its own plan") {
  GraphBody body;
  const NodeId a = add(body, "a");
  add(body, "b", {a});
  CHECK(plan_of(body) == "a b<0");
}

TEST_CASE("nodes are planned behind those that they come after, otherwise as they were added") {
  GraphBody body;
  const NodeId last = add(body, "last");
  const NodeId b = add(body, "b");
  const NodeId a = add(body, "a");
  body.depend(a, b);
  body.depend(b, last);
  CHECK(plan_of(body) == "a b<0 last<1");
}

TEST_CASE("several first or last nodes are held together by empty ones") {
  GraphBody body;
  add(body, "a");
  add(body, "b");
  CHECK(plan_of(body) == "- a<0 b<0 -<1<2");
  GraphBody fork;
  const NodeId a = add(fork, "a");
  add(fork, "b", {a});
  add(fork, "c", {a});
  CHECK(plan_of(fork) == "a b<0 c<0 -<1<2");
}

TEST_CASE("a graph without nodes is launched as one empty one") {
  CHECK(plan_of(GraphBody{}) == "-");
}

TEST_CASE("a dependency given twice counts once") {
  GraphBody body;
  const NodeId a = add(body, "a");
  const NodeId b = add(body, "b", {a, a});
  body.depend(a, b);
  CHECK(plan_of(body) == "a b<0");
}

TEST_CASE("a cycle has no plan, be it in a child") {
  GraphBody body;
  const NodeId a = add(body, "a");
  const NodeId b = add(body, "b", {a});
  body.depend(b, a);
  CHECK(plan_of(body) == "cycle");
  GraphBody parent;
  add(parent, "p");
  add_child(parent, body);
  CHECK(plan_of(parent) == "cycle");
}

TEST_CASE("a child stands where its node stood") {
  GraphBody child;
  add(child, "x");
  add(child, "y");
  GraphBody body;
  const NodeId a = add(body, "a");
  const NodeId inner = add_child(body, child, {a});
  add(body, "b", {inner});
  CHECK(plan_of(body) == "a -<0 x<1 y<1 -<2<3 b<4");
}

TEST_CASE("a child is what it was when it was added") {
  GraphBody child;
  add(child, "x");
  GraphBody body;
  add_child(body, child);
  add(child, "y");
  CHECK(plan_of(body) == "x");
}

TEST_CASE("what leads to given nodes are these and all before them") {
  GraphBody body;
  const NodeId a = add(body, "a");
  const NodeId b = add(body, "b", {a});
  add(body, "c", {a});
  const std::array ends{b};
  CHECK(body.leads_to(ends) == std::vector<bool>{true, true, false});
  CHECK(body.leads_to({}) == std::vector<bool>{false, false, false});
}

TEST_CASE("plans of equal kinds and edges have one shape, whatever their names") {
  GraphBody one;
  add(one, "b", {add(one, "a")});
  GraphBody other;
  add(other, "d", {add(other, "c")});
  GraphBody apart;
  add(apart, "a");
  add(apart, "b");
  CHECK(same_shape(*make_plan(one), *make_plan(other)));
  CHECK_FALSE(same_shape(*make_plan(one), *make_plan(apart)));
}

}  // namespace
