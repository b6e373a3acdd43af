// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include <millrace/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

using namespace millrace;
using namespace millrace::test;
using namespace std::chrono_literals;

TEST_CASE("A bound on runs is kept, and said") {
  sim::ExploreOptions options = untraced();
  options.runs = 10;
  const sim::ExploreReport report = sim::explore(options, [] { writers(2, 4, true); });
  CHECK(report.executions == 10);
  CHECK(!report.complete);
  CHECK(report.bounds_hit == std::vector<std::string>{"the bound of 10 runs"});
  CHECK(report.coverage.starts_with("10 executions, about "));
}

TEST_CASE("A bound on time is kept, and said") {
  sim::ExploreOptions options = untraced();
  options.timeout = 20ms;
  const sim::ExploreReport report = sim::explore(options, [] { writers(4, 8, true); });
  CHECK(!report.complete);
  CHECK(report.bounds_hit == std::vector<std::string>{"the time of 20ms"});
}

TEST_CASE("An execution that is too long is cut off, and that is said") {
  sim::ExploreOptions options = untraced();
  options.max_steps = 5;
  const sim::ExploreReport report = sim::explore(options, [] { writers(2, 4, true); });
  CHECK(!report.complete);
  CHECK(report.executions == 0);
  CHECK(report.bounds_hit == std::vector<std::string>{"an execution was cut off after 5 steps"});
}

TEST_CASE("A bound on operations ends the exploration as it ends a run") {
  sim::ExploreOptions options = untraced();
  options.run.max_operations = 2;
  CHECK_THROWS_AS(sim::explore(options,
                               [] {
                                 Stream stream;
                                 for (int i = 0; i < 3; ++i) stream.launch("k", {}, [] {});
                               }),
                  std::runtime_error);
}

TEST_CASE("A body that does not repeat itself is refused") {
  int turn = 0;
  const auto code = [&] {
    try {
      sim::explore(untraced(), [&turn] { writers(turn++ < 3 ? 2 : 3, 2, true); });
    } catch (const Error& error) {
      return error.code();
    }
    return Errc::Success;
  }();
  CHECK(code == Errc::IllegalState);
}

TEST_CASE("Options that no exploration can have are refused") {
  const auto refuses = [](const sim::ExploreOptions& options) {
    try {
      sim::explore(options, [] {});
    } catch (const Error& error) {
      return error.code() == Errc::InvalidValue;
    }
    return false;
  };
  CHECK(refuses({.strategy = sim::orders{1}}));
  CHECK(refuses({.strategy = sim::orders{5}}));
  CHECK(refuses({.strategy = sim::pct{0}}));
  CHECK(refuses({.max_steps = 0}));
  CHECK(refuses({.timeout = Duration{-1}}));
  CHECK(refuses({.replay = "mr1-nonsense"}));
  CHECK(refuses({.replay = "mr1-0000-0"}));
}
