// SPDX-License-Identifier: Apache-2.0
//
// Deadlocks that a run was spared. No run here is stuck.
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace millrace::test {
namespace {

std::vector<Finding> findings_of(const std::function<void()>& body) {
  const sim::Report report = sim::run(body);
  CHECK(report.trace.blocked.empty());
  return report.findings;
}

bool may_deadlock(const std::function<void()>& body) {
  const std::vector<Finding> findings = findings_of(body);
  for (const Finding& finding : findings) CHECK(finding.kind == FindingKind::deadlock);
  return !findings.empty();
}

/// Two host threads that each take two locks.
struct Locks {
  sim::mutex a{"a"};
  sim::mutex b{"b"};
  sim::mutex gate{"gate"};

  static void both(sim::mutex& first, sim::mutex& second) {
    const std::lock_guard outer(first);
    const std::lock_guard inner(second);
  }
};

}  // namespace

TEST_CASE("two orders of two locks may deadlock, and the finding tells how") {
  const std::vector<Finding> findings = findings_of([] {
    Locks locks;
    sim::thread worker("worker", [&] { Locks::both(locks.b, locks.a); });
    Locks::both(locks.a, locks.b);
  });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::deadlock);
  CHECK(findings[0].object.empty());
  CHECK(findings[0].schedule_dependent);
  CHECK(findings[0].explanation.find("thread main holds mutex a (") != std::string::npos);
  CHECK(findings[0].explanation.find("and wants mutex b (") != std::string::npos);
  CHECK(findings[0].explanation.find("thread worker holds mutex b (") != std::string::npos);
  CHECK(findings[0].fix.find("same order") != std::string::npos);
}

TEST_CASE("one order of locks is right") {
  CHECK_FALSE(may_deadlock([] {
    Locks locks;
    sim::thread worker([&] { Locks::both(locks.a, locks.b); });
    Locks::both(locks.a, locks.b);
  }));
}

TEST_CASE("two orders are right where a lock around them, or the program, keeps them apart") {
  CHECK_FALSE(may_deadlock([] {
    Locks locks;
    const auto guarded = [&](sim::mutex& first, sim::mutex& second) {
      const std::lock_guard gate(locks.gate);
      Locks::both(first, second);
    };
    sim::thread worker([&] { guarded(locks.b, locks.a); });
    guarded(locks.a, locks.b);
  }));
  CHECK_FALSE(may_deadlock([] {
    Locks locks;
    sim::thread worker([&] { Locks::both(locks.b, locks.a); });
    worker.join();
    Locks::both(locks.a, locks.b);
  }));
  CHECK_FALSE(may_deadlock([] {  // one thread alone
    Locks locks;
    Locks::both(locks.b, locks.a);
    Locks::both(locks.a, locks.b);
  }));
}

TEST_CASE("a lock that is only tried never waits") {
  CHECK_FALSE(may_deadlock([] {
    Locks locks;
    sim::thread worker([&] { Locks::both(locks.b, locks.a); });
    const std::lock_guard outer(locks.a);
    if (locks.b.try_lock()) locks.b.unlock();
  }));
  CHECK_FALSE(may_deadlock([] {
    Locks locks;
    sim::thread worker([&] { const std::scoped_lock both(locks.b, locks.a); });
    const std::scoped_lock both(locks.a, locks.b);
  }));
}

TEST_CASE("a lock that was tried is held like any other") {
  CHECK(may_deadlock([] {
    Locks locks;
    sim::thread worker([&] { Locks::both(locks.b, locks.a); });
    REQUIRE(locks.a.try_lock());
    locks.b.lock();
    locks.b.unlock();
    locks.a.unlock();
  }));
}

TEST_CASE("a host function that takes a lock under which the host may wait for it") {
  const auto program = [](bool under_lock) {
    return [under_lock] {
      Locks locks;
      const Stream stream({.name = "stream"});
      stream.call("log", [&] { const std::lock_guard guard(locks.a); });
      sim::sleep_for(std::chrono::milliseconds(1));  // it has run: by luck
      if (!under_lock) stream.synchronize();
      locks.a.lock();
      if (under_lock) stream.synchronize();
      locks.a.unlock();
    };
  };
  const std::vector<Finding> findings = findings_of(program(true));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::deadlock);
  CHECK(findings[0].explanation.find("for log (") != std::string::npos);
  CHECK_FALSE(may_deadlock(program(false)));
}

TEST_CASE("a cycle through a host thread, a host function and another host thread") {
  CHECK(may_deadlock([] {
    Locks locks;
    const Stream stream({.name = "stream"});
    stream.call("log", [&] { const std::lock_guard guard(locks.b); });
    sim::thread worker([&] { Locks::both(locks.b, locks.a); });
    sim::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard guard(locks.a);
    stream.synchronize();
  }));
}

}  // namespace millrace::test
