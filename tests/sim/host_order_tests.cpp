// SPDX-License-Identifier: Apache-2.0
//
// Which host thread goes on when.
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only

namespace {

using Log = std::vector<std::string>;

std::string at(const std::string& what) { return what + " " + to_string(sim::now()); }

}  // namespace

TEST_CASE("a started thread runs when its starter blocks, and main goes on as soon as it can") {
  Log log;
  sim::run([&] {
    sim::thread a([&] { log.emplace_back("a"); });
    sim::thread b([&] { log.emplace_back("b"); });
    log.emplace_back("main");
    a.join();
    log.emplace_back("main again");
  });
  CHECK(log == Log{"main", "a", "main again", "b"});  // main started first
}

TEST_CASE("a thread goes on until it blocks or ends; then the one that started first") {
  Log log;
  sim::run([&] {
    sim::mutex lock;
    const auto body = [&](const std::string& name) {
      for (int i = 0; i < 2; ++i) {
        const std::lock_guard guard(lock);  // free: no reason to switch
        log.push_back(name);
      }
    };
    sim::thread b([&] { body("b"); });
    sim::thread c([&] { body("c"); });
  });
  CHECK(log == Log{"b", "b", "c", "c"});
}

TEST_CASE("virtual time moves only when no host thread can run") {
  Log log;
  sim::run([&] {
    const Stream stream;
    sim::thread worker([&] {
      log.push_back(at("worker"));
      sim::sleep_for(5us);
      log.push_back(at("worker"));
    });
    stream.launch("work", {.cost = 3us});
    stream.synchronize();
    log.push_back(at("main"));
    worker.join();
    log.push_back(at("main"));
  });
  CHECK(log == Log{"worker 0ns", "main 3us", "worker 5us", "main 5us"});
}

TEST_CASE("sleepers wake in order of time, then of start") {
  Log log;
  sim::run([&] {
    const auto sleeper = [&](const std::string& name, Duration time) {
      return [&log, name, time] {
        sim::sleep_for(time);
        log.push_back(at(name));
      };
    };
    sim::thread a(sleeper("a", 3us));
    sim::thread b(sleeper("b", 1us));
    sim::thread c(sleeper("c", 3us));
    sim::thread d(sleeper("d", 2us));
  });
  CHECK(log == Log{"b 1us", "d 2us", "a 3us", "c 3us"});
}

TEST_CASE("what is complete at a time is complete before host steps at that time") {
  sim::run([] {
    const Stream stream;
    sim::thread worker([&] {
      sim::sleep_for(10us);
      CHECK(stream.query());
    });
    stream.launch("work", {.cost = 10us});
    const Event done = stream.record_event();
    sim::sleep_for(10us);
    CHECK(done.query());
    CHECK(sim::now() == Time{10'000});
  });
}

TEST_CASE("threads that wait for one event go on in order of start") {
  Log log;
  sim::run([&] {
    const Stream stream;
    stream.launch("work", {.cost = 10us});
    const Event done = stream.record_event();
    std::vector<sim::thread> threads;
    for (const char* const name : {"a", "b", "c"}) {
      threads.emplace_back([&log, &done, name] {
        done.synchronize();
        log.push_back(at(name));
      });
    }
    stream.synchronize();
    log.push_back(at("main"));
  });
  CHECK(log == Log{"main 10us", "a 10us", "b 10us", "c 10us"});
}

TEST_CASE("a thread that polls lets others go on, then time") {
  Log log;
  sim::run([&] {
    const Stream stream;
    Event done;
    sim::thread worker([&] {
      stream.launch("work", {.cost = 10us});
      done.record(stream);
      log.push_back(at("worker"));
    });
    stream.launch("first", {.cost = 1us});
    while (!stream.query()) {
    }
    log.push_back(at("main"));
  });
  CHECK(log == Log{"worker 0ns", "main 11us"});
}

TEST_CASE("threads that poll for each other's doing both go on") {
  sim::run([] {
    const Stream stream;
    bool ready = false;
    sim::thread worker([&] {
      while (!stream.query()) {
      }
      ready = true;
    });
    stream.launch("work", {.cost = 10us});
    while (!ready) {
      if (stream.query()) sim::sleep_for(1us);
    }
    CHECK(sim::now() == Time{11'000});
  });
}

TEST_CASE("a thread that polls sees every time to which another comes by computing") {
  std::vector<Time> seen;
  sim::run([&] {
    bool done = false;
    const Stream stuck;
    sim::mutex lock;
    lock.lock();
    stuck.call("until the end", [&] { const std::lock_guard guard(lock); });
    sim::thread ticker([&] {
      while (!done) sim::sleep_for(1us);
    });
    while (sim::now() < Time{3'000}) {
      CHECK_FALSE(stuck.query());
      if (seen.empty() || seen.back() != sim::now()) seen.push_back(sim::now());
    }
    done = true;
    lock.unlock();
  });
  CHECK(seen == std::vector{Time{0}, Time{1'000}, Time{2'000}, Time{3'000}});
}

TEST_CASE("a thread's clock starts at its starter's") {
  sim::run([] {
    sim::sleep_for(7us);
    sim::thread worker([] { CHECK(sim::now() == Time{7'000}); });
  });
}
