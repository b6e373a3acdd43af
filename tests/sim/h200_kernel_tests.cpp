// SPDX-License-Identifier: Apache-2.0
// Profile h200: which kernels run together, and in which order.

#include "h200_support.hpp"

#include <array>
#include <string>
#include <utility>

using namespace h200;

namespace {

/// `count` equal kernels on streams of their own: how many times the length of one do they take?
double concurrent(std::size_t count, std::uint32_t blocks, std::uint32_t threads, Duration cost) {
  const Trace trace = run([&] {
    const std::vector<Stream> all = streams(count);
    for (const Stream& stream : all) launch(stream, "spin", cost, blocks, threads);
    synchronize_device();
  });
  return length(trace, "spin", cost);
}

struct Pair {
  std::size_t count;
  double times;
};

/// A long grid of ten waves, and 500 us later one of two waves. Times in waves of 200 us after the
/// start of the first.
std::pair<Span, Span> two_grids(int first_priority, int second_priority) {
  const Trace trace = run([&] {
    const Stream a({.priority = first_priority});
    const Stream b({.priority = second_priority});
    launch(a, "A", 200us, 132 * 2 * 10, 1024);
    sim::sleep_for(500us);
    launch(b, "B", 200us, 132 * 2 * 2, 1024);
    synchronize_device();
  });
  const Span a = span(trace, "A", 200us);
  Span b = span(trace, "B", 200us);
  b.start -= a.start;
  b.end -= a.start;
  return {Span{0, a.end - a.start}, b};
}

std::vector<std::string> order_of_starts(const Trace& trace,
                                         const std::vector<std::string>& names) {
  std::vector<std::string> order = names;
  std::ranges::sort(order, {},
                    [&](const std::string& name) { return span(trace, name, 1ns).start; });
  return order;
}

}  // namespace

TEST_CASE("Up to 128 kernels run at once on an H200", "[h200]") {
  for (const auto& [count, times] : {Pair{1, 1.00},
                                     {2, 1.00},
                                     {4, 1.00},
                                     {8, 1.01},
                                     {16, 1.01},
                                     {31, 1.03},
                                     {32, 1.03},
                                     {33, 1.03},
                                     {64, 1.06},
                                     {100, 1.10},
                                     {127, 1.13},
                                     {128, 1.14},
                                     {129, 2.00},
                                     {160, 2.03},
                                     {256, 2.15},
                                     {257, 3.00}}) {
    INFO(count << " kernels");
    CHECK(within(concurrent(count, 1, 32, 4ms), times, 2));
  }
}

TEST_CASE("The number of hardware queues does not limit single kernels", "[h200]") {
  for (const int connections : {1, 2, 32}) {
    const Connections limited(connections);
    INFO(connections << " queues");
    CHECK(within(concurrent(8, 1, 32, 4ms), 1.01, 2));
    CHECK(within(concurrent(32, 1, 32, 4ms), 1.03, 2));
  }
  const Connections many(32);
  CHECK(within(concurrent(128, 1, 32, 4ms), 1.18, 5));
  CHECK(within(concurrent(129, 1, 32, 4ms), 2.00, 2));
}

TEST_CASE("Kernels that fill the device run one after the other", "[h200]") {
  for (const auto& [count, times] : {Pair{1, 1.00}, {2, 2.00}, {3, 3.00}}) {
    CHECK(within(concurrent(count, 132 * 2, 1024, 2ms), times, 1));
  }
}

TEST_CASE("Kernels that each fill half of the device run in twos", "[h200]") {
  for (const auto& [count, times] : {Pair{1, 1.00}, {2, 1.00}, {3, 2.00}, {4, 2.00}}) {
    CHECK(within(concurrent(count, 132, 1024, 2ms), times, 1));
  }
}

TEST_CASE("A kernel of many waves takes as many times its blocks' time", "[h200]") {
  CHECK(within(concurrent(1, 132 * 2 * 7, 1024, 100us), 7.00, 1));
  CHECK(within(concurrent(1, 132 * 2 * 7 + 1, 1024, 100us), 8.00, 1));
  CHECK(within(concurrent(1, 132 * 32, 64, 100us), 1.00, 1));      // 32 blocks each
  CHECK(within(concurrent(1, 132 * 32 + 1, 32, 100us), 2.00, 1));  // and no 33rd
}

TEST_CASE("Registers and shared memory limit how many blocks run together", "[h200]") {
  const auto waves = [](const LaunchOptions& options) {
    const Trace trace = run([&] {
      const Stream stream;
      stream.launch("k", options);
    });
    return length(trace, "k", *options.cost);
  };
  // 128 registers a thread: 512 threads of 2048.
  CHECK(waves({.grid = 132 * 2, .block = 256, .registers_per_thread = 128, .cost = 100us}) == 1);
  CHECK(waves({.grid = 132 * 2 + 1, .block = 256, .registers_per_thread = 128, .cost = 100us}) ==
        2);
  // 112 KiB and the reserved one: two of 228.
  CHECK(waves({.grid = 132 * 2, .block = 32, .shared_bytes = 112U << 10U, .cost = 100us}) == 1);
  CHECK(waves({.grid = 132 * 2 + 1, .block = 32, .shared_bytes = 112U << 10U, .cost = 100us}) == 2);
}

TEST_CASE("A more urgent kernel's blocks go first as room appears", "[h200]") {
  for (const auto& [first, second] : {std::pair{0, -5}, {-1, -2}}) {
    const auto [a, b] = two_grids(first, second);
    CHECK(within(a.end, 12.01, 1));
    CHECK(within(b.start, 3.00, 1));
    CHECK(within(b.end, 5.01, 1));
  }
}

TEST_CASE("A kernel of equal or lower priority waits for all blocks before it", "[h200]") {
  for (const auto& [first, second] : {std::pair{0, 0}, {-5, 0}}) {
    const auto [a, b] = two_grids(first, second);
    CHECK(within(a.end, 10.01, 1));
    CHECK(within(b.start, 10.01, 1));
    CHECK(within(b.end, 12.01, 1));
  }
}

TEST_CASE("Behind a full device the most urgent kernel starts first", "[h200]") {
  const std::vector<std::string> names{"-5", "-4", "-3", "-2", "-1", "0"};
  const Trace trace = run([&] {
    const Stream front;
    std::vector<Stream> all;
    for (int i = 0; i < 6; ++i) all.emplace_back(StreamOptions{.priority = -i});
    launch(front, "front", 3ms, 132 * 2, 1024);
    for (int i = 0; i < 6; ++i) {
      launch(all[static_cast<std::size_t>(i)], std::to_string(-i), 300us, 132 * 2, 1024);
    }
    synchronize_device();
  });
  CHECK(order_of_starts(trace, names) == names);
  const double front = span(trace, "front", 300us).start;
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(within(span(trace, names[i], 300us).start - front, 10.0 + static_cast<double>(i), 1));
  }
}

TEST_CASE("Behind a full device equally urgent kernels start as they were issued", "[h200]") {
  const std::vector<std::string> issued{"3", "0", "5", "1", "4", "2"};
  const Trace trace = run([&] {
    const Stream front;
    const std::vector<Stream> all = streams(6);
    launch(front, "front", 3ms, 132 * 2, 1024);
    for (const std::string& name : issued) {
      launch(all[std::stoul(name)], name, 300us, 132 * 2, 1024);
    }
    synchronize_device();
  });
  CHECK(order_of_starts(trace, issued) == issued);
}

TEST_CASE("The next kernel's blocks fill what the first leaves over", "[h200]") {
  // A holds half of each multiprocessor for 1 ms, B needs the device twice: 132, 264 and 132 blocks
  // start in the three milliseconds, so B is over after three.
  const Trace trace = run([] {
    const Stream a;
    const Stream b;
    launch(a, "A", 1ms, 132, 1024);
    launch(b, "B", 1ms, 132 * 4, 1024);
    synchronize_device();
  });
  CHECK(within(span(trace, "B", 1ms).start - span(trace, "A", 1ms).start, 0.004, 50));
  CHECK(within(length(trace, "B", 1ms), 3.00, 1));
}

TEST_CASE("A block that fits nowhere holds later kernels that would fit", "[h200]") {
  for (const int second : {0, -5}) {
    const Trace trace = run([&] {
      const Stream a;
      const Stream b({.priority = second});
      const Stream c;
      a.launch("A", {.grid = 132, .block = 32, .shared_bytes = 120U << 10U, .cost = 1ms});
      b.launch("B", {.grid = 132, .block = 32, .shared_bytes = 200U << 10U, .cost = 1ms});
      launch(c, "C", 100us);
      synchronize_device();
    });
    const double start = span(trace, "A", 1ms).start;
    CHECK(within(span(trace, "B", 1ms).start - start, 1.00, 1));
    CHECK(within(span(trace, "C", 1ms).start - start, 1.00, 1));
  }
}

TEST_CASE("Where 128 kernels run, a place is taken when one ends", "[h200]") {
  const auto starts = [](int priority) {
    const Trace trace = run([&] {
      std::vector<Stream> all = streams(128);
      const Stream late({.priority = priority});
      launch(late, "warm", Duration{0});
      synchronize_device();
      launch(all[0], "short", 1500us);
      for (std::size_t i = 1; i < all.size(); ++i) launch(all[i], "long", 4ms);
      launch(late, "late", 100us);
      synchronize_device();
    });
    return span(trace, "late", 1ms).start - span(trace, "short", 1ms).start;
  };
  CHECK(within(starts(0), 1.50, 1));
  CHECK(within(starts(-5), 4.55, 2));  // measured 4.50 to 4.67: when all the others are done
}

TEST_CASE("Kernels on several streams start in the order of their launches", "[h200]") {
  const Trace trace = run([] {
    const std::vector<Stream> all = streams(4);
    for (std::size_t i = 0; i < 64; ++i) launch(all[i % 4], "k" + std::to_string(i), 100us);
    synchronize_device();
  });
  double before = 0;
  for (int i = 0; i < 64; ++i) {
    const double start = span(trace, "k" + std::to_string(i), 100us).start;
    CHECK(start >= before);
    before = start;
  }
  CHECK(within(span(trace, "k63", 100us).end - span(trace, "k0", 100us).start, 16.53, 3));
}

TEST_CASE("A kernel on the legacy stream runs between those of blocking streams", "[h200]") {
  const Trace trace = run([] {
    const Stream a({.blocking = true});
    const Stream b({.blocking = true});
    launch(a, "a", 1ms);
    launch(default_stream(), "0", 1ms);
    launch(b, "b", 1ms);
    synchronize_device();
  });
  CHECK(span(trace, "0", 1us).start >= span(trace, "a", 1us).end);
  CHECK(span(trace, "b", 1us).start >= span(trace, "0", 1us).end);
}

TEST_CASE("What bound a kernel's start names the resource", "[h200]") {
  const auto constraint = [](const Trace& trace, std::string_view name) {
    return trace.operations[trace.find_operation(name)].constraint;
  };
  const Trace full = run([] {
    const std::vector<Stream> all = streams(2);
    launch(all[0], "first", 1ms, 132 * 2, 1024);
    launch(all[1], "second", 1ms, 132 * 2, 1024);
  });
  CHECK(constraint(full, "second") == ConstraintKind::multiprocessors);
  CHECK(full.operations[full.find_operation("second")].because ==
        Step::operation(full.find_operation("first")));

  const Trace many = run([] {
    const std::vector<Stream> all = streams(129);
    for (std::size_t i = 0; i < 128; ++i) launch(all[i], "k", 4ms);
    launch(all[128], "late", 1ms);
  });
  CHECK(constraint(many, "late") == ConstraintKind::grid_limit);

  const Connections one(1);
  const Trace queued = run([] {
    const std::vector<Stream> all = streams(2);
    launch(all[0], "first", 1ms);
    launch(all[0], "second", 1ms);
    launch(all[1], "neighbour", 1ms);
  });
  CHECK(constraint(queued, "neighbour") == ConstraintKind::queue_neighbour);
  CHECK(queued.operations[queued.find_operation("neighbour")].because ==
        Step::operation(queued.find_operation("second")));
}
