// SPDX-License-Identifier: Apache-2.0
#include "../support/code_of.hpp"

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only
using millrace::test::code_of;

namespace {

std::vector<CallKind> kinds_of(const Trace& trace, TraceIndex thread) {
  std::vector<CallKind> kinds;
  for (const HostCall& call : trace.calls) {
    if (call.thread == thread) kinds.push_back(call.kind);
  }
  return kinds;
}

std::size_t count(const Trace& trace, DependencyKind kind) {
  return static_cast<std::size_t>(std::ranges::count(trace.dependencies, kind, &Dependency::kind));
}

}  // namespace

TEST_CASE("a sim::mutex lets one in at a time, first come, first served") {
  std::vector<int> order;
  int inside = 0;
  sim::run([&] {
    sim::mutex lock;
    std::vector<sim::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        sim::sleep_for(Duration{4 - i});  // they come in reverse order
        const std::lock_guard guard(lock);
        CHECK(++inside == 1);
        sim::sleep_for(1us);
        order.push_back(i);
        --inside;
      });
    }
  });
  CHECK(order == std::vector{3, 2, 1, 0});
}

TEST_CASE("a lock by a guard claims no place in the standard library") {
  const sim::Report report = sim::run([] {
    sim::mutex lock;
    const std::lock_guard guard(lock);
  });
  for (const HostCall& call : report.trace.calls) {
    if (call.object_kind != ObjectKind::mutex) continue;
    CHECK(report.trace.string(call.file).empty());
    CHECK(call.line == 0);
  }
  CHECK(std::ranges::count(report.trace.calls, CallKind::lock, &HostCall::kind) == 1);
}

TEST_CASE("a released lock goes to who waits, not to who asks next") {
  std::vector<std::string> order;
  sim::run([&] {
    sim::mutex lock;
    lock.lock();
    sim::thread waiter([&] {
      const std::lock_guard guard(lock);
      order.emplace_back("waiter");
    });
    sim::sleep_for(1us);
    lock.unlock();
    lock.lock();
    order.emplace_back("main");
    lock.unlock();
  });
  CHECK(order == std::vector<std::string>{"waiter", "main"});
}

TEST_CASE("trying a lock never blocks") {
  sim::run([] {
    sim::mutex lock;
    REQUIRE(lock.try_lock());
    sim::thread other([&] { CHECK_FALSE(lock.try_lock()); });
    other.join();
    CHECK_FALSE(lock.try_lock());
    lock.unlock();
    const std::unique_lock guard(lock, std::try_to_lock);
    CHECK(guard.owns_lock());
  });
}

TEST_CASE("locking twice and unlocking what another holds are errors that say so") {
  sim::run([] {
    sim::mutex lock("gate");
    CHECK(code_of([&] { lock.unlock(); }) == Errc::NotPermitted);
    const std::lock_guard guard(lock);
    try {
      lock.lock();
      FAIL("it waited for itself");
    } catch (const Error& error) {
      CHECK(error.code() == Errc::InvalidValue);
      CHECK(std::string(error.what()).find("mutex 'gate'") != std::string::npos);
    }
    sim::thread other("other",
                      [&] { CHECK(code_of([&] { lock.unlock(); }) == Errc::NotPermitted); });
    other.join();
  });
}

TEST_CASE("a mutex may outlive its run, even locked") {
  sim::mutex lock;
  for (int i = 0; i < 3; ++i) {
    sim::run([&] {
      lock.lock();
      sim::thread other([&] { CHECK_FALSE(lock.try_lock()); });
    });
  }
}

TEST_CASE("locks are in the trace, and order by the unlock before") {
  const sim::Report report = sim::run([] {
    sim::mutex lock("gate");
    const auto body = [&] {
      const std::lock_guard guard(lock);
      sim::sleep_for(1us);
    };
    sim::thread a(body);
    sim::thread b(body);
  });
  const Trace& trace = report.trace;
  REQUIRE(trace.mutexes.size() == 1);
  CHECK(trace.string(trace.mutexes[0].name) == "gate");
  CHECK(kinds_of(trace, 1) == std::vector{CallKind::lock, CallKind::work, CallKind::unlock});
  CHECK(count(trace, DependencyKind::lock) == 1);
}

TEST_CASE("a condition variable wakes who has waited longest, or all") {
  std::vector<std::string> log;
  sim::run([&] {
    sim::mutex lock;
    sim::condition_variable condition;
    const auto waiter = [&](const std::string& name, Duration after) {
      return [&log, &lock, &condition, name, after] {
        sim::sleep_for(after);
        std::unique_lock guard(lock);
        condition.wait(guard);
        CHECK(guard.owns_lock());
        log.push_back(name);
      };
    };
    sim::thread a(waiter("a", 3us));
    sim::thread b(waiter("b", 2us));
    sim::thread c(waiter("c", 1us));
    sim::sleep_for(10us);
    condition.notify_one();
    sim::sleep_for(10us);
    log.emplace_back("-");
    condition.notify_all();
    condition.notify_one();  // nobody left
  });
  CHECK(log == std::vector<std::string>{"c", "-", "a", "b"});
}

TEST_CASE("a bounded queue between two host threads works and repeats") {
  const auto body = [] {
    sim::mutex lock;
    sim::condition_variable changed("queue");
    std::deque<int> queue;
    std::vector<int> received;
    sim::thread producer([&] {
      for (int i = 0; i < 20; ++i) {
        std::unique_lock guard(lock);
        changed.wait(guard, [&] { return queue.size() < 3; });
        queue.push_back(i);
        changed.notify_all();
      }
    });
    sim::thread consumer([&] {
      while (received.size() < 20) {
        std::unique_lock guard(lock);
        changed.wait(guard, [&] { return !queue.empty(); });
        received.push_back(queue.front());
        queue.pop_front();
        changed.notify_all();
        sim::sleep_for(1us);
      }
    });
    consumer.join();
    CHECK(std::ranges::is_sorted(received));
  };
  const sim::Report report = sim::run(body);
  CHECK(report.findings.empty());
  CHECK(sim::run(body).trace == report.trace);
}

TEST_CASE("a wait with a time limit ends by notification or in virtual time") {
  sim::run([] {
    sim::mutex lock;
    sim::condition_variable condition;
    sim::thread notifier([&] {
      sim::sleep_for(5us);
      condition.notify_one();
    });
    std::unique_lock guard(lock);
    CHECK_FALSE(condition.wait_for(guard, 3us));
    CHECK(sim::now() == Time{3'000});
    CHECK(guard.owns_lock());
    CHECK(condition.wait_for(guard, 3us));
    CHECK(sim::now() == Time{5'000});
    CHECK_FALSE(condition.wait_for(guard, Duration{-1}));
    CHECK(sim::now() == Time{5'000});
  });
}

TEST_CASE("a wait for longer than a run can be is a wait for ever") {
  const sim::Report report = sim::run([] {
    sim::mutex lock;
    sim::condition_variable condition("never");
    std::unique_lock guard(lock);
    sim::sleep_for(1us);
    condition.wait_for(guard, Duration{Time::never().ns});
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::deadlock);
}

TEST_CASE("waiting needs the lock") {
  sim::run([] {
    sim::mutex lock;
    sim::condition_variable condition;
    std::unique_lock<sim::mutex> guard(lock, std::defer_lock);
    CHECK(code_of([&] { condition.wait(guard); }) == Errc::InvalidValue);
    std::unique_lock<sim::mutex> nothing;
    CHECK(code_of([&] { condition.wait(nothing); }) == Errc::InvalidValue);
  });
}

TEST_CASE("a wait is in the trace as unlock, await and lock, its notification as a raise") {
  const sim::Report report = sim::run([] {
    sim::mutex lock;
    sim::condition_variable condition("ready");
    sim::thread waiter([&] {
      std::unique_lock guard(lock);
      condition.wait(guard);
    });
    sim::sleep_for(1us);
    condition.notify_one();
  });
  const Trace& trace = report.trace;
  REQUIRE(trace.signals.size() == 1);
  CHECK(trace.string(trace.signals[0].name) == "ready");
  CHECK(kinds_of(trace, 1) == std::vector{CallKind::lock, CallKind::unlock, CallKind::await,
                                          CallKind::lock, CallKind::unlock});
  CHECK(kinds_of(trace, 0) == std::vector{CallKind::start_thread, CallKind::work, CallKind::raise,
                                          CallKind::join_thread});
  CHECK(count(trace, DependencyKind::signal) == 1);
}

TEST_CASE("operations' bodies take no part in host threads' order") {
  sim::run([] {
    sim::mutex lock;
    const Stream stream;
    stream.launch("kernel", {}, [&] {
      CHECK(code_of([&] { lock.lock(); }) == Errc::NotPermitted);
      CHECK(code_of([] { sim::sleep_for(1us); }) == Errc::NotPermitted);
      CHECK(code_of([] { sim::thread([] {}); }) == Errc::NotPermitted);
      CHECK(sim::now() == Time{10'000});
    });
    stream.synchronize();
  });
}

TEST_CASE("threads pass a ball a hundred thousand times") {
  const sim::Report report = sim::run({.trace = false}, [] {
    sim::mutex lock;
    sim::condition_variable passed;
    int ball = 0;
    const auto player = [&](int me) {
      return [&, me] {
        std::unique_lock guard(lock);
        while (ball < 100'000) {
          passed.wait(guard, [&] { return ball % 2 == me || ball >= 100'000; });
          ++ball;
          passed.notify_one();
        }
      };
    };
    sim::thread a(player(0));
    sim::thread b(player(1));
  });
  CHECK(report.findings.empty());
}
