// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

using namespace millrace;
using namespace millrace::test;

namespace {

bool sees(const sim::ExploreReport& report, const std::string& text) {
  return std::ranges::any_of(report.outcomes,
                             [&](const sim::Outcome& outcome) { return outcome.text == text; });
}

/// A bug that needs three steps of two threads in one order: the check, the change, the use.
void checked_too_early() {
  Buffer<int> valid(1, MemoryKind::pinned);
  valid.write()[0] = 1;
  std::string seen = "fine";
  sim::thread user([&] {
    if (valid.read()[0] == 1 && valid.read()[0] == 0) seen = "changed in between";
  });
  sim::thread changer([&] { valid.write()[0] = 0; });
  user.join();
  changer.join();
  sim::observe(seen);
}

}  // namespace

TEST_CASE("Every strategy finds the update that is lost, which the usual run does not") {
  const auto strategies = {sim::Strategy{sim::exhaustive{}}, sim::Strategy{sim::orders{3}},
                           sim::Strategy{sim::random_walk{true}},
                           sim::Strategy{sim::random_walk{false}}, sim::Strategy{sim::pct{2}}};
  for (const sim::Strategy& strategy : strategies) {
    CAPTURE(strategy.index());
    const sim::ExploreReport report = sim::explore(untraced(strategy), lost_update);
    CHECK(report.complete);
    CHECK(report.outcomes.size() == 2);
    CHECK(sees(report, "2"));
    CHECK(sees(report, "1"));
  }
}

TEST_CASE("Orders to depth 3 show what needs three steps in a row, those to depth 2 need not") {
  const sim::ExploreReport three = sim::explore(untraced(sim::orders{3}), checked_too_early);
  CHECK(sees(three, "changed in between"));
  CHECK(three.coverage ==
        "all orders to depth 3 of the usual steps; other executions take other steps");
  const sim::ExploreReport two = sim::explore(untraced(sim::orders{2}), checked_too_early);
  CHECK(!sees(two, "changed in between"));
  CHECK(two.executions < three.executions);
}

TEST_CASE("Orders to a depth are as many executions as actors, times the steps for each beyond 2") {
  const auto executions = [](int depth) {
    const sim::ExploreReport report =
        sim::explore(untraced(sim::orders{depth}), [] { writers(2, 4, true); });
    CHECK(report.coverage == "all orders to depth " + std::to_string(depth));
    return report.executions - 1;  // the usual one
  };
  const std::uint64_t actors = 3;  // with the main thread
  const std::uint64_t steps = (executions(3)) / actors;
  CHECK(executions(2) == actors);
  CHECK(executions(4) == actors * steps * steps);
}

TEST_CASE("Chance repeats itself for the same seed") {
  sim::ExploreOptions options = untraced(sim::random_walk{});
  options.runs = 50;
  options.run.seed = 7;
  const sim::ExploreReport first = sim::explore(options, lost_update);
  const sim::ExploreReport second = sim::explore(options, lost_update);
  CHECK(first.executions == 50);
  CHECK(first.outcomes == second.outcomes);
  CHECK(first.coverage == "50 executions by chance");
}

TEST_CASE("PCT says how likely it is to show a bug") {
  sim::ExploreOptions options = untraced(sim::pct{2});
  options.runs = 10;
  const sim::ExploreReport report = sim::explore(options, [] { writers(2, 4, true); });
  CHECK(report.coverage.starts_with("10 executions, each with a chance of at least 1/(3*"));
}
