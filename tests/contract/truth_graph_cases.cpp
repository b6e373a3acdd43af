// SPDX-License-Identifier: Apache-2.0
// What captures make of work, and graphs.

#include "truth.hpp"

#include <optional>

namespace millrace::contract {
namespace {

/// A captured graph of one host function, ready to be launched.
GraphExec captured(const Stream& stream, const std::function<void()>& function) {
  GraphCapture capture(stream);
  stream.call("f", function);
  return capture.end().instantiate();
}

std::string copied(Scene& s, const Access& to, const Access& from) {
  begin(s.stream);
  const std::string answered = answer([&] { s.stream.copy(to, from); });
  return join({answered, end_with_graph(s.stream)});
}

Truths captured_work() {
  return {
      {"capture.work-not-executed",
       [](Scene& s) {
         int runs = 0;
         begin(s.stream);
         s.stream.call("f", [&] { ++runs; });
         const std::string ended = end_with_graph(s.stream);
         s.device.synchronize();
         return join({ended, "ran " + std::to_string(runs)});
       }},
      {"capture.launch-runs",
       [](Scene& s) {
         int runs = 0;
         GraphCapture capture(s.stream);
         s.stream.call("f", [&] { ++runs; });
         const Graph graph = capture.end();
         std::optional<GraphExec> executable;
         const std::string made = answer([&] { executable = graph.instantiate(); });
         for (int i = 0; i < 3; ++i) executable->launch(s.stream);
         s.stream.synchronize();
         return join({made, "ran " + std::to_string(runs), size_of(graph)});
       }},
      {"capture.memcpy-async-pageable", [](Scene& s) { return copied(s, s.buffer, s.host); }},
      {"capture.memcpy-async-d2h-pageable", [](Scene& s) { return copied(s, s.host, s.buffer); }},
      {"capture.malloc-async",
       [](Scene& s) {
         const CallSite site{"memory", SourceLocation::current()};
         Backend& backend = s.stream.backend();
         GraphCapture capture(s.stream);
         Allocation memory;
         const std::string made = answer(
             [&] { memory = backend.allocate_async(s.stream.handle(), {.bytes = 64}, site); });
         const std::string freed =
             answer([&] { backend.free_async(s.stream.handle(), memory.memory, site); });
         std::string size;
         const std::string ended = answer([&] { size = size_of(capture.end()); });
         return join({made, freed, ended, size});
       }},
      {"capture.work-from-other-thread",
       [](Scene& s) {
         GraphCapture capture(s.stream);
         const std::string worked = answer_on_other_thread([&] { work(s.stream); });
         std::string size;
         const std::string ended = answer([&] { size = size_of(capture.end()); });
         return join({worked, ended, size});
       }},
      {"capture.nested-begin-to-graph",
       [](Scene& s) {
         const Graph graph({.device = s.device});
         std::optional<GraphCapture> capture;
         const std::string begun =
             answer([&] { capture.emplace(s.stream, graph, GraphNodes{}, CaptureMode::relaxed); });
         work(s.stream);
         bool same = false;
         const std::string ended = answer([&] { same = capture->end() == graph; });
         return join({begun, ended, same ? "same graph" : "other graph", size_of(graph)});
       }},
  };
}

Truths graphs() {
  return {
      {"graph.launch-serialised-with-itself",
       [](Scene& s) {
         int runs = 0;
         const auto latch = world().make_latch();
         GraphCapture capture(s.stream);
         s.stream.call("gate", [latch] { latch->wait(); });
         s.stream.call("f", [&] { ++runs; });
         const GraphExec executable = capture.end().instantiate();
         const std::string first = answer([&] { executable.launch(s.stream); });
         const std::string second = answer([&] { executable.launch(s.other); });
         settle();
         const std::string asked = answer([&] { return s.other.query(); });
         latch->open();
         s.device.synchronize();
         return join({first, second, asked, "ran " + std::to_string(runs)});
       }},
      {"graph.launch-null",
       [](Scene& s) {
         return answer([&] {
           s.stream.backend().launch_graph(s.stream.handle(), 0,
                                           {"launch", SourceLocation::current()});
         });
       }},
      {"graph.manual-build",
       [](Scene& s) {
         int runs = 0;
         Graph graph({.device = s.device});
         const NodeId a = graph.add_call("a", {}, [&] { ++runs; });
         const NodeId b = graph.add_call("b", {}, [&] { ++runs; }, {a});
         graph.add_empty({b});
         std::optional<GraphExec> executable;
         const std::string made = answer([&] { executable = graph.instantiate(); });
         const std::string launched = answer([&] { executable->launch(s.stream); });
         s.stream.synchronize();
         return join({made, launched, "ran " + std::to_string(runs), size_of(graph)});
       }},
      {"graph.cycle",
       [](Scene& s) {
         Graph graph({.device = s.device});
         const NodeId a = graph.add_empty();
         const NodeId b = graph.add_empty({a});
         const std::string added = answer([&] { graph.add_dependency(b, a); });
         return join({added, answer([&] { static_cast<void>(graph.instantiate()); })});
       }},
      {"graph.launch-into-capture-becomes-child",
       [](Scene& s) {
         const GraphExec executable = captured(s.stream, [] {});
         begin(s.other);
         const std::string launched = answer([&] { executable.launch(s.other); });
         return join({launched, end_with_graph(s.other), "type ?"});  // there is no graph
       }},
      {"alloc-graph-launched-twice",
       [](Scene& s) {
         Graph graph({.device = s.device});
         graph.add_allocate(64);
         std::optional<GraphExec> executable;
         const std::string made = answer([&] { executable = graph.instantiate(); });
         const std::string first = answer([&] { executable->launch(s.stream); });
         const std::string waited = answer([&] { s.stream.synchronize(); });
         const std::string second = answer([&] { executable->launch(s.stream); });
         return join({made, first, waited, second, answer([&] { s.stream.synchronize(); })});
       }},
      {"instantiate-and-launch-during-global-capture",
       [](Scene& s) {
         GraphCapture capture(s.stream);
         work(s.stream);
         const Graph graph = capture.end();
         begin(s.stream);
         std::optional<GraphExec> executable;
         const std::string made = answer([&] { executable = graph.instantiate(); });
         const std::string launched = answer([&] {
           s.other.backend().launch_graph(s.other.handle(),
                                          executable ? executable->handle() : Handle{0},
                                          {"launch", SourceLocation::current()});
         });
         const std::string after = status(s.stream);
         return join({made, launched, after, end_with_graph(s.stream)});
       }},
      {"launch-during-global-capture",
       [](Scene& s) {
         const GraphExec executable = captured(s.stream, [] {});
         return beside(s.stream, CaptureMode::global, [&] { executable.launch(s.other); });
       }},
      {"graph-launch-in-capture.relaxed-first-launched",
       [](Scene& s) {
         const GraphExec executable = captured(s.stream, [] {});
         executable.launch(s.stream);
         s.stream.synchronize();
         return beside(s.other, CaptureMode::relaxed, [&] { executable.launch(s.other); });
       }},
  };
}

}  // namespace

Truths graph_truths() {
  Truths all = captured_work();
  const Truths more = graphs();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace millrace::contract
