// SPDX-License-Identifier: Apache-2.0
// Profile h200: hardware queues, their false dependencies, and the launch ring.

#include "h200_support.hpp"

#include <string>

using namespace h200;

namespace {

/// Chains of three kernels on several streams, issued stream by stream or kernel by kernel.
double chains(std::size_t count, bool depth_first) {
  const Trace trace = run([&] {
    const std::vector<Stream> all = streams(count);
    if (depth_first) {
      for (const Stream& stream : all) {
        for (int k = 0; k < 3; ++k) launch(stream, "spin", 2ms);
      }
    } else {
      for (int k = 0; k < 3; ++k) {
        for (const Stream& stream : all) launch(stream, "spin", 2ms);
      }
    }
    synchronize_device();
  });
  return length(trace, "spin", 2ms);
}

struct Row {
  std::size_t streams;
  double depth;
  double breadth;
};

void check_chains(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.streams << " streams");
    CHECK(within(chains(row.streams, true), row.depth, 2));
    CHECK(within(chains(row.streams, false), row.breadth, 4));
  }
}

struct Bytes {
  Buffer<char> device{4096};
  Buffer<char> pinned{4096, MemoryKind::pinned};
};

/// With one queue: the time at which a kernel of another stream starts behind `before`.
template <typename Before>
double start_behind(Before before) {
  const Connections one(1);
  const Trace trace = run([&] {
    const std::vector<Stream> all = streams(3);
    const Bytes bytes;
    before(all[0], all[2], bytes);
    launch(all[1], "behind", 100us);
    synchronize_device();
  });
  return span(trace, "behind", 1ms).start - span(trace, "first", 1ms).start;
}

/// How many operations a host can enqueue behind a closed gate before a call blocks.
template <typename Enqueue>
int depth(std::size_t count, Enqueue enqueue) {
  constexpr int most = 20'000;
  return measure([&] {
    const Stream gated;
    const std::vector<Stream> all = streams(count);
    gated.call("gate", {.cost = 2s}, [] {});
    const Event shut = gated.record_event();
    for (const Stream& stream : all) stream.wait_event(shut);
    const Time open = sim::now() + Duration{1s};
    for (int i = 0; i < most; ++i) {
      enqueue(all[static_cast<std::size_t>(i) % all.size()]);
      if (sim::now() > open) return i;
    }
    return most;
  });
}

}  // namespace

TEST_CASE("One hardware queue makes chains issued depth first wait for each other", "[h200]") {
  const Connections one(1);
  check_chains({{2, 5.00, 3.00}, {4, 9.01, 3.01}, {8, 17.02, 3.01}, {16, 33.03, 3.03}});
}

TEST_CASE("Two hardware queues halve the false dependencies", "[h200]") {
  const Connections two(2);
  check_chains({{2, 3.01, 3.00}, {4, 5.01, 3.01}, {8, 9.02, 3.02}, {16, 17.02, 3.04}});
}

TEST_CASE("There are eight hardware queues unless CUDA_DEVICE_MAX_CONNECTIONS says more",
          "[h200]") {
  check_chains({{2, 3.01, 3.00},
                {4, 3.02, 3.01},
                {8, 3.05, 3.02},
                {16, 5.06, 3.06},
                {32, 9.07, 3.09},
                {64, 17.09, 3.20}});
  const Connections many(32);
  check_chains({{8, 3.05, 3.02}, {16, 3.12, 3.05}});
}

TEST_CASE("What stands in a queue holds its neighbours until its predecessor is done", "[h200]") {
  const auto first = [](const Stream& x) { launch(x, "first", 1ms); };
  SECTION("kernels, fills and copies on the device") {
    CHECK(within(start_behind([&](const Stream& x, const Stream&, const Bytes&) {
                   first(x);
                   launch(x, "second", 500us);
                 }),
                 1.0, 2));
    CHECK(within(start_behind([&](const Stream& x, const Stream&, const Bytes& bytes) {
                   first(x);
                   x.fill(bytes.device, 0);
                 }),
                 1.0, 5));
  }
  SECTION("records with timing, host functions, and waits") {
    CHECK(within(start_behind([&](const Stream& x, const Stream&, const Bytes&) {
                   first(x);
                   Event timed({.enable_timing = true});
                   timed.record(x);
                 }),
                 1.0, 2));
    CHECK(within(start_behind([&](const Stream& x, const Stream&, const Bytes&) {
                   first(x);
                   x.call("function", [] {});
                 }),
                 1.0, 2));
    CHECK(within(start_behind([&](const Stream& x, const Stream& other, const Bytes&) {
                   first(other);
                   x.wait_event(other.record_event());
                 }),
                 1.0, 2));
  }
  SECTION("not a lone kernel, a record without timing, or a copy to the device") {
    CHECK(start_behind([&](const Stream& x, const Stream&, const Bytes&) { first(x); }) < 0.1);
    CHECK(start_behind([&](const Stream& x, const Stream&, const Bytes&) {
            first(x);
            static_cast<void>(x.record_event());
          }) < 0.1);
    CHECK(start_behind([&](const Stream& x, const Stream&, const Bytes& bytes) {
            first(x);
            x.copy(bytes.device, bytes.pinned);
          }) < 0.1);
  }
}

TEST_CASE("A launch blocks behind 1021 kernels that have not started", "[h200]") {
  const auto kernel = [](const Stream& stream) { launch(stream, "k", Duration{0}); };
  CHECK(depth(1, kernel) == 1021);
  CHECK(depth(2, kernel) == 2042);
  CHECK(depth(8, kernel) == 8168);
  CHECK(depth(16, kernel) == 8168);  // a ring for each queue
}

TEST_CASE("Records without timing, waits and host functions take no place", "[h200]") {
  CHECK(depth(1, [](const Stream& stream) { static_cast<void>(stream.record_event()); }) == 20'000);
  CHECK(depth(1, [](const Stream& stream) { stream.call("f", [] {}); }) == 20'000);
  CHECK(depth(1, [](const Stream& stream) {
          launch(stream, "k", Duration{0});
          Event timed({.enable_timing = true});
          timed.record(stream);
        }) == 510);
}

TEST_CASE("The launch that had to wait for a place says so", "[h200]") {
  const Trace trace = run([] {
    const Stream stream;
    launch(stream, "gate", 20ms);
    for (int i = 0; i < 1030; ++i) launch(stream, "k", 1us);
    launch(stream, "last", 1us);
  });
  const auto& calls = trace.calls;
  const auto longest = std::ranges::max_element(
      calls, {}, [](const HostCall& call) { return call.end_ns - call.begin_ns; });
  CHECK(longest->kind == CallKind::launch);
  CHECK(longest->end_ns - longest->begin_ns > 10'000'000);
}

namespace {

/// A stream waits for a flag that the stream of its own hardware queue sets behind it.
void wait_in_a_shared_queue() {
  const Flag ready({.name = "ready"});
  const Stream waiter({.name = "waiter"});
  waiter.await_flag(ready, FlagCondition::equal, 1);
  launch(waiter, "use", 1us);
  std::vector<Stream> others;
  for (int i = 0; i < 8; ++i) {
    others.emplace_back(StreamOptions{.name = Name("s" + std::to_string(i))});
    launch(others.back(), "fill" + std::to_string(i), 1us);
  }
  others.back().set_flag(ready, 1);
}

}  // namespace

TEST_CASE("A flag set behind its waiter in one hardware queue is a deadlock that names both") {
  const sim::Report ideal = sim::run({.profile = "ideal"}, wait_in_a_shared_queue);
  CHECK(ideal.findings.empty());
  const sim::Report stuck = sim::run({.profile = "h200"}, wait_in_a_shared_queue);
  REQUIRE(stuck.findings.size() == 1);
  const Finding& finding = stuck.findings[0];
  CHECK(finding.kind == FindingKind::deadlock);
  CAPTURE(finding.explanation);
  CHECK(finding.explanation.find("A cycle: ") == 0);
  CHECK(finding.explanation.find("fill7 (") != std::string::npos);
  CHECK(finding.explanation.find("on s7 stands behind use (") != std::string::npos);
  CHECK(finding.explanation.find("of waiter, which has the same hardware queue") !=
        std::string::npos);
  CHECK(finding.fix.find("CUDA_DEVICE_MAX_CONNECTIONS") != std::string::npos);
  const Connections many(32);
  CHECK(sim::run({.profile = "h200"}, wait_in_a_shared_queue).findings.empty());
}
