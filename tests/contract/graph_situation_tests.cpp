// SPDX-License-Identifier: Apache-2.0
// Situations of graphs that PyTorch's own tests assert.

#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <functional>

namespace millrace::contract {
namespace {

/// A graph of one kernel.
GraphExec captured(const Stream& stream, const std::function<void()>& body) {
  GraphCapture capture(stream);
  stream.launch("step", {}, body);
  return capture.end().instantiate();
}

TEST_CASE("two graphs replayed between eager work give the sums that their order gives") {
  on_every_backend([] {
    const Stream stream;
    int sum = 0;
    const GraphExec add = captured(stream, [&] { sum += 3; });
    const GraphExec twice = captured(stream, [&] { sum *= 2; });
    add.launch(stream);
    stream.launch("eager", {}, [&] { sum += 1; });
    twice.launch(stream);
    add.launch(stream);
    stream.synchronize();
    CHECK(sum == 11);
  });
}

TEST_CASE("three graphs may be replayed in another order than they were captured in") {
  on_every_backend([] {
    const Stream stream;
    std::string order;
    const GraphExec a = captured(stream, [&] { order += 'a'; });
    const GraphExec b = captured(stream, [&] { order += 'b'; });
    const GraphExec c = captured(stream, [&] { order += 'c'; });
    for (const GraphExec* const next : {&a, &c, &b, &a}) next->launch(stream);
    stream.synchronize();
    CHECK(order == "acba");
  });
}

TEST_CASE("two graphs replayed at once on two streams do not disturb each other") {
  on_every_backend([] {
    const Stream one;
    const Stream two;
    int first = 0;
    int second = 0;
    const GraphExec a = captured(one, [&] { ++first; });
    const GraphExec b = captured(two, [&] { ++second; });
    for (int i = 0; i < 5; ++i) {
      a.launch(one);
      b.launch(two);
    }
    current_device().synchronize();
    CHECK(first == 5);
    CHECK(second == 5);
  });
}

TEST_CASE("a stream is captured anew when its graph is gone") {
  on_every_backend([] {
    const Stream stream;
    int runs = 0;
    {
      const GraphExec gone = captured(stream, [&] { runs += 100; });
    }
    CHECK_FALSE(stream.is_capturing());
    captured(stream, [&] { ++runs; }).launch(stream);
    stream.synchronize();
    CHECK(runs == 1);
  });
}

TEST_CASE("external events around a graph's work measure it at each launch") {
  on_every_backend([] {
    const Stream stream;
    Event start({.device = device(0), .enable_timing = true});
    Event stop({.device = device(0), .enable_timing = true});
    GraphCapture capture(stream);
    stream.record_external_event(start);
    stream.launch("work", {.cost = 1ms});
    stream.record_external_event(stop);
    const GraphExec timed = capture.end().instantiate();
    for (int i = 0; i < 2; ++i) {
      timed.launch(stream);
      stream.synchronize();
      CHECK(start.elapsed_time(stop) >= 1.0F);
      CHECK(start.elapsed_time(stop) < 1.1F);
    }
  });
}

TEST_CASE("an empty capture gives an empty graph, which can be launched") {
  on_every_backend([] {
    const Stream stream;
    GraphCapture capture(stream);
    const Graph graph = capture.end();
    CHECK(graph.node_count() == 0);
    graph.instantiate().launch(stream);
    stream.synchronize();
    CHECK(stream.query());
  });
}

}  // namespace
}  // namespace millrace::contract
