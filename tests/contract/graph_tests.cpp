// SPDX-License-Identifier: Apache-2.0
// Graphs, captured and built by hand, as an H200 answered; and the guard that captures.

#include "capture_situations.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>

namespace millrace::contract {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A graph of one host function.
Graph captured(const Stream& stream, const std::function<void()>& function) {
  GraphCapture capture(stream);
  stream.call("step", function);
  return capture.end("steps");
}

TEST_CASE("captured work does not run, launched work does, once a launch") {
  on_every_backend([] {
    const Stream stream;
    int runs = 0;
    const Graph graph = captured(stream, [&] { ++runs; });
    device(0).synchronize();
    CHECK(runs == 0);
    CHECK(size_of(graph) == "1 nodes 0 edges");
    const GraphExec steps = graph.instantiate();
    for (int i = 0; i < 3; ++i) steps.launch(stream);
    stream.synchronize();
    CHECK(runs == 3);
  });
}

TEST_CASE("captured work of another host thread is part of the graph") {
  on_every_backend([] {
    const Stream stream;
    GraphCapture capture(stream);
    world().start([&] { work(stream); })();
    CHECK(size_of(capture.end()) == "1 nodes 0 edges");
  });
}

TEST_CASE("a record and a wait in one captured stream make no nodes") {
  on_every_backend([] {
    const Stream stream;
    GraphCapture capture(stream);
    stream.wait_event(stream.record_event());
    CHECK(size_of(capture.end()) == "0 nodes 0 edges");
  });
}

TEST_CASE("external waits and records are nodes, and act at each launch") {
  on_every_backend([] {
    const Stream stream;
    const Stream other;
    Event before;
    Event after;
    before.record(other);
    GraphCapture capture(stream);
    stream.wait_external_event(before);
    stream.record_external_event(after);
    const Graph graph = capture.end();
    REQUIRE(size_of(graph) == "2 nodes 1 edges");
    CHECK(graph.info().nodes[0].kind == NodeKind::wait);
    CHECK(graph.info().nodes[1].kind == NodeKind::record);
    CHECK(after.query());
    const GraphExec steps = graph.instantiate();
    Gate gate(other);
    before.record(other);
    steps.launch(stream);
    CHECK_FALSE(after.query());
    gate.open();
    after.synchronize();
    CHECK(before.query());
  });
}

TEST_CASE("captured copies read their source when they run, pageable memory too") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<char> host{4, MemoryKind::pageable};
    const Buffer<char> on_device{4, MemoryKind::device};
    const Buffer<char> back{4, MemoryKind::pageable};
    host.write()[0] = 1;
    GraphCapture capture(stream);
    stream.copy(on_device, host);
    stream.copy(back, on_device);
    const GraphExec steps = capture.end().instantiate();
    host.write()[0] = 2;
    steps.launch(stream);
    stream.synchronize();
    CHECK(back.read()[0] == 2);
  });
}

TEST_CASE("captured allocation and release are nodes") {
  on_every_backend([] {
    const Stream stream;
    GraphCapture capture(stream);
    { const Buffer<char> scratch(64, {.stream = stream, .name = "scratch"}); }
    const Graph graph = capture.end();
    CHECK(size_of(graph) == "2 nodes 1 edges");
    const GraphExec steps = graph.instantiate();
    steps.launch(stream);
    steps.launch(stream);
    stream.synchronize();
  });
}

TEST_CASE("memory that a graph does not free must be freed before its next launch") {
  on_every_backend([] {
    const Stream stream;
    Graph graph;
    const GraphMemory scratch = graph.add_allocate(64, "scratch");
    graph.add_kernel("use", {.writes = {scratch.all}}, nullptr, {scratch.node});
    const GraphExec steps = graph.instantiate();
    steps.launch(stream);
    stream.synchronize();
    CHECK(code_of([&] { steps.launch(stream); }) == Errc::InvalidValue);
    stream.synchronize();
    stream.backend().free_async(stream.handle(), scratch.all.memory,
                                {"free", SourceLocation::current()});
    steps.launch(stream);
    stream.synchronize();
  });
}

TEST_CASE("the capture says which nodes come next") {
  on_every_backend([] {
    const Stream stream;
    work(stream);
    CHECK(stream.capture_info().id == 0);
    GraphCapture capture(stream);
    const CaptureInfo empty = stream.capture_info();
    work(stream);
    const CaptureInfo one = stream.capture_info();
    CHECK(empty.frontier.empty());
    CHECK(one.frontier.size() == 1);
    CHECK(empty.id == one.id);
    CHECK(one.id != 0);
    CHECK(one.status == CaptureStatus::active);
    CHECK(stream.is_capturing());
    capture.end();
    CHECK_FALSE(stream.is_capturing());
  });
}

TEST_CASE("launches of one graph come one after the other, on whatever streams") {
  on_every_backend([] {
    const Stream first;
    const Stream second;
    int runs = 0;
    const auto latch = world().make_latch();
    GraphCapture capture(first);
    first.call("hold", [latch] { latch->wait(); });
    first.call("count", [&] { ++runs; });
    const GraphExec steps = capture.end().instantiate();
    steps.launch(first);
    steps.launch(second);
    settle();
    CHECK_FALSE(second.query());
    CHECK(runs == 0);
    latch->open();
    device(0).synchronize();
    CHECK(runs == 2);
  });
}

TEST_CASE("a graph built by hand runs in the order of its edges") {
  on_every_backend([] {
    const Stream stream;
    std::string order;
    Graph graph(GraphOptions{.name = "by hand"});
    const NodeId a = graph.add_call("a", {}, [&] { order += 'a'; });
    const NodeId b = graph.add_call("b", {}, [&] { order += 'b'; }, {a});
    graph.add_empty({b});
    CHECK(size_of(graph) == "3 nodes 2 edges");
    graph.instantiate().launch(stream);
    stream.synchronize();
    CHECK(order == "ab");
  });
}

TEST_CASE("a cycle is refused when the graph is instantiated, not before") {
  on_every_backend([] {
    Graph graph(GraphOptions{.name = "loop"});
    const NodeId a = graph.add_empty();
    const NodeId b = graph.add_empty({a});
    graph.add_dependency(b, a);
    CHECK(code_of([&] { static_cast<void>(graph.instantiate()); }) == Errc::InvalidValue);
    CHECK_THAT(message_of([&] { static_cast<void>(graph.instantiate()); }),
               ContainsSubstring("'loop'") && ContainsSubstring("cycle"));
  });
}

TEST_CASE("a capture can add to a graph that there is") {
  on_every_backend([] {
    const Stream stream;
    Graph graph;
    const NodeId first = graph.add_kernel("first");
    GraphCapture capture(stream, graph, {first}, CaptureMode::relaxed);
    stream.launch("second");
    CHECK(capture.end() == graph);
    REQUIRE(size_of(graph) == "2 nodes 1 edges");
    CHECK(graph.info().nodes[1].after == std::vector<NodeId>{first});
  });
}

TEST_CASE("the guard ends the capture when an exception leaves its scope") {
  on_every_backend([] {
    const Stream stream;
    int runs = 0;
    const auto interrupted = [&] {
      const GraphCapture capture(stream);
      stream.call("lost", [&] { ++runs; });
      throw std::runtime_error("stop");
    };
    CHECK_THROWS_AS(interrupted(), std::runtime_error);
    CHECK_FALSE(stream.is_capturing());
    CHECK(last_error() == Errc::Success);
    stream.call("kept", [&] { runs += 10; });
    stream.synchronize();
    CHECK(runs == 10);
  });
}

TEST_CASE("the guard ends a broken capture, and says what broke it") {
  on_every_backend([] {
    const Stream stream(StreamOptions{.name = "s"});
    {
      GraphCapture capture(stream);
      CHECK(code_of([&] { stream.synchronize(); }) == Errc::StreamCaptureUnsupported);
      CHECK_THAT(message_of([&] { work(stream); }),
                 ContainsSubstring("Stream::call: StreamCaptureInvalidated: ") &&
                     ContainsSubstring("stream 's'") &&
                     ContainsSubstring("was broken by Stream::synchronize at "));
    }
    CHECK_FALSE(stream.is_capturing());
    GraphCapture again(stream);
    CHECK(size_of(again.end()) == "0 nodes 0 edges");
    CHECK(code_of([&] { again.end(); }) == Errc::IllegalState);
  });
}

TEST_CASE("a destroyed executable completes what it launched, and can be launched no more") {
  check_on_every_backend(
      [] {
        const Stream stream;
        int runs = 0;
        {
          const GraphExec steps = captured(stream, [&] { ++runs; }).instantiate();
          steps.launch(stream);
        }
        stream.synchronize();
        CHECK(runs == 1);
      },
      [](const std::vector<Finding>& findings) { CHECK(findings.empty()); });
}

TEST_CASE("an executable is updated to other work of the same shape only") {
  on_every_backend([] {
    const Stream stream;
    int runs = 0;
    GraphExec steps = captured(stream, [&] { ++runs; }).instantiate();
    steps.update(captured(stream, [&] { runs += 10; }));
    steps.launch(stream);
    stream.synchronize();
    CHECK(runs == 10);
    Graph kernel;
    kernel.add_kernel("k");
    CHECK(code_of([&] { steps.update(kernel); }) == Errc::GraphExecUpdateFailure);
    steps.launch(stream);
    stream.synchronize();
    CHECK(runs == 20);
  });
}

}  // namespace
}  // namespace millrace::contract
