// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Exploring a program: not one run, but the others that are as legal. Where host threads take
/// turns, where a query may find work done or not, and where host functions start, another choice
/// is another run; devices do no more than somebody waits for. What follows from the order of
/// kernels and copies needs no exploration: the checker sees it in any one of these runs.

#include <millrace/check.hpp>
#include <millrace/sim.hpp>
#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace millrace::sim {

// NOLINTBEGIN(readability-identifier-naming): strategies read as words
/// Every behaviour once: two runs that differ only in the order of steps that have nothing to do
/// with each other are one behaviour (dynamic partial-order reduction with source and sleep sets).
struct exhaustive {};
/// A family of orders that has, for every `depth` steps that can happen in some order, a run where
/// they do: as many runs as host threads and host functions, times the steps for each depth beyond
/// 2. Queries are answered with "not done" first.
struct orders {
  int depth = 3;  ///< 2 to 4
};
/// Each choice by chance: uniformly, or in proportion to the steps that an actor has left.
struct random_walk {
  bool weighted = true;
};
/// Probabilistic concurrency testing: a bug that needs `depth` steps in some order is met with a
/// probability of at least 1/(n·k^(depth-1)) a run, for n actors and k steps.
struct pct {
  int depth = 3;  ///< 1 to 16
};
// NOLINTEND(readability-identifier-naming)

using Strategy = std::variant<exhaustive, orders, random_walk, pct>;

/// How far an exploration has come.
struct ExploreProgress {
  std::uint64_t executions = 0;
  double fraction = 0;  ///< of all that there is to do, 0 to 1, as estimated so far
  std::size_t outcomes = 0;
};

struct ExploreOptions {
  Options run{};  ///< how each run is simulated; without its trace only deadlocks are findings
  Strategy strategy = exhaustive{};
  std::uint64_t runs = 0;           ///< executions at most; 0: what the strategy needs, or 1000
  std::uint64_t max_steps = 10000;  ///< an execution with more is cut off
  Duration timeout{0};              ///< of real time; 0: none
  bool stop_at_failure = true;      ///< the first outcome that fails ends the exploration
  /// Only this run: a token that an exploration of the same program gave. Else the environment's
  /// MILLRACE_REPLAY, if it is a token of this program.
  std::string replay{};
  /// Where an exploration that hits a bound, or is killed, goes on; removed when it is complete.
  /// Empty: nowhere.
  std::filesystem::path checkpoint{};
  std::function<void(const ExploreProgress&)> progress{};  ///< called about once a second
};

/// A result that executions had.
struct Outcome {
  std::string text;  ///< what its hosts observed, and findings in a few words
  std::string replay;
  std::uint64_t executions = 0;
  bool failed = false;  ///< it has findings

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// What an exploration gave. As a Report it is one of the first run that failed, with as few
/// deviations from the usual order as that needs; where none failed, of the usual one.
struct ExploreReport {
  std::vector<Finding> findings;
  Trace trace;
  Time end_time;
  std::string replay;                   ///< token that repeats this run, at most 24 characters
  std::vector<Outcome> outcomes;        ///< in the order in which they were met
  std::uint64_t executions = 0;         ///< complete ones
  std::uint64_t pruned = 0;             ///< given up, since another execution is their equal
  bool complete = false;                ///< all that the strategy promises was done
  std::string coverage;                 ///< what that is, e.g. "all behaviours seen"
  std::vector<std::string> bounds_hit;  ///< each in words
};

/// Runs `body` again and again, as sim::run would, each time by other choices. It must do the same
/// whenever the same choices are made: Error{IllegalState} says where it did not. An exception of
/// the body ends the exploration and leaves it nested in a std::runtime_error that names the
/// replay token. Bad options, and a token of another program: Error{InvalidValue}. Without a
/// watchdog.
ExploreReport explore(const ExploreOptions& options, const std::function<void()>& body);
ExploreReport explore(const std::function<void()>& body);

/// Says what the calling host thread or host function has seen: executions in which hosts observe
/// different things have different outcomes. Outside of explorations: nothing.
void observe(std::string_view text);

/// A way in which the races of a recorded run can go.
struct Relinearised {
  std::uint64_t turned = 0;  ///< a bit for each race: it went the other way than in the run
  std::uint64_t orders = 0;  ///< so many of those that were tried
};

/// The other orders that the dependencies of one recorded run allow, without running it again: for
/// as long as its host threads do the same. Races are all that such orders differ by; without one
/// there is one result.
class Relinearisation {
 public:
  /// Looks at steps that touch memory, and their first 64 races. More than 4096 steps:
  /// Error{InvalidValue}.
  explicit Relinearisation(const Trace& trace);

  /// Tries so many orders, the run's own first; at most 1024 results.
  [[nodiscard]] std::vector<Relinearised> explore(std::uint64_t orders, std::uint64_t seed = 0);
  [[nodiscard]] std::size_t races() const { return pairs_.size(); }
  /// Who came first in each race, e.g. "A: fill before use".
  [[nodiscard]] std::string describe(const Relinearised& result) const;

 private:
  static constexpr std::size_t most_results = 1024;
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  struct Names {
    std::string first;
    std::string second;
    std::string memory;
  };
  void link(std::size_t steps, const std::function<bool(std::size_t, std::size_t)>& before);
  std::uint64_t next_order(std::uint64_t& chance);

  std::vector<std::uint32_t> predecessors_;  // by step: how many
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> first_;  // by step: its first edge
  std::vector<std::uint32_t> successors_;
  std::vector<Edge> pairs_;  // that race
  std::vector<Names> names_;
  // Of the order that is made.
  std::vector<std::uint32_t> missing_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> place_;
};

/// A script's exploration, judged.
struct ScriptExploreReport {
  /// Not ok: a run has a finding or an error that nothing expects, or what the script expects of
  /// every run holds in none. Times, overlaps and the answers of queries are not judged.
  Verdict verdict;
  ExploreReport report;
};
ScriptExploreReport explore(const Script& script, ExploreOptions options = {.run = {.profile = ""}},
                            const JudgeOptions& judging = {});

}  // namespace millrace::sim
