// SPDX-License-Identifier: Apache-2.0
// Graphs whose nodes belong to several devices.

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <functional>
#include <string_view>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: only literals

namespace {

/// The device on which the operation of that name ran.
int device_of(const Trace& trace, std::string_view name) {
  const TraceIndex found = trace.find_operation(name);
  REQUIRE(found != none);
  return static_cast<int>(trace.streams[trace.operations[found].stream].device);
}

sim::Report run_on_two(const std::function<void()>& body) { return sim::run({.devices = 2}, body); }

}  // namespace

TEST_CASE("nodes run on the devices of their streams, whatever stream launches the graph") {
  const sim::Report report = run_on_two([] {
    const Buffer<char> data(64, MemoryKind::managed);
    const Stream here({.device = Device("sim:0"), .name = "here"});
    const Stream there({.device = Device("sim:1"), .name = "there"});
    GraphCapture capture(here);
    here.launch("first", {.cost = 10us, .writes = {data}});
    there.wait_event(here.record_event());
    there.launch("second", {.cost = 20us, .updates = {data}});
    here.wait_event(there.record_event());
    here.launch("third", {.cost = 30us, .reads = {data}});
    const GraphExec executable = capture.end().instantiate();
    executable.launch(here);
    executable.launch(here);
    Device("sim:1").synchronize();
    CHECK(sim::now() == Time{90'000});  // the second launch's first two nodes are done
    here.synchronize();
  });
  CHECK(report.findings.empty());
  CHECK(device_of(report.trace, "first") == 0);
  CHECK(device_of(report.trace, "second") == 1);
  CHECK(device_of(report.trace, "third") == 0);
  CHECK(report.end_time == Time{120'000});
}

TEST_CASE("nodes of two devices that no edge orders race") {
  const sim::Report report = run_on_two([] {
    const Buffer<char> data(64, MemoryKind::managed);
    const Stream here({.device = Device("sim:0")});
    const Stream there({.device = Device("sim:1")});
    GraphCapture capture(here);
    there.wait_event(here.record_event());
    here.launch("a", {.writes = {data}});
    there.launch("b", {.writes = {data}});
    here.wait_event(there.record_event());
    capture.end().instantiate().launch(here);
    here.synchronize();
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == FindingKind::race);
}

TEST_CASE("a graph of one device launched on a stream of another stays on its device") {
  const sim::Report report = run_on_two([] {
    Graph graph({.device = Device("sim:1")});
    graph.add_kernel("k", {.cost = 10us});
    const Stream here({.device = Device("sim:0")});
    graph.instantiate().launch(here);
    here.launch("after", {.cost = 5us});
    here.synchronize();
    CHECK(sim::now() == Time{15'000});
    Device("sim:1").reset();
    const Stream there({.device = Device("sim:1")});
    CHECK(there.query());
  });
  CHECK(device_of(report.trace, "k") == 1);
  CHECK(device_of(report.trace, "after") == 0);
}
