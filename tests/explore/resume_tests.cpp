// SPDX-License-Identifier: Apache-2.0
#include "../support/scratch.hpp"
#include "programs.hpp"

#include <millrace/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

using namespace millrace;
using namespace millrace::test;

namespace {

/// Explores until it is killed in the midst of its n-th execution.
void explore_and_die(const sim::ExploreOptions& options, int n) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int executions = 0;
    sim::explore(options, [&] {
      if (++executions == n) raise(SIGKILL);
      writers(2, 8, true);
    });
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("An exploration that was killed goes on, and visits each behaviour once all the same") {
  const Scratch scratch;
  sim::ExploreOptions options = untraced();
  options.checkpoint = scratch.path("exploration");
  explore_and_die(options, 5500);
  CHECK(std::filesystem::exists(options.checkpoint));
  int executions = 0;
  const sim::ExploreReport report = sim::explore(options, [&] {
    ++executions;
    writers(2, 8, true);
  });
  CHECK(report.executions == 12870);
  CHECK(report.complete);
  CHECK(executions < 8000);
  CHECK(!std::filesystem::exists(options.checkpoint));
}

TEST_CASE("Every strategy goes on after a bound as if there had been none") {
  const auto strategies = {sim::Strategy{sim::exhaustive{}}, sim::Strategy{sim::orders{3}},
                           sim::Strategy{sim::random_walk{}}, sim::Strategy{sim::pct{3}}};
  for (const sim::Strategy& strategy : strategies) {
    CAPTURE(strategy.index());
    const Scratch scratch;
    const sim::ExploreReport whole = sim::explore(untraced(strategy), lost_update);
    sim::ExploreOptions options = untraced(strategy);
    options.checkpoint = scratch.path("exploration");
    int left = 3;
    const auto killed = [&left] {
      if (--left < 0) throw left;
      lost_update();
    };
    CHECK_THROWS(sim::explore(options, killed));
    const sim::ExploreReport rest = sim::explore(options, lost_update);
    CHECK(rest.executions == whole.executions);
    CHECK(rest.outcomes == whole.outcomes);
    CHECK(rest.coverage == whole.coverage);
  }
}

TEST_CASE("A checkpoint of another program or strategy is refused") {
  const Scratch scratch;
  sim::ExploreOptions options = untraced();
  options.checkpoint = scratch.path("exploration");
  options.runs = 5;
  CHECK(!sim::explore(options, [] { writers(2, 4, true); }).complete);
  const auto refuses = [](const sim::ExploreOptions& with, std::size_t writes) {
    try {
      sim::explore(with, [writes] { writers(2, writes, true); });
    } catch (const Error& error) {
      return error.code() == Errc::InvalidValue;
    }
    return false;
  };
  CHECK(refuses(options, 5));
  sim::ExploreOptions other = options;
  other.strategy = sim::pct{};
  CHECK(refuses(other, 4));
  options.runs = 0;
  CHECK(sim::explore(options, [] { writers(2, 4, true); }).executions == 70);
}
