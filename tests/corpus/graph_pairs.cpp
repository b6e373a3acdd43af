// SPDX-License-Identifier: Apache-2.0
// Graphs.
#include "pair.hpp"

namespace millrace::test {

TEST_CASE("a launch is ordered with its own stream only") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    Graph graph;
    graph.add_kernel("fill", {.writes = {w.a}});
    graph.instantiate().launch(w.s1);
    if (fixed) w.s2.wait_stream(w.s1);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("branches of a graph are ordered by its edges alone") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    Graph graph;
    const NodeId fill = graph.add_kernel("fill", {.writes = {w.a}});
    const NodeId use = graph.add_kernel("use", {.reads = {w.a}});
    if (fixed) graph.add_dependency(fill, use);
    graph.instantiate().launch(w.s1);
  });
}

TEST_CASE("a join in a graph comes after each branch") {
  check_pair({"race B"}, [](World& w, bool fixed) {
    Graph graph;
    const NodeId left = graph.add_kernel("left", {.writes = {w.a}});
    const NodeId right = graph.add_kernel("right", {.writes = {w.b}});
    const NodeId join = graph.add_kernel("join", {.reads = {w.a, w.b}}, nullptr, {left});
    if (fixed) graph.add_dependency(right, join);
    graph.instantiate().launch(w.s1);
  });
}

TEST_CASE("what a graph reads must rest until its launch has ended") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    Graph graph;
    graph.add_copy(w.a, w.pinned);
    const GraphExec exec = graph.instantiate();
    exec.launch(w.s1);
    if (fixed) w.s1.synchronize();
    host_writes(w.pinned);
    exec.launch(w.s1);
  });
}

TEST_CASE("two graphs on two streams") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    Graph one;
    one.add_kernel("one", {.updates = {w.a}});
    Graph two;
    two.add_kernel("two", {.updates = {w.a}});
    one.instantiate().launch(w.s1);
    if (fixed) w.s2.wait_stream(w.s1);
    two.instantiate().launch(w.s2);
  });
}

TEST_CASE("a captured fork that shares a buffer") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    GraphCapture capture(w.s1);
    w.s2.wait_stream(w.s1);
    w.s2.launch("right", {.writes = {w.a}});
    if (fixed) w.s1.wait_stream(w.s2);
    w.s1.launch("left", {.updates = {w.a}});
    w.s1.wait_stream(w.s2);
    capture.end().instantiate().launch(w.s1);
  });
}

TEST_CASE("work on the legacy stream passes by a capture") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    GraphCapture capture(w.s1);
    w.s1.launch("inside", {.updates = {w.a}});
    (fixed ? w.s1 : w.legacy).launch("beside", {.updates = {w.a}});
    capture.end().instantiate().launch(w.s1);
  });
}

TEST_CASE("a graph that records an event for others") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    Graph graph;
    const NodeId fill = graph.add_kernel("fill", {.writes = {w.a}});
    graph.add_record(w.e, {fill});
    w.e.record(w.s1);
    if (!fixed) w.e.wait(w.s2);
    graph.instantiate().launch(w.s1);
    if (fixed) w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

}  // namespace millrace::test
