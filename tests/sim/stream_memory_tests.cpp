// SPDX-License-Identifier: Apache-2.0
// What findings and figures say of memory that is made and freed in the order of streams.

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: only literals

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;

sim::Options little_memory(std::uint64_t bytes) {
  sim::Options options;
  options.inject.device_bytes = bytes;
  return options;
}

/// A pool of one block, freed behind `first` on one stream and asked for by another, which then
/// launches `second`.
sim::Report block_for_two(bool internal_dependencies) {
  return sim::run([=] {
    const MemoryPool pool({.settings = {.reuse = {false, false, true}},
                           .largest_bytes = internal_dependencies ? mebi : 0});
    const Stream freeing;
    const Stream asking;
    const Buffer<char> shared(64, {.name = "shared"});
    const Buffer<char> block(mebi, {.stream = freeing, .pool = pool, .name = "block"});
    freeing.launch("first", {.cost = 50us, .writes = {block, shared}});
    block.free(freeing);
    const Buffer<char> again(mebi, {.stream = asking, .pool = pool, .name = "again"});
    CHECK((again.address() == block.address()) == internal_dependencies);
    asking.launch("second", {.cost = 10us, .writes = {again, shared}});
    current_device().synchronize();
  });
}

bool before(const Trace& trace, std::string_view earlier, std::string_view later) {
  return OrderRelation(trace).before(Step::operation(trace.find_operation(earlier)),
                                     Step::operation(trace.find_operation(later)));
}

}  // namespace

TEST_CASE("memory whose bytes are used again is new memory") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    const Stream other;
    const Buffer<char> first(mebi, {.stream = stream, .name = "first"});
    stream.launch("of first", {.writes = {first}});
    first.free(stream);
    const Buffer<char> own(mebi, {.stream = stream, .name = "own"});
    CHECK(own.address() == first.address());
    stream.launch("of own", {.writes = {own}});
    own.free(stream);
    sim::sleep_for(1ms);  // the free is over: chance may give the block to any stream
    const Buffer<char> lucky(mebi, {.stream = other, .name = "lucky"});
    CHECK(lucky.address() == first.address());
    other.launch("of lucky", {.writes = {lucky}});
    current_device().synchronize();
  });
  CHECK(report.findings.empty());
  CHECK_FALSE(before(report.trace, "of own", "of lucky"));
}

TEST_CASE("an allocation that waits for a free on another stream orders") {
  const sim::Report report = block_for_two(true);
  CHECK(report.findings.empty());
  CHECK(before(report.trace, "first", "second"));
  CHECK(report.end_time == Time{60'000});
}

TEST_CASE("an allocation that need not wait orders nothing") {
  const sim::Report report = block_for_two(false);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::race);
  CHECK(report.findings.front().object == "shared");
}

TEST_CASE("memory is legal between its allocation and its free, in stream order or by events") {
  const auto use = [](bool after_allocation, bool before_free) {
    return sim::run([=] {
      const Stream stream;
      const Stream user;
      const Buffer<char> data(64, {.stream = stream, .name = "data"});
      if (after_allocation) user.wait_stream(stream);
      user.launch("use", {.updates = {data}});
      if (before_free) stream.wait_stream(user);
      data.free(stream);
      current_device().synchronize();
    });
  };
  CHECK(use(true, true).findings.empty());
  for (const bool after_allocation : {true, false}) {
    const sim::Report report = use(after_allocation, !after_allocation);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings.front().kind == FindingKind::use_after_free);
    CHECK(report.findings.front().object == "data");
  }
}

TEST_CASE("graphs take memory of their device while a launch has it, not while they exist") {
  sim::run(little_memory(1000), [] {
    const Stream stream;
    const auto free_bytes = [] { return current_device().memory_info().free_bytes; };
    for (int round = 0; round < 3; ++round) {
      GraphCapture capture(stream);
      const Buffer<char> data(600, {.stream = stream, .name = "data"});
      stream.launch("use", {.writes = {data}});
      const GraphExec steps = capture.end().instantiate();
      CHECK(free_bytes() == 1000);
      steps.launch(stream);
      CHECK(free_bytes() == 400);
      data.free(stream);
      CHECK(free_bytes() == 1000);
    }
  });
}

TEST_CASE("a launch for whose memory there is no room does not begin") {
  const sim::Report report = sim::run(little_memory(1000), [] {
    const Stream stream;
    Graph graph;
    const GraphMemory first = graph.add_allocate(600, "first");
    const NodeId freed = graph.add_free(first, {first.node});
    const GraphMemory second = graph.add_allocate(600, "second", {freed});
    graph.add_free(second, {second.node});
    const GraphExec steps = graph.instantiate();
    steps.launch(stream);  // one after the other there is
    const std::optional<Buffer<char>> taken(std::in_place, 500);
    try {
      steps.launch(stream);
      FAIL("there was room");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::MemoryAllocation);
      CHECK(std::string(error.what()).find("600 bytes of memory 'first'") != std::string::npos);
    }
    stream.synchronize();
  });
  CHECK(std::ranges::count(report.trace.operations, OperationKind::allocate, &Operation::kind) ==
        2);
}
