// SPDX-License-Identifier: Apache-2.0
//
// The process's own machine, outside of sim::run.
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only

TEST_CASE("outside of runs a wait advances the process's machine") {
  const Device device("sim:0");
  const Stream stream(device);
  const Time before = sim::now();
  stream.launch("work", {.cost = 1h});
  stream.synchronize();
  CHECK(sim::now() - before == Duration{1h});
}

TEST_CASE("outside of runs sleeping advances the process's machine") {
  const Stream stream(Device("sim:0"));
  stream.launch("work", {.cost = 5us});
  sim::sleep_for(4us);
  CHECK_FALSE(stream.query());
  sim::sleep_for(1us);
  CHECK(stream.query());
}

TEST_CASE("ordinary threads wait for each other's work") {
  const Device device("sim:0");
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Stream stream(device);
      for (int i = 0; i < 50; ++i) {
        stream.launch("add", {.cost = 1us}, [&] { ++sum; });
        if (i % 10 == 9) stream.synchronize();
      }
      stream.synchronize();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sum == 200);
}

TEST_CASE("ordinary threads run host functions one at a time, in order, without the lock") {
  const Device device("sim:0");
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      const Stream stream(device);
      std::vector<int> order;
      for (int i = 0; i < 20; ++i) {
        stream.call("step", [&, i] {
          if (++inside > 1) overlapped = true;
          order.push_back(i);
          sim::sleep_for(1us);
          --inside;
        });
      }
      stream.synchronize();
      for (int i = 0; i < 20; ++i) {
        if (order[static_cast<std::size_t>(i)] != i) overlapped = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(overlapped);
}

TEST_CASE("an event of one thread is polled by another") {
  const Device device("sim:0");
  const Stream stream(device);
  stream.launch("work", {.cost = 20us});
  const Event done = stream.record_event();
  std::thread poller([&] {
    while (!done.query()) {
    }
  });
  poller.join();
  CHECK(done.query());
}

TEST_CASE("outside of runs the driving thread hears what a body threw") {
  const Stream stream(Device("sim:0"));
  stream.launch("bad", {}, [] { throw std::runtime_error("kernel"); });
  CHECK_THROWS_MATCHES(stream.synchronize(), std::runtime_error,
                       Catch::Matchers::Message("kernel"));
  stream.call("bad too", [] { throw std::runtime_error("function"); });
  CHECK_THROWS_MATCHES(stream.synchronize(), std::runtime_error,
                       Catch::Matchers::Message("function"));
  stream.synchronize();
}

TEST_CASE("several operating-system threads may have a run each") {
  std::vector<Time> ends(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < ends.size(); ++t) {
    threads.emplace_back([&ends, t] {
      ends[t] = sim::run([t] {
                  const Stream stream;
                  stream.launch("work", {.cost = Duration{static_cast<std::int64_t>(t) + 1}});
                  stream.synchronize();
                }).end_time;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < ends.size(); ++t) {
    CHECK(ends[t] == Time{static_cast<std::int64_t>(t) + 1});
  }
}

TEST_CASE("an operating-system thread that a run does not know is turned away") {
  Errc code = Errc::Success;
  sim::run([&] {
    const Stream stream;
    std::thread stranger([&] {
      try {
        stream.synchronize();
      } catch (const Error& error) {
        code = error.code();
      }
    });
    stranger.join();
  });
  CHECK(code == Errc::NotPermitted);
}
