// SPDX-License-Identifier: Apache-2.0
//
// Boost.Fiber's own primitives inside runs.
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <boost/fiber/buffered_channel.hpp>
#include <boost/fiber/condition_variable.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/future.hpp>
#include <boost/fiber/mutex.hpp>
#include <boost/fiber/operations.hpp>
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only

TEST_CASE("host threads use Boost.Fiber's mutexes and futures") {
  std::vector<std::string> log;
  sim::run([&] {
    boost::fibers::mutex lock;
    boost::fibers::promise<int> promise;
    boost::fibers::future<int> future = promise.get_future();
    sim::thread worker([&] {
      const std::lock_guard guard(lock);
      const int value = future.get();
      log.push_back("worker " + std::to_string(value) + " " + to_string(sim::now()));
    });
    sim::sleep_for(3us);
    promise.set_value(42);
    sim::thread second([&] {
      const std::lock_guard guard(lock);
      log.push_back("second " + to_string(sim::now()));
    });
  });
  CHECK(log == std::vector<std::string>{"worker 42 3us", "second 3us"});
}

TEST_CASE("time goes on when all host threads block in Boost.Fiber's primitives") {
  sim::run([] {
    boost::fibers::promise<Time> promise;
    boost::fibers::future<Time> future = promise.get_future();
    const Stream stream;
    stream.launch("work", {.cost = 10us});
    stream.call("done", {.cost = Duration{0}}, [&] { promise.set_value(sim::now()); });
    CHECK(future.get() == Time{10'000});
    CHECK(sim::now() == Time{10'000});
  });
}

TEST_CASE("fibers that the program makes itself are host threads of the run") {
  std::vector<std::string> log;
  const sim::Report report = sim::run({.devices = 2}, [&] {
    set_device(Device{"sim:1"});
    const auto body = [&](const std::string& name) {
      return [&log, name] {
        CHECK(current_device().to_string() == "sim:0");
        sim::sleep_for(2us);
        log.push_back(name + " " + to_string(sim::now()));
      };
    };
    boost::fibers::fiber posted(body("posted"));
    boost::fibers::fiber dispatched(boost::fibers::launch::dispatch, body("dispatched"));
    CHECK(current_device().to_string() == "sim:1");
    posted.join();
    dispatched.join();
    log.push_back("main " + to_string(sim::now()));
  });
  CHECK(log == std::vector<std::string>{"posted 2us", "dispatched 2us", "main 2us"});
  CHECK(report.trace.threads.size() == 3);
}

TEST_CASE("a fiber's start and its waking of others order") {
  const sim::Report report = sim::run([] {
    const Buffer<int> data(16, {.name = "data"});
    const Stream first;
    const Stream second;
    first.launch("write", {.writes = {data}});
    boost::fibers::fiber fiber([&] { first.synchronize(); });
    fiber.join();
    second.launch("read", {.reads = {data}});
    second.synchronize();
  });
  CHECK(report.findings.empty());
}

TEST_CASE("a host thread that yields lets others, then time, go on") {
  sim::run([] {
    const Stream stream;
    bool done = false;
    stream.launch("work", {.cost = 10us}, [&] { done = true; });
    while (!done) boost::this_fiber::yield();
    CHECK(sim::now() == Time{10'000});
  });
}

TEST_CASE("a channel between host threads") {
  sim::run([] {
    boost::fibers::buffered_channel<int> channel(4);
    sim::thread producer([&] {
      for (int i = 0; i < 100; ++i) {
        sim::sleep_for(1us);
        channel.push(i);
      }
      channel.close();
    });
    int sum = 0;
    for (const int value : channel) sum += value;
    CHECK(sum == 4950);
    CHECK(sim::now() == Time{100'000});
  });
}

TEST_CASE("an exception elsewhere frees those whom it owes a value") {
  bool broken = false;
  CHECK_THROWS_AS(sim::run([&] {
                    boost::fibers::future<int> future;
                    sim::thread waiter([&] {
                      try {
                        future.get();
                      } catch (const boost::fibers::broken_promise&) {
                        broken = true;
                      }
                    });
                    boost::fibers::promise<int> promise;
                    future = promise.get_future();
                    sim::sleep_for(1us);
                    throw std::runtime_error("main");
                  }),
                  std::runtime_error);
  CHECK(broken);
}

TEST_CASE("fibers made before a run wait for its end, and go on after it") {
  std::vector<std::string> log;
  boost::fibers::fiber before([&] { log.emplace_back("before"); });
  sim::run([&] {
    sim::thread worker([&] { log.emplace_back("worker"); });
    worker.join();
  });
  log.emplace_back("after");
  before.join();
  CHECK(log == std::vector<std::string>{"worker", "after", "before"});
}

TEST_CASE("a run may begin inside a fiber of the program") {
  Time end;
  boost::fibers::fiber caller([&] {
    end = sim::run([] {
            sim::thread worker([] { sim::sleep_for(5us); });
            Stream{}.launch("work", {.cost = 3us});
          }).end_time;
  });
  caller.join();
  CHECK(end == Time{5'000});
}
