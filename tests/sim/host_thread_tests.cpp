// SPDX-License-Identifier: Apache-2.0
#include "../support/code_of.hpp"

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only
using millrace::test::code_of;

namespace {

/// Counts its living instances.
struct Counted {
  explicit Counted(int& alive_) : alive(&alive_) { ++*alive; }
  Counted(const Counted& other) : alive(other.alive) { ++*alive; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive; }
  int* alive;
};

std::size_t count(const Trace& trace, CallKind kind) {
  return static_cast<std::size_t>(std::ranges::count(trace.calls, kind, &HostCall::kind));
}

bool has_dependency(const Trace& trace, DependencyKind kind, CallKind from, CallKind to) {
  return std::ranges::any_of(trace.dependencies, [&](const Dependency& dependency) {
    return dependency.kind == kind && dependency.from.is_call && dependency.to.is_call &&
           trace.calls[dependency.from.index].kind == from &&
           trace.calls[dependency.to.index].kind == to;
  });
}

}  // namespace

TEST_CASE("a run waits for all its host threads, detached ones too") {
  bool ended = false;
  const sim::Report report = sim::run([&] {
    sim::thread detached([&] {
      sim::sleep_for(1ms);
      ended = true;
    });
    detached.detach();
  });
  CHECK(ended);
  CHECK(report.end_time == Time{1'000'000});
}

TEST_CASE("a thread is joined once, by itself never, and by its destructor") {
  sim::run([] {
    sim::thread worker([&worker] { CHECK(code_of([&] { worker.join(); }) == Errc::InvalidValue); });
    sim::thread other([] { sim::sleep_for(1us); });
    CHECK(other.joinable());
    other.join();
    CHECK_FALSE(other.joinable());
    CHECK(code_of([&] { other.join(); }) == Errc::InvalidValue);
    CHECK(code_of([] { sim::thread(std::function<void()>()); }) == Errc::InvalidValue);
  });
}

TEST_CASE("a moved-to thread joins what it held") {
  std::vector<int> log;
  sim::run([&] {
    sim::thread worker([&] { log.push_back(1); });
    worker = sim::thread([&] { log.push_back(2); });
    log.push_back(3);
  });
  CHECK(log == std::vector{1, 3, 2});
}

TEST_CASE("a thread object may outlive its run") {
  sim::thread kept;
  sim::run([&] { kept = sim::thread([] {}); });
  CHECK(kept.joinable());
  sim::run([&] { kept.join(); });
}

TEST_CASE("the current device and the last error are each host thread's own") {
  sim::run({.devices = 2}, [] {
    sim::thread worker([] {
      CHECK(current_device().to_string() == "sim:0");
      set_device(Device{"sim:1"});
      CHECK(code_of([] { Device{"sim:9"}.synchronize(); }) == Errc::InvalidDevice);
      sim::sleep_for(2us);
      CHECK(current_device().to_string() == "sim:1");
      CHECK(last_error() == Errc::InvalidDevice);
    });
    sim::sleep_for(1us);
    CHECK(current_device().to_string() == "sim:0");
    CHECK(last_error() == Errc::Success);
  });
}

TEST_CASE("starting and joining threads is in the trace, and orders") {
  const sim::Report report = sim::run([] {
    sim::thread worker("worker", [] { sim::sleep_for(1us); });
    worker.join();
  });
  const Trace& trace = report.trace;
  REQUIRE(trace.threads.size() == 2);
  CHECK(trace.string(trace.threads[1].name) == "worker");
  CHECK(count(trace, CallKind::start_thread) == 1);
  CHECK(count(trace, CallKind::join_thread) == 1);
  CHECK(
      has_dependency(trace, DependencyKind::thread_start, CallKind::start_thread, CallKind::work));
  CHECK(has_dependency(trace, DependencyKind::thread_join, CallKind::work, CallKind::join_thread));
}

TEST_CASE("threads hand work on without a race") {
  const sim::Report report = sim::run([] {
    const Buffer<int> data(1024, {.name = "data"});
    const Stream first;
    const Stream second;
    first.launch("fill", {.writes = {data}});
    sim::thread worker([&] { first.synchronize(); });
    worker.join();
    second.launch("use", {.reads = {data}});
    second.synchronize();
  });
  CHECK(report.findings.empty());
}

TEST_CASE("a thread without calls still hands on the order of who started it") {
  const sim::Report report = sim::run([] {
    sim::thread idle;
    sim::thread starter([&] {
      sim::sleep_for(1us);
      idle = sim::thread([] {});
    });
    starter.join();
    idle.join();
  });
  std::size_t joins = 0;
  for (const Dependency& dependency : report.trace.dependencies) {
    if (dependency.kind == DependencyKind::thread_join) ++joins;
  }
  CHECK(joins == 2);
}

TEST_CASE("an exception of any host thread ends the run and leaves it") {
  int alive = 0;
  bool went_on = false;
  CHECK_THROWS_MATCHES(sim::run([&] {
                         const Counted in_main(alive);
                         sim::mutex lock;
                         const std::lock_guard guard(lock);
                         sim::thread blocked([&, in_thread = Counted(alive)] {
                           const Counted local(alive);
                           lock.lock();
                         });
                         sim::thread asleep([&] {
                           const Counted local(alive);
                           sim::sleep_for(1h);
                           went_on = true;
                         });
                         sim::thread never_begins([in_thread = Counted(alive)] {});
                         sim::thread bad([&] {
                           const Counted local(alive);
                           sim::sleep_for(1us);
                           throw std::runtime_error("from a thread");
                         });
                         Stream{}.launch("long", {.cost = 1min});
                         Device{"sim:0"}.synchronize();
                         went_on = true;
                       }),
                       std::runtime_error, Catch::Matchers::Message("from a thread"));
  CHECK(alive == 0);
  CHECK_FALSE(went_on);
}

TEST_CASE("the first of several exceptions wins") {
  CHECK_THROWS_MATCHES(sim::run([] {
                         sim::thread second([] {
                           struct Thrower {
                             ~Thrower() noexcept(false) {}
                           };
                           try {
                             sim::sleep_for(1ms);
                           } catch (const std::exception&) {
                           }
                         });
                         sim::thread first([] { throw std::runtime_error("first"); });
                         first.join();
                         throw std::runtime_error("second");
                       }),
                       std::runtime_error, Catch::Matchers::Message("first"));
}

TEST_CASE("an exception of main reaches threads that use what main owns before it is gone") {
  bool alive_in_thread = false;
  CHECK_THROWS_AS(sim::run([&] {
                    struct Owned {
                      bool alive = true;
                      ~Owned() { alive = false; }
                    } owned;
                    sim::thread user([&] {
                      struct AtEnd {
                        Owned& owned;
                        bool& out;
                        ~AtEnd() { out = owned.alive; }
                      } at_end{owned, alive_in_thread};
                      sim::sleep_for(1h);
                    });
                    sim::sleep_for(1us);
                    throw std::runtime_error("main");
                  }),
                  std::runtime_error);
  CHECK(alive_in_thread);
}

TEST_CASE("threads block while they handle exceptions, and keep their own apart") {
  std::vector<std::string> log;
  sim::run([&] {
    const auto body = [&](const std::string& name, Duration pause) {
      return [&log, name, pause] {
        try {
          throw std::runtime_error(name);
        } catch (const std::runtime_error& error) {
          sim::sleep_for(pause);
          try {
            throw;  // what is being handled belongs to this thread
          } catch (const std::runtime_error& again) {
            log.emplace_back(again.what());
          }
          CHECK(std::uncaught_exceptions() == 0);
        }
      };
    };
    sim::thread a(body("a", 3us));
    sim::thread b(body("b", 1us));
    sim::thread c(body("c", 2us));
  });
  CHECK(log == std::vector<std::string>{"b", "c", "a"});
}

TEST_CASE("a destructor may block while an exception unwinds its thread") {
  std::vector<int> uncaught;
  sim::run([&] {
    struct Sleeper {
      std::vector<int>& out;
      ~Sleeper() {
        sim::sleep_for(5us);
        out.push_back(std::uncaught_exceptions());
      }
    };
    sim::thread a([&] {
      try {
        const Sleeper sleeper{uncaught};
        throw 1;
      } catch (int) {
      }
    });
    sim::thread b([&] {
      sim::sleep_for(1us);
      uncaught.push_back(std::uncaught_exceptions());
    });
  });
  CHECK(uncaught == std::vector{0, 1});
}

TEST_CASE("many short threads one after another, and many at once") {
  int ran = 0;
  const sim::Report report = sim::run([&] {
    for (int i = 0; i < 2000; ++i) sim::thread([&] { ++ran; }).join();
    std::vector<sim::thread> threads;
    for (int i = 0; i < 500; ++i) {
      threads.emplace_back([&] {
        sim::sleep_for(1us);
        ++ran;
      });
    }
  });
  CHECK(ran == 2500);
  CHECK(report.findings.empty());
}

TEST_CASE("runs with threads repeat bit by bit, also after runs that failed") {
  const auto body = [] {
    sim::mutex lock("lock");
    const Stream stream;
    std::vector<sim::thread> threads;
    for (int i = 0; i < 5; ++i) {
      threads.emplace_back([&, i] {
        const std::lock_guard guard(lock);
        stream.launch("work", {.cost = Duration{1000 * (i + 1)}});
        stream.synchronize();
      });
    }
  };
  const Trace first = sim::run(body).trace;
  for (int i = 0; i < 50; ++i) {
    CHECK_THROWS_AS(sim::run([] {
                      sim::thread bad([] { throw 1; });
                      sim::sleep_for(1s);
                    }),
                    int);
    REQUIRE(sim::run(body).trace == first);
  }
}
