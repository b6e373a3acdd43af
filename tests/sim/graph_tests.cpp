// SPDX-License-Identifier: Apache-2.0
// What a launch of a graph leaves in the trace, and when its nodes run.

#include <millrace/check.hpp>
#include <millrace/event.hpp>
#include <millrace/graph.hpp>
#include <millrace/memory.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace {
using namespace millrace;

constexpr Duration us(std::int64_t count) { return Duration{count * 1000}; }

const Operation& operation(const sim::Report& report, std::string_view name, std::size_t k = 0) {
  const TraceIndex index = report.trace.find_operation(name, k);
  REQUIRE(index != none);
  return report.trace.operations[index];
}

bool before(const sim::Report& report, std::string_view a, std::string_view b, std::size_t ka = 0,
            std::size_t kb = 0) {
  const OrderRelation order(report.trace);
  return order.before(Step::operation(report.trace.find_operation(a, ka)),
                      Step::operation(report.trace.find_operation(b, kb)));
}

/// head -> left, right -> tail
Graph diamond() {
  Graph graph(GraphOptions{.name = "diamond"});
  const NodeId head = graph.add_kernel("head", {.cost = us(10)});
  const NodeId left = graph.add_kernel("left", {.cost = us(20)}, nullptr, {head});
  const NodeId right = graph.add_kernel("right", {.cost = us(30)}, nullptr, {head});
  graph.add_kernel("tail", {.cost = us(10)}, nullptr, {left, right});
  return graph;
}

TEST_CASE("branches of a graph overlap, and its edges order") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    stream.launch("earlier", {.cost = us(5)});
    diamond().instantiate().launch(stream);
    stream.launch("later", {.cost = us(5)});
  });
  CHECK(operation(report, "left").start_ns == 15'000);
  CHECK(operation(report, "right").start_ns == 15'000);
  CHECK(operation(report, "tail").start_ns == 45'000);
  CHECK(report.end_time.ns == 60'000);
  CHECK(before(report, "earlier", "head"));
  CHECK(before(report, "head", "left"));
  CHECK(before(report, "right", "tail"));
  CHECK_FALSE(before(report, "left", "right"));
  CHECK_FALSE(before(report, "right", "left"));
  CHECK(before(report, "left", "later"));
  CHECK(operation(report, "tail").constraint == ConstraintKind::graph_edge);
  CHECK(operation(report, "head").constraint == ConstraintKind::stream_order);
}

TEST_CASE("unconnected nodes are held together by empty ones, with a launch's order around them") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    Graph graph;
    graph.add_kernel("a", {.cost = us(10)});
    graph.add_kernel("b", {.cost = us(20)});
    const GraphExec both = graph.instantiate();
    both.launch(stream);
    both.launch(stream);
  });
  CHECK(operation(report, "b", 1).start_ns == 0);
  CHECK(operation(report, "a", 2).start_ns == 20'000);
  CHECK(before(report, "b", "a", 1, 2));
  CHECK_FALSE(before(report, "a", "b", 1, 1));
  const auto empty =
      std::count_if(report.trace.operations.begin(), report.trace.operations.end(),
                    [](const Operation& one) { return one.kind == OperationKind::graph_node; });
  CHECK(empty == 4);
}

TEST_CASE("a launch is one call in the trace, and its nodes know the calls that captured them") {
  const sim::Report report = sim::run([] {
    const Stream stream(StreamOptions{.name = "s"});
    GraphCapture capture(stream);
    stream.launch("k");
    const Graph graph = capture.end("steps");
    graph.instantiate().launch(stream);
  });
  const Operation& kernel = operation(report, "k");
  const HostCall& launch = report.trace.calls[kernel.call];
  CHECK(launch.kind == CallKind::launch_graph);
  CHECK(report.trace.object_name(launch.object_kind, launch.object) == "steps");
  CHECK(report.trace.object_name(ObjectKind::stream, kernel.stream) == "s");
  const auto made = std::find_if(report.trace.dependencies.begin(), report.trace.dependencies.end(),
                                 [](const Dependency& one) { return one.from.is_call; });
  REQUIRE(made != report.trace.dependencies.end());
  CHECK(report.trace.calls[made->from.index].kind == CallKind::launch);
  CHECK(report.trace.calls[made->from.index].line + 2 == launch.line);
}

TEST_CASE("launches of one executable follow each other over streams, those of two need not") {
  const sim::Report report = sim::run([] {
    const Stream first;
    const Stream second;
    Graph graph;
    graph.add_kernel("k", {.cost = us(10)});
    const GraphExec one = graph.instantiate();
    const GraphExec two = graph.instantiate();
    one.launch(first);
    one.launch(second);
    two.launch(Stream());
  });
  CHECK(operation(report, "k", 2).start_ns == 10'000);
  CHECK(operation(report, "k", 2).constraint == ConstraintKind::graph_launch);
  CHECK(before(report, "k", "k", 1, 2));
  CHECK(operation(report, "k", 3).start_ns == 0);
  CHECK_FALSE(before(report, "k", "k", 1, 3));
}

TEST_CASE("a launch on the legacy stream waits for blocking streams and holds them") {
  const sim::Report report = sim::run([] {
    const Stream blocking(StreamOptions{.blocking = true});
    blocking.launch("earlier", {.cost = us(5)});
    diamond().instantiate().launch(default_stream());
    blocking.launch("later", {.cost = us(5)});
  });
  CHECK(operation(report, "head").start_ns == 5'000);
  CHECK(operation(report, "later").start_ns == 55'000);
  CHECK(before(report, "earlier", "head"));
  CHECK(before(report, "left", "later"));
}

TEST_CASE("a graph of a graph runs as if its nodes were there") {
  const sim::Report report = sim::run([] {
    Graph outer;
    const NodeId first = outer.add_kernel("first", {.cost = us(1)});
    const NodeId inner = outer.add_graph(diamond(), {first});
    outer.add_kernel("last", {.cost = us(1)}, nullptr, {inner});
    CHECK(outer.node_count() == 3);
    outer.instantiate().launch(Stream());
  });
  CHECK(operation(report, "head").start_ns == 1'000);
  CHECK(operation(report, "last").start_ns == 51'000);
  CHECK(before(report, "left", "last"));
}

TEST_CASE("a fork and its join become edges, and the graph lives without its streams") {
  const sim::Report report = sim::run([] {
    std::optional<GraphExec> steps;
    {
      const Stream stream;
      const Stream side;
      GraphCapture capture(stream);
      stream.launch("a", {.cost = us(10)});
      side.wait_stream(stream);
      side.launch("b", {.cost = us(20)});
      stream.launch("c", {.cost = us(5)});
      stream.wait_stream(side);
      stream.launch("d", {.cost = us(1)});
      const Graph graph = capture.end("forked");
      CHECK(graph.node_count() == 4);
      CHECK(graph.edge_count() == 4);
      steps = graph.instantiate();
    }
    steps->launch(Stream());
  });
  CHECK(operation(report, "b").start_ns == 10'000);
  CHECK(operation(report, "c").start_ns == 10'000);
  CHECK(operation(report, "d").start_ns == 30'000);
  CHECK_FALSE(before(report, "b", "c"));
}

TEST_CASE("each launch has memory of its own, and no finding when it is used between its bounds") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    Graph graph;
    const GraphMemory scratch = graph.add_allocate(64, "scratch");
    const NodeId use = graph.add_kernel("use", {.updates = {scratch.all}}, nullptr, {scratch.node});
    graph.add_free(scratch, {use});
    const GraphExec steps = graph.instantiate();
    steps.launch(stream);
    steps.launch(stream);
  });
  CHECK(report.findings.empty());
  CHECK(std::count_if(report.trace.memories.begin(), report.trace.memories.end(),
                      [](const TraceMemory& one) { return one.bytes == 64; }) == 2);
}

TEST_CASE("using a graph's memory beside its free is found") {
  const sim::Report report = sim::run([] {
    Graph graph;
    const GraphMemory scratch = graph.add_allocate(64, "scratch");
    graph.add_kernel("use", {.updates = {scratch.all}}, nullptr, {scratch.node});
    graph.add_free(scratch, {scratch.node});
    graph.instantiate().launch(Stream());
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::use_after_free);
  CHECK(report.findings.front().object == "scratch");
}

TEST_CASE("a graph frees only its own memory, and that once") {
  sim::run([] {
    const Buffer<char> foreign(64, MemoryKind::device);
    Graph graph;
    const GraphMemory scratch = graph.add_allocate(64);
    graph.add_free(scratch, {scratch.node});
    CHECK_THROWS_AS(graph.add_free(scratch, {scratch.node}), Error);
    CHECK_THROWS_AS(graph.add_free(GraphMemory{.all = foreign}), Error);
    CHECK(graph.node_count() == 2);
  });
}

TEST_CASE("unordered nodes that touch the same bytes are a race, ordered ones are not") {
  const auto touch = [](bool ordered) {
    return sim::run([&] {
      const Buffer<char> data(64, MemoryKind::device);
      Graph graph;
      const NodeId first = graph.add_fill(data, 1);
      if (ordered) {
        graph.add_kernel("use", {.updates = {data}}, nullptr, {first});
      } else {
        graph.add_kernel("use", {.updates = {data}});
      }
      const Stream stream;
      graph.instantiate().launch(stream);
      stream.synchronize();
    });
  };
  CHECK(touch(true).findings.empty());
  REQUIRE(touch(false).findings.size() == 1);
  CHECK(touch(false).findings.front().kind == FindingKind::race);
}

TEST_CASE("a graph whose source was freed is found, and reads what was there") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    const Buffer<char> target(64, MemoryKind::device);
    Graph graph;
    {
      const Buffer<char> source(64, BufferOptions{.kind = MemoryKind::pinned, .name = "source"});
      graph.add_copy(target, source);
    }
    graph.instantiate().launch(stream);
    stream.synchronize();
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::use_after_free);
  CHECK(report.findings.front().object == "source");
}

TEST_CASE("a graph used after it was destroyed is found") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    Backend& backend = stream.backend();
    const CallSite site{"test", SourceLocation::current()};
    const Handle graph = backend.create_graph(0, "gone", site);
    backend.destroy_graph(graph, site);
    CHECK_THROWS_AS(backend.launch_graph(stream.handle(), graph, site), Error);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::use_after_destroy);
  CHECK(report.findings.front().object == "gone");
}

TEST_CASE("graphs and executables that were moved from are still there") {
  sim::run([] {
    Graph graph;
    const Graph other = std::move(graph);
    graph.add_empty();  // NOLINT(bugprone-use-after-move)
    CHECK(other.node_count() == 1);
    GraphExec executable = other.instantiate();
    const GraphExec moved = std::move(executable);
    CHECK(executable == moved);  // NOLINT(bugprone-use-after-move)
    executable.launch(Stream{});
  });
}

TEST_CASE("a device reset ends captures and destroys graphs") {
  sim::run([] {
    const Device device = current_device();
    const Stream stream;
    Graph graph;
    const GraphExec steps = graph.instantiate();
    GraphCapture capture(stream);
    device.reset();
    CHECK_THROWS_AS(capture.end(), Error);
    CHECK_THROWS_AS(static_cast<void>(graph.instantiate()), Error);
    const Stream fresh;
    CHECK_THROWS_AS(steps.launch(fresh), Error);
    GraphCapture again(fresh);
    CHECK(again.end().node_count() == 0);
  });
}

TEST_CASE("what a device reset destroyed goes out of scope in silence") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    Event event;
    event.record(stream);
    const Graph graph;
    const GraphExec steps = graph.instantiate();
    const GraphCapture capture(stream);
    current_device().reset();
  });
  CHECK(report.findings.empty());
}

TEST_CASE("an event recorded in a graph holds who waits for it, and what the host does next") {
  const sim::Report report = sim::run([] {
    const Buffer<int> out(1, MemoryKind::pinned);
    const Event half;
    Graph graph;
    const NodeId first = graph.add_kernel("first", {.cost = us(10), .writes = {out}});
    const NodeId record = graph.add_record(half, {first});
    graph.add_kernel("second", {.cost = us(10)}, nullptr, {record});
    const Stream stream;
    const Stream other;
    graph.instantiate().launch(stream);
    half.wait(other);
    other.launch("beside", {.cost = us(10)});
    half.synchronize();
    CHECK(sim::now().ns == 10'000);
    static_cast<void>(out.read());
  });
  CHECK(report.findings.empty());
  CHECK(before(report, "first", "beside"));
  CHECK_FALSE(before(report, "second", "beside"));
}

TEST_CASE("graphs run where operations compete, and two such runs are the same") {
  const auto run = [] {
    return sim::run({.profile = "h200"}, [] {
      const Buffer<char> data(1 << 20, MemoryKind::device);
      const Buffer<char> host(1 << 20, MemoryKind::pinned);
      Graph graph = diamond();
      graph.add_copy(data, host, {}, {3});
      const GraphExec steps = graph.instantiate();
      const Stream stream;
      for (int i = 0; i < 50; ++i) steps.launch(stream);
      stream.synchronize();
    });
  };
  const sim::Report report = run();
  CHECK(report.findings.empty());
  CHECK(report.trace.blocked.empty());
  CHECK(before(report, "right", "tail", 50, 50));
  CHECK(report.trace == run().trace);
}

TEST_CASE("two runs with graphs are the same run") {
  const auto run = [] {
    return sim::run([] {
      const Stream stream;
      const GraphExec steps = diamond().instantiate();
      for (int i = 0; i < 3; ++i) steps.launch(stream);
      steps.launch(Stream());
    });
  };
  CHECK(run().trace == run().trace);
}

}  // namespace
