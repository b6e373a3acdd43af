// SPDX-License-Identifier: Apache-2.0
#include <millrace/explore.hpp>
#include <millrace/millrace.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

using namespace millrace;

namespace {

/// Two streams with so many kernels each that write to one buffer.
Trace race_of(int kernels) {
  return sim::run([kernels] {
           Buffer<int> shared(1, {.name = "A"});
           Stream one(StreamOptions{.name = "one"});
           Stream other(StreamOptions{.name = "other"});
           for (int i = 0; i < kernels; ++i) {
             one.launch("fill", {.writes = {shared}}, [] {});
             other.launch("use", {.reads = {shared}}, [] {});
           }
         })
      .trace;
}

}  // namespace

TEST_CASE("A run without a race has one result in every order") {
  const Trace trace = sim::run([] {
                        Buffer<int> shared(1);
                        Stream one;
                        for (int i = 0; i < 8; ++i) {
                          one.launch("fill", {.updates = {shared}}, [] {});
                        }
                      }).trace;
  sim::Relinearisation orders(trace);
  CHECK(orders.races() == 0);
  const auto results = orders.explore(1000);
  REQUIRE(results.size() == 1);
  CHECK(results[0].orders == 1000);
  CHECK(orders.describe(results[0]).empty());
}

TEST_CASE("A race goes both ways, and the result says which") {
  sim::Relinearisation orders(race_of(1));
  REQUIRE(orders.races() == 1);
  const auto results = orders.explore(100);
  REQUIRE(results.size() == 2);
  std::set<std::string> texts{orders.describe(results[0]), orders.describe(results[1])};
  CHECK(texts == std::set<std::string>{"A: fill before use", "A: use before fill"});
}

TEST_CASE("Races between two streams go in as many ways as the streams' work can be merged") {
  sim::Relinearisation two(race_of(2));
  CHECK(two.races() == 4);
  CHECK(two.explore(2000).size() == 6);
  sim::Relinearisation four(race_of(4));
  CHECK(four.explore(20000).size() == 70);
}

TEST_CASE("What the program orders stays in order") {
  const Trace trace = sim::run([] {
                        Buffer<int> a(1, {.name = "A"});
                        Buffer<int> b(1, {.name = "B"});
                        Stream one;
                        Stream other;
                        one.launch("first", {.writes = {a}}, [] {});
                        other.wait_stream(one);
                        other.launch("second", {.reads = {a}, .writes = {b}}, [] {});
                        one.launch("third", {.reads = {b}}, [] {});
                      }).trace;
  sim::Relinearisation orders(trace);
  CHECK(orders.races() == 1);
  for (const auto& result : orders.explore(500)) {
    CHECK(orders.describe(result).starts_with("B: "));
  }
  CHECK(orders.explore(500).size() == 2);
}
