// SPDX-License-Identifier: Apache-2.0
// Profile h200: what operations hold of the device, and what bound their starts.

#include "h200_support.hpp"

#include <millrace/resource_levels.hpp>

#include <array>
#include <string>

using namespace h200;

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20U;

const Operation& operation(const Trace& trace, std::string_view name) {
  const TraceIndex index = trace.find_operation(name);
  REQUIRE(index != none);
  return trace.operations[index];
}

Step step(const Trace& trace, std::string_view name) {
  return Step::operation(trace.find_operation(name));
}

/// What the operation of this name holds of resources of this kind.
std::vector<ResourceUse> uses(const Trace& trace, std::string_view name, ResourceKind kind) {
  std::vector<ResourceUse> found;
  for (const ResourceUse& use : trace.uses) {
    const Operation& by = trace.operations[use.operation];
    if (trace.resources[use.resource].kind == kind && trace.string(by.name) == name) {
      found.push_back(use);
    }
  }
  return found;
}

std::string resource_of(const Trace& trace, const ResourceUse& use) {
  return std::string(trace.string(trace.resources[use.resource].name));
}

}  // namespace

TEST_CASE("A kernel's blocks hold their warps of the multiprocessors as long as they run",
          "[h200]") {
  const Trace trace = run([] {
    const Stream a;
    const Stream b;
    launch(a, "A", 1ms, 132, 1024);
    launch(b, "B", 1ms, 132 * 4, 1024);
    synchronize_device();
  });
  const Operation& a = operation(trace, "A");
  const auto of_a = uses(trace, "A", ResourceKind::multiprocessors);
  REQUIRE(of_a.size() == 1);
  CHECK(of_a[0].begin_ns == a.start_ns);
  CHECK(of_a[0].end_ns == a.end_ns);
  CHECK(of_a[0].amount == 132 * 32);
  // Measured: B's blocks start 132, 264 and 132 in three milliseconds.
  std::array<std::uint32_t, 4> blocks{};
  for (const ResourceUse& use : uses(trace, "B", ResourceKind::multiprocessors)) {
    const auto millisecond = (use.begin_ns - a.start_ns) / 1'000'000;
    blocks.at(static_cast<std::size_t>(millisecond)) += use.amount / 32;
    CHECK(use.end_ns - use.begin_ns == 1'000'000);
  }
  CHECK(blocks == std::array<std::uint32_t, 4>{132, 264, 132, 0});
}

TEST_CASE("The waves of a kernel that is alone fill the multiprocessors, the last one in part",
          "[h200]") {
  const Trace trace = run([] {
    const Stream stream;
    launch(stream, "k", 100us, 132 * 2 * 3 + 1, 1024);
  });
  const Operation& k = operation(trace, "k");
  const auto held = uses(trace, "k", ResourceKind::multiprocessors);
  REQUIRE(held.size() == 2);
  CHECK(held[0].amount == 132 * 64);
  CHECK(held[0].amount == trace.resources[held[0].resource].capacity);
  CHECK(held[0].end_ns - held[0].begin_ns == 300'000);
  CHECK(held[1].amount == 32);
  CHECK(held[1].begin_ns == held[0].end_ns);
  CHECK(held[1].end_ns == k.end_ns);
}

TEST_CASE("Another kernel parts the waves of one that was alone", "[h200]") {
  const Trace trace = run([] {
    const Stream a;
    const Stream b({.priority = -5});
    launch(a, "A", 200us, 132 * 2 * 10, 1024);
    sim::sleep_for(500us);
    launch(b, "B", 200us, 132 * 2 * 2, 1024);
    synchronize_device();
  });
  std::uint64_t blocks = 0;
  for (const ResourceUse& use : uses(trace, "A", ResourceKind::multiprocessors)) {
    const std::int64_t waves = (use.end_ns - use.begin_ns) / 200'000;
    blocks += use.amount / 32 * static_cast<std::uint64_t>(waves);
  }
  CHECK(blocks == 132 * 2 * 10);
  for (const auto& levels : resource_levels(trace)) {
    for (const ResourceLevel& level : levels) CHECK(level.amount <= 132 * 64);
  }
}

TEST_CASE("A copy holds its direction's engine until it is over", "[h200]") {
  const Trace trace = run([] {
    const Stream s;
    const Stream t;
    const Buffer<char> device(16 * mebi);
    const Buffer<char> pinned(16 * mebi, MemoryKind::pinned);
    s.copy(device, pinned, {.name = "up"});
    t.copy(device, pinned, {.name = "up too"});
    t.copy(pinned, device, {.name = "down"});
    synchronize_device();
  });
  const auto up = uses(trace, "up", ResourceKind::copy_engine);
  const auto up_too = uses(trace, "up too", ResourceKind::copy_engine);
  const auto down = uses(trace, "down", ResourceKind::copy_engine);
  REQUIRE((up.size() == 1 && up_too.size() == 1 && down.size() == 1));
  CHECK(resource_of(trace, up[0]) == "copy engine to device");
  CHECK(up[0].resource == up_too[0].resource);
  CHECK(up[0].end_ns == up_too[0].begin_ns);
  CHECK(resource_of(trace, down[0]) == "copy engine to host");
  CHECK(down[0].end_ns == operation(trace, "down").end_ns);
}

TEST_CASE("An operation stands in its hardware queue until the device takes it", "[h200]") {
  const Connections one(1);
  const Trace trace = run([] {
    const std::vector<Stream> all = streams(2);
    launch(all[0], "first", 1ms);
    launch(all[0], "second", 1ms);
    launch(all[1], "neighbour", 1ms);
    synchronize_device();
  });
  for (const std::string name : {"first", "second", "neighbour"}) {
    const auto held = uses(trace, name, ResourceKind::hardware_queue);
    REQUIRE(held.size() == 1);
    CHECK(resource_of(trace, held[0]) == "hardware queue 0");
    CHECK(held[0].begin_ns == operation(trace, name).enqueue_ns);
    CHECK(held[0].end_ns == operation(trace, name).start_ns);
  }
}

TEST_CASE("A reset takes from everybody what is held", "[h200]") {
  const Trace trace = run([] {
    const Stream stream;
    launch(stream, "long", 10ms);
    launch(stream, "behind", 10ms);
    sim::sleep_for(1ms);
    current_device().reset();
  });
  for (const ResourceUse& use : trace.uses) {
    CHECK(use.end_ns >= 0);
    CHECK(use.end_ns <= trace.end_ns);
  }
}

TEST_CASE("Where nothing competes nothing is held", "[h200]") {
  const sim::Report report = sim::run([] { launch(Stream(), "k", 1us); });
  CHECK(report.trace.resources.empty());
  CHECK(report.trace.uses.empty());
}

TEST_CASE("A start that was bound by the host names its call", "[h200]") {
  const Trace trace = run([] { launch(Stream(), "k", 1us); });
  const Operation& k = operation(trace, "k");
  CHECK(k.constraint == ConstraintKind::enqueue);
  CHECK(k.because == Step::call(k.call));
}

TEST_CASE("A host function that waited for the server names the one before it", "[h200]") {
  const Trace trace = run([] {
    const Stream a;
    const Stream b;
    a.call("first", {.cost = 1ms}, [] {});
    b.call("second", {.cost = 1ms}, [] {});
    synchronize_device();
  });
  CHECK(operation(trace, "second").constraint == ConstraintKind::host_server);
  CHECK(operation(trace, "second").because == step(trace, "first"));
}

TEST_CASE("A start that the launch ring delayed names the operation that made room", "[h200]") {
  const Connections one(1);
  const Trace trace = run([] {
    const Stream stream;
    const Stream other;
    const Buffer<char> device(4096);
    const Buffer<char> pinned(4096, MemoryKind::pinned);
    launch(stream, "gate", 20ms);
    for (int i = 0; i < 1021; ++i) launch(stream, i == 0 ? "first" : "k", 1us);
    other.copy(device, pinned, {.name = "copy"});
    synchronize_device();
  });
  CHECK(operation(trace, "copy").constraint == ConstraintKind::launch_ring);
  CHECK(operation(trace, "copy").because == step(trace, "first"));
  CHECK(operation(trace, "copy").start_ns > operation(trace, "gate").end_ns);
}
