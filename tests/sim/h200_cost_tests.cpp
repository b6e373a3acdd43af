// SPDX-License-Identifier: Apache-2.0
// Profile h200: each measured cost, by the program that measured it. Five per cent are allowed.

#include "h200_support.hpp"

#include <string>
#include <utility>

using namespace h200;

namespace {

constexpr double allowed = 5;

/// The median gap between kernels of 20 us with `between` them, behind a kernel of 3 ms.
template <typename Enqueue>
double gap(int count, Enqueue enqueue) {
  const Trace trace = run([&] {
    const std::vector<Stream> all = streams(2);
    launch(all[0], "front", 3ms, 1, 1);
    for (int i = 0; i < count; ++i) enqueue(all, i, "k" + std::to_string(i));
    synchronize_device();
  });
  std::vector<double> gaps;
  for (int i = 1; i < count; ++i) {
    gaps.push_back(span(trace, "k" + std::to_string(i), 1us).start -
                   span(trace, "k" + std::to_string(i - 1), 1us).end);
  }
  std::ranges::sort(gaps);
  return gaps[gaps.size() / 2];
}

enum class Way { up, down, across, fill };

double transfer_time(Way way, std::size_t bytes) {
  return measure([&] {
    const Stream s;
    const Buffer<char> a(bytes);
    const Buffer<char> b(bytes);
    const Buffer<char> pinned(bytes, MemoryKind::pinned);
    return event_pair(s, [&] {
      if (way == Way::up) s.copy(a, pinned);
      if (way == Way::down) s.copy(pinned, a);
      if (way == Way::across) s.copy(a, b);
      if (way == Way::fill) s.fill(a, 0);
    });
  });
}

void check_times(Way way, const std::vector<std::pair<std::size_t, double>>& measured) {
  for (const auto& [bytes, time] : measured) {
    INFO(bytes << " bytes");
    CHECK(within(transfer_time(way, bytes), time, allowed));
  }
}

}  // namespace

TEST_CASE("Host calls cost what they cost on an H200", "[h200]") {
  run([] {
    const Stream s;
    const Stream t;
    Event e;
    Event x({.enable_timing = true});
    const Buffer<char> d(4096);
    const Buffer<char> p(4096, MemoryKind::pinned);
    launch(s, "warm", Duration{0});
    e.record(s);
    CHECK(within(host_time_per_call(500, [&] { launch(s, "k", Duration{0}); }), 4.34, allowed));
    CHECK(within(host_time_per_call(500, [&] { e.record(s); }), 0.29, allowed));
    CHECK(within(host_time_per_call(500, [&] { x.record(s); }), 1.28, allowed));
    CHECK(within(host_time_per_call(500, [&] { t.wait_event(e); }), 0.30, allowed));
    CHECK(within(host_time_per_call(1000, [&] { static_cast<void>(e.query()); }), 0.34, allowed));
    CHECK(within(host_time_per_call(1000, [&] { static_cast<void>(s.query()); }), 0.40, allowed));
    CHECK(within(host_time_per_call(1000, [&] { s.synchronize(); }), 0.35, allowed));
    CHECK(within(host_time_per_call(1000, [&] { synchronize_device(); }), 0.44, allowed));
    CHECK(within(host_time_per_call(300, [&] { s.copy(d, p); }), 2.07, allowed));
    CHECK(within(host_time_per_call(300, [&] { s.fill(d, 0); }), 1.19, allowed));
    CHECK(within(host_time_per_call(100, [&] { s.call("f", [] {}); }), 2.50, allowed));
    CHECK(within(host_time_per_call(20, [&] { const Stream made; }), 36.70 + 1.44, allowed));
    std::vector<Event> made;
    CHECK(within(
        host_time_per_call(500, [&] { made.emplace_back(EventOptions{.device = s.device()}); }),
        0.60, allowed));
    CHECK(within(host_time([&] {
                   launch(s, "k", Duration{0});
                   s.synchronize();
                 }),
                 9.78, allowed));
    CHECK(within(host_time([&] {
                   e.record(s);
                   e.synchronize();
                 }),
                 2.11, allowed));
  });
}

TEST_CASE("Gaps between operations are those of an H200", "[h200]") {
  CHECK(within(
      gap(101, [](const auto& s, int, const std::string& name) { launch(s[0], name, 20us); }), 1.54,
      allowed));
  CHECK(within(gap(101,
                   [](const auto& s, int, const std::string& name) {
                     launch(s[0], name, 20us);
                     Event timed(EventOptions{.enable_timing = true});
                     timed.record(s[0]);
                   }),
               3.58, allowed));
  Event last;
  CHECK(within(gap(100,
                   [&](const auto& s, int i, const std::string& name) {
                     const Stream& stream = s[static_cast<std::size_t>(i % 2)];
                     if (i > 0) stream.wait_event(last);
                     launch(stream, name, 20us);
                     last = stream.record_event();
                   }),
               1.79, allowed));
  CHECK(within(gap(50,
                   [](const auto& s, int, const std::string& name) {
                     launch(s[0], name, 20us);
                     s[0].call("f", {.cost = Duration{0}}, [] {});
                   }),
               41.47, allowed));
}

TEST_CASE("Kernels of a graph follow each other closely", "[h200]") {
  const Trace trace = run([] {
    const Stream s;
    GraphCapture capture(s);
    for (int i = 0; i < 100; ++i) launch(s, "k" + std::to_string(i), 20us);
    const Graph graph = capture.end();
    graph.instantiate().launch(s);
    s.synchronize();
  });
  const double between = span(trace, "k51", 1us).start - span(trace, "k50", 1us).end;
  CHECK(within(between, 0.51, allowed));
}

TEST_CASE("Event pairs measure what they measure on an H200", "[h200]") {
  run([] {
    const Stream s;
    launch(s, "warm", Duration{0});
    synchronize_device();
    CHECK(within(event_pair(s, [] {}), 1.28, allowed));
    CHECK(within(event_pair(s, [&] { launch(s, "empty", Duration{0}); }), 5.79, allowed));
    CHECK(within(event_pair(s, [&] { launch(s, "spin", 100us); }), 107.39, allowed));
  });
}

TEST_CASE("Elapsed times are multiples of 32 ns", "[h200]") {
  run([] {
    const Stream s;
    for (int i = 0; i < 50; ++i) {
      const double time = event_pair(s, [&] { launch(s, "k", Duration{1000 + i * 37}); });
      const auto ns = static_cast<long>(time * 1000 + 0.5);
      CHECK(ns % 32 == 0);
    }
  });
}

TEST_CASE("Copies to the device take what they take on an H200", "[h200]") {
  check_times(Way::up, {{1, 3.94},
                        {4, 3.65},
                        {16, 3.78},
                        {64, 3.65},
                        {256, 3.71},
                        {1024, 3.87},
                        {4096, 4.16},
                        {16384, 4.22},
                        {65536, 5.31},
                        {262144, 9.38},
                        {1048576, 24.00},
                        {4194304, 83.01},
                        {16777216, 318.27},
                        {67108864, 1212.83},
                        {268435456, 4845.31}});
}

TEST_CASE("Copies to the host take what they take on an H200", "[h200]") {
  check_times(Way::down, {{1, 3.17},
                          {4, 3.23},
                          {16, 3.10},
                          {64, 3.17},
                          {256, 3.10},
                          {1024, 3.14},
                          {4096, 3.20},
                          {16384, 3.46},
                          {65536, 4.19},
                          {262144, 7.87},
                          {1048576, 22.21},
                          {4194304, 78.85},
                          {16777216, 305.12},
                          {67108864, 1215.58},
                          {268435456, 4849.54}});
}

TEST_CASE("Copies on the device take what they take on an H200", "[h200]") {
  check_times(Way::across, {{1, 7.26},
                            {4, 6.30},
                            {16, 5.89},
                            {64, 6.14},
                            {256, 6.72},
                            {1024, 6.78},
                            {4096, 7.14},
                            {16384, 7.58},
                            {65536, 7.10},
                            {262144, 7.14},
                            {1048576, 8.61},
                            {4194304, 9.18},
                            {16777216, 13.06},
                            {67108864, 38.30},
                            {268435456, 133.38}});
}

TEST_CASE("Fills take what they take on an H200", "[h200]") {
  check_times(Way::fill, {{1, 2.75},
                          {16, 2.78},
                          {256, 2.66},
                          {4096, 3.17},
                          {65536, 6.62},
                          {1048576, 5.98},
                          {16777216, 9.63},
                          {268435456, 65.54}});
}
