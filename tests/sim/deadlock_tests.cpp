// SPDX-License-Identifier: Apache-2.0
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only

namespace {

/// "worker: lock gate behind main: lock": who waits for what, by names.
std::string describe(const Trace& trace, const Blocked& blocked) {
  const auto name_of = [&](TraceIndex call) {
    return trace.object_name(ObjectKind::thread, trace.calls[call].thread) + ": " +
           std::string(to_string(trace.calls[call].kind));
  };
  std::string text =
      blocked.step.is_call ? name_of(blocked.step.index) : trace.describe(blocked.step.index);
  text += " " + trace.object_name(blocked.waits_for, blocked.object);
  if (blocked.behind.exists() && blocked.behind.is_call) {
    text += " behind " + name_of(blocked.behind.index);
  }
  return text;
}

std::vector<std::string> blocked_in(const sim::Report& report) {
  std::vector<std::string> lines;
  for (const Blocked& blocked : report.trace.blocked) {
    lines.push_back(describe(report.trace, blocked));
  }
  return lines;
}

bool is_deadlock(const sim::Report& report) {
  return report.findings.size() == 1 && report.findings[0].kind == FindingKind::deadlock;
}

}  // namespace

TEST_CASE("two locks taken in two orders: the report says who waits for whom") {
  const sim::Report report = sim::run([] {
    sim::mutex first("first");
    sim::mutex second("second");
    sim::thread worker("worker", [&] {
      const std::lock_guard outer(second);
      sim::sleep_for(1us);
      const std::lock_guard inner(first);
    });
    const std::lock_guard outer(first);
    sim::sleep_for(1us);
    const std::lock_guard inner(second);
  });
  CHECK(blocked_in(report) == std::vector<std::string>{"main: lock second behind worker: lock",
                                                       "worker: lock first behind main: lock"});
  CHECK(is_deadlock(report));
  CHECK(report.end_time == Time{1'000});
}

TEST_CASE("a call that never returned is in the trace as blocked") {
  const sim::Report report = sim::run([] {
    sim::mutex lock;
    sim::condition_variable condition;
    std::unique_lock guard(lock);
    condition.wait(guard);
  });
  REQUIRE(report.trace.calls.size() == 3);
  CHECK(report.trace.calls[2].kind == CallKind::await);
  CHECK(report.trace.calls[2].outcome == CallOutcome::blocked);
  CHECK(is_deadlock(report));
}

TEST_CASE("threads that join each other are a deadlock, and are unwound") {
  int unwound = 0;
  struct Count {
    int& count;
    ~Count() { ++count; }
  };
  const sim::Report report = sim::run([&] {
    sim::thread a;
    sim::thread b("b", [&] {
      const Count count{unwound};
      sim::sleep_for(1us);
      a.join();
    });
    a = sim::thread("a", [&] {
      const Count count{unwound};
      b.join();
    });
    sim::sleep_for(2us);
  });
  CHECK(unwound == 2);
  CHECK(is_deadlock(report));
}

TEST_CASE("a deadlock of some threads is one although main has returned") {
  const sim::Report report = sim::run([] {
    static sim::mutex lock("lock");
    sim::thread("holder", [] { lock.lock(); }).detach();
    sim::thread("waiter", [] { lock.lock(); }).detach();
  });
  CHECK(blocked_in(report) == std::vector<std::string>{"waiter: lock lock behind holder: lock"});
}

TEST_CASE("destructors of a deadlocked program leave no trace and find no fault") {
  const sim::Report report = sim::run([] {
    const Buffer<int> data(16, {.name = "data"});
    const Stream stream;
    stream.launch("write", {.writes = {data}});
    sim::mutex lock;
    lock.lock();
    sim::thread waiter([&] { lock.lock(); });
    waiter.join();
  });
  CHECK(is_deadlock(report));
  for (const HostCall& call : report.trace.calls) CHECK(call.kind != CallKind::host_free);
}

TEST_CASE("a body that swallows the end of its run meets it again at the next call") {
  int stopped = 0;
  const sim::Report report = sim::run([&] {
    sim::mutex lock;
    sim::thread waiter([&] {
      for (int i = 0; i < 3; ++i) {
        try {
          lock.lock();
        } catch (...) {
          ++stopped;
        }
      }
    });
    lock.lock();
    waiter.join();
  });
  CHECK(stopped == 3);
  CHECK(is_deadlock(report));
}

TEST_CASE("a deadlock is found without a trace too") {
  const sim::Report report = sim::run({.trace = false}, [] {
    sim::mutex lock;
    lock.lock();
    sim::thread waiter("waiter", [&] { lock.lock(); });
    waiter.join();
  });
  REQUIRE(is_deadlock(report));
  CHECK(report.findings[0].explanation.find("'waiter' waits for a mutex") != std::string::npos);
}

TEST_CASE("polling for what can never happen is a deadlock, not a hang") {
  const sim::Report report = sim::run([] {
    sim::mutex lock;
    lock.lock();
    const Stream stream;
    stream.call("stuck", [&] { lock.lock(); });
    while (!stream.query()) {
    }
  });
  CHECK(is_deadlock(report));
}

TEST_CASE("after a deadlock the next run works") {
  for (int i = 0; i < 200; ++i) {
    const sim::Report stuck = sim::run([] {
      sim::mutex lock;
      lock.lock();
      sim::thread a([&] { lock.lock(); });
      sim::thread b([&] { lock.lock(); });
    });
    REQUIRE(is_deadlock(stuck));
    REQUIRE(sim::run([] { sim::thread a([] { sim::sleep_for(1us); }); }).end_time == Time{1'000});
  }
}
