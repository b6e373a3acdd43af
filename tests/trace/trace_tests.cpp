// SPDX-License-Identifier: Apache-2.0
#include "rich_trace.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace millrace;

TEST_CASE("The words of the model are those of its enumerators") {
  CHECK(to_string(OperationKind::kernel) == "kernel");
  CHECK(to_string(OperationKind::host_function) == "host function");
  CHECK(to_string(OperationKind::graph_node) == "graph node");
  CHECK(to_string(CallKind::launch) == "launch");
  CHECK(to_string(CallKind::synchronize_device) == "synchronize device");
  CHECK(to_string(CallKind::destroy_graph) == "destroy graph");
  CHECK(to_string(CallKind::work) == "work");
  CHECK(to_string(CallKind::unlock) == "unlock");
  CHECK(to_string(DependencyKind::record_wait) == "record wait");
  CHECK(to_string(DependencyKind::memory_reuse) == "memory reuse");
  CHECK(to_string(ConstraintKind::queue_neighbour) == "queue neighbour");
  CHECK(to_string(ConstraintKind::unknown) == "unknown");
  CHECK(to_string(MemoryKind::pageable) == "pageable");
  CHECK(to_string(AccessMode::update) == "update");
  CHECK(to_string(AccessOrder::from_call) == "from call");
  CHECK(to_string(ObjectKind::signal) == "signal");
  CHECK(to_string(StreamKind::per_thread) == "per thread");
  CHECK(to_string(OperationState::cancelled) == "cancelled");
  CHECK(to_string(CallOutcome::not_ready) == "not ready");
  CHECK(to_string(DependencyState::inferred) == "inferred");
}

TEST_CASE("A value outside of its enumeration has a word, too") {
  CHECK(to_string(static_cast<CallKind>(200)) == "unknown");
}

TEST_CASE("An operation is described by its name, or by what it is done to") {
  const Trace trace = test::example_trace();
  CHECK(trace.describe(0) == "copy1");
  CHECK(trace.describe(2) == "record ready");
  CHECK(trace.describe(3) == "wait ready");
}

TEST_CASE("An operation without name and object is described by its number") {
  Trace trace = test::example_trace();
  trace.operations[4].name = 0;
  CHECK(trace.describe(4) == "kernel 4");
}

TEST_CASE("Operations of one name are counted from one, and zero is the last of them") {
  Trace trace = test::example_trace();
  trace.operations[4].name = trace.operations[1].name;
  CHECK(trace.find_operation("fill", 1) == 1);
  CHECK(trace.find_operation("fill", 2) == 4);
  CHECK(trace.find_operation("fill", 3) == none);
  CHECK(trace.find_operation("fill") == 4);
  CHECK(trace.find_operation("copy1") == 0);
  CHECK(trace.find_operation("nothing") == none);
  CHECK(trace.find_operation("nothing", 1) == none);
}

TEST_CASE("An object without name is called by its kind and number") {
  const Trace trace = test::rich_trace();
  CHECK(trace.object_name(ObjectKind::stream, 0) == "s");
  CHECK(trace.object_name(ObjectKind::stream, 1) == "stream 1");
  CHECK(trace.object_name(ObjectKind::device, 1) == "sim:1");
  CHECK(trace.object_name(ObjectKind::event, 0) == "e");
  CHECK(trace.object_name(ObjectKind::memory, 0) == "M");
  CHECK(trace.object_name(ObjectKind::thread, 0) == "main");
  CHECK(trace.object_name(ObjectKind::signal, 0) == "go");
  CHECK(trace.object_name(ObjectKind::mutex, 0) == "lock");
  CHECK(trace.object_name(ObjectKind::flag, 0) == "f");
  CHECK(trace.object_name(ObjectKind::graph, 0) == "graph 0");
  CHECK(trace.object_name(ObjectKind::graph, 77) == "graph 77");
  CHECK(trace.object_name(ObjectKind::nothing, none) == "nothing");
}

TEST_CASE("Traces are equal when all of their rows are") {
  const Trace trace = test::rich_trace();
  Trace other = trace;
  CHECK(other == trace);
  other.operations[0].because.is_call = !other.operations[0].because.is_call;
  CHECK_FALSE(other == trace);
}
