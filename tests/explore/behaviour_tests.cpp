// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

using namespace millrace;
using namespace millrace::test;

namespace {

/// Executions of an exhaustive exploration, which must be complete.
std::uint64_t behaviours(const std::function<void()>& body) {
  const sim::ExploreReport report = sim::explore(untraced(), body);
  CHECK(report.complete);
  CHECK(report.coverage == "all behaviours seen");
  return report.executions;
}

}  // namespace

TEST_CASE("Threads that write to one thing have as many behaviours as orders of their writes") {
  CHECK(behaviours([] { writers(2, 1, true); }) == 2);
  CHECK(behaviours([] { writers(2, 4, true); }) == 70);
  CHECK(behaviours([] { writers(3, 3, true); }) == 1680);
}

TEST_CASE("Two threads with eight writes each have 12870 behaviours") {
  CHECK(behaviours([] { writers(2, 8, true); }) == 12870);
}

TEST_CASE("Threads that share nothing have one behaviour") {
  CHECK(behaviours([] { writers(2, 8, false); }) == 1);
  CHECK(behaviours([] { writers(4, 4, false); }) == 1);
}

TEST_CASE("Each behaviour is visited once") {
  std::multiset<std::string> seen;
  const std::uint64_t executions = behaviours([&seen] {
    Buffer<int> shared(1, MemoryKind::pinned);
    std::string order;
    const auto write = [&](char self) {
      for (int i = 0; i < 4; ++i) {
        static_cast<void>(shared.write());
        order += self;
      }
    };
    sim::thread one([&] { write('1'); });
    sim::thread other([&] { write('2'); });
    one.join();
    other.join();
    seen.insert(order);
  });
  CHECK(executions == 70);
  // One execution more: the usual one, which tells the program from others.
  CHECK(seen.size() == 71);
  CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == 70);
}

TEST_CASE("Readers of one thing have as many behaviours as places for the writer among them") {
  // Each reader comes before or after the one write.
  CHECK(behaviours([] {
          Buffer<int> shared(1, MemoryKind::pinned);
          sim::thread writer([&] { static_cast<void>(shared.write()); });
          sim::thread first([&] { static_cast<void>(shared.read()); });
          sim::thread second([&] { static_cast<void>(shared.read()); });
          writer.join();
          first.join();
          second.join();
        }) == 4);
}

TEST_CASE("A host thread that fills several streams has one behaviour") {
  CHECK(behaviours([] {
          Stream one;
          Stream other;
          for (int i = 0; i < 4; ++i) {
            one.launch("a", {}, [] {});
            other.launch("b", {}, [] {});
          }
          one.synchronize();
          other.synchronize();
        }) == 1);
}

TEST_CASE("Threads that fill one stream have as many behaviours as orders of what they enqueue") {
  const auto fill = [](bool one_stream) {
    return [one_stream] {
      Stream first;
      Stream second;
      const auto enqueue = [](Stream& stream) {
        for (int i = 0; i < 3; ++i) stream.launch("k", {}, [] {});
      };
      sim::thread one([&] { enqueue(first); });
      sim::thread other([&] { enqueue(one_stream ? first : second); });
      one.join();
      other.join();
    };
  };
  CHECK(behaviours(fill(true)) == 20);
  CHECK(behaviours(fill(false)) == 1);
}

TEST_CASE("Threads take a lock in every order, and nothing else of them matters") {
  CHECK(behaviours([] {
          sim::mutex lock;
          Buffer<int> shared(1, MemoryKind::pinned);
          const auto locked = [&] {
            lock.lock();
            shared.write()[0] = 1;
            shared.write()[0] = 2;
            lock.unlock();
          };
          sim::thread one(locked);
          sim::thread two(locked);
          sim::thread three(locked);
          one.join();
          two.join();
          three.join();
        }) == 6);
}

TEST_CASE("A query of unfinished work has two answers, one of finished work has one") {
  std::set<bool> answers;
  CHECK(behaviours([&answers] {
          Stream stream;
          stream.launch("k", {}, [] {});
          answers.insert(stream.query());
        }) == 2);
  CHECK(answers.size() == 2);
  CHECK(behaviours([] {
          Stream stream;
          stream.launch("k", {}, [] {});
          stream.synchronize();
          CHECK(stream.query());
        }) == 1);
}

TEST_CASE("Who polls is told a bounded number of times that work is not done") {
  std::set<int> asked;
  CHECK(behaviours([&asked] {
          Stream stream;
          stream.launch("k", {}, [] {});
          int times = 1;
          while (!stream.query()) ++times;
          asked.insert(times);
        }) == 3);
  CHECK(asked == std::set<int>{1, 2, 3});
}

TEST_CASE("Host functions of two streams start in either order") {
  std::set<std::string> orders;
  CHECK(behaviours([&orders] {
          Stream one;
          Stream other;
          std::string order;
          one.call("f", [&] { order += 'f'; });
          other.call("g", [&] { order += 'g'; });
          one.synchronize();
          other.synchronize();
          orders.insert(order);
        }) == 2);
  CHECK(orders == std::set<std::string>{"fg", "gf"});
}

TEST_CASE("Host functions of one stream have one order") {
  CHECK(behaviours([] {
          Stream stream;
          stream.call("f", [] {});
          stream.call("g", [] {});
          stream.synchronize();
        }) == 1);
}
