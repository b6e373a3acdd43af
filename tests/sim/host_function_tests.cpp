// SPDX-License-Identifier: Apache-2.0
//
// Host functions run on a fiber of their device, and may block.
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only

TEST_CASE("a host function takes its device's only server, and later work waits for it") {
  std::vector<std::string> log;
  const sim::Report report = sim::run([&] {
    const Stream first;
    const Stream second;
    const auto function = [&](const std::string& name) {
      return [&log, name] {
        log.push_back(name + " " + to_string(sim::now()));
        sim::sleep_for(20us);
      };
    };
    first.call("a", {.cost = Duration{0}}, function("a"));
    second.call("b", {.cost = Duration{0}}, function("b"));
    first.launch("after a", {.cost = 5us});
    first.synchronize();
    log.push_back("main " + to_string(sim::now()));
  });
  CHECK(log == std::vector<std::string>{"a 0ns", "b 20us", "main 25us"});
  CHECK(report.end_time == Time{40'000});
  REQUIRE(report.trace.threads.size() == 2);
  CHECK(report.trace.string(report.trace.threads[1].name) == "host functions of sim:0");
}

TEST_CASE("each device serves its own host functions") {
  sim::run({.devices = 2}, [] {
    const Stream first(Device{"sim:0"});
    const Stream second(Device{"sim:1"});
    for (const Stream& stream : {first, second}) {
      stream.call("sleep", {.cost = Duration{0}}, [] { sim::sleep_for(10us); });
    }
    first.synchronize();
    second.synchronize();
    CHECK(sim::now() == Time{10'000});
  });
}

TEST_CASE("a host function without duration is done before host steps at its time") {
  sim::run([] {
    const Stream stream;
    bool ran = false;
    stream.call("now", {.cost = Duration{0}}, [&] { ran = true; });
    CHECK(stream.query());
    CHECK(ran);
    CHECK(sim::now() == Time{0});
  });
}

TEST_CASE("host functions and host threads wait for each other's locks and conditions") {
  const sim::Report report = sim::run([] {
    sim::mutex lock;
    sim::condition_variable condition;
    bool asked = false;
    bool answered = false;
    const Stream stream;
    stream.call("answer", {.cost = Duration{0}}, [&] {
      std::unique_lock guard(lock);
      condition.wait(guard, [&] { return asked; });
      answered = true;
      condition.notify_all();
    });
    sim::sleep_for(5us);
    std::unique_lock guard(lock);
    asked = true;
    condition.notify_all();
    condition.wait(guard, [&] { return answered; });
    CHECK(sim::now() == Time{5'000});
  });
  CHECK(report.findings.empty());
}

TEST_CASE("order made inside a host function is tied to its operation, both ways") {
  const sim::Report report = sim::run([] {
    sim::mutex lock;
    Stream{}.call("locks", [&] { const std::lock_guard guard(lock); });
  });
  const Trace& trace = report.trace;
  int into = 0;
  int out_of = 0;
  for (const Dependency& dependency : trace.dependencies) {
    if (dependency.kind != DependencyKind::host_function) continue;
    (dependency.to.is_call ? into : out_of) += 1;
    const Step operation = dependency.to.is_call ? dependency.from : dependency.to;
    CHECK(trace.describe(operation.index) == "locks");
  }
  CHECK(into == 2);
  CHECK(out_of == 2);
}

TEST_CASE("the runtime's calls are refused inside a host function, locks are not") {
  sim::run([] {
    const Stream stream;
    stream.call("forbidden", [&] {
      sim::sleep_for(1us);
      try {
        stream.synchronize();
        FAIL("it waited for itself");
      } catch (const Error& error) {
        CHECK(error.code() == Errc::NotPermitted);
      }
    });
    sim::thread meanwhile([&] {
      sim::sleep_for(500ns);
      CHECK_FALSE(stream.query());  // allowed here, although the function is under way
    });
    stream.synchronize();
  });
}

TEST_CASE("a host function that takes the lock of who waits for it is a deadlock") {
  const sim::Report report = sim::run([] {
    sim::mutex lock("lock");
    const Stream stream({.name = "s"});
    const std::lock_guard guard(lock);
    stream.call("needs the lock", [&] { const std::lock_guard inner(lock); });
    stream.synchronize();
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == FindingKind::deadlock);
  REQUIRE(report.trace.blocked.size() >= 2);
  CHECK(report.trace.blocked[0].waits_for == ObjectKind::stream);
  CHECK(report.trace.blocked[1].waits_for == ObjectKind::mutex);
}

TEST_CASE("an exception of a host function leaves the run") {
  CHECK_THROWS_MATCHES(sim::run([] {
                         const Stream stream;
                         stream.call("bad", [] {
                           sim::sleep_for(1us);
                           throw std::runtime_error("in a host function");
                         });
                         stream.synchronize();
                       }),
                       std::runtime_error, Catch::Matchers::Message("in a host function"));
}

TEST_CASE("a host function that nobody waits for runs before the run ends") {
  int ran = 0;
  sim::run([&] {
    const Stream stream;
    for (int i = 0; i < 100; ++i) stream.call("count", [&] { ++ran; });
  });
  CHECK(ran == 100);
}

TEST_CASE("a host function that waited for a thread comes after it, and so does what follows") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    const Buffer<int> source(64, {.kind = MemoryKind::pinned, .name = "source"});
    const Buffer<int> target(64, {.name = "target"});
    sim::mutex lock;
    sim::condition_variable changed;
    bool told = false;
    sim::thread other([&] {
      sim::sleep_for(5us);
      static_cast<void>(source.write());
      const std::lock_guard<sim::mutex> held(lock);
      told = true;
      changed.notify_one();
    });
    stream.call("wait", [&] {
      std::unique_lock<sim::mutex> held(lock);
      changed.wait(held, [&] { return told; });
    });
    stream.copy(target, source);
    stream.synchronize();
  });
  CHECK(report.findings.empty());
}
