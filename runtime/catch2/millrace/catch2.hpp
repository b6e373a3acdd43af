// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Catch2 3 matchers for reports of runs. A failure prints the findings with their cures and the
/// line that replays them:
///
///   TEST_CASE("upload is ordered before use") {
///     const auto report = millrace::sim::run({.profile = "h200"}, upload_and_use);
///     CHECK_THAT(report, millrace::is_free_of_findings());
///     CHECK_THAT(report, millrace::runs_before("upload", "use"));
///   }
///
/// Assertions of Catch2 belong to the thread of the test: let bodies write down what they see.

#include <millrace/millrace.hpp>
#include <millrace/testing.hpp>

#include <catch2/catch_assertion_result.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/matchers/catch_matchers_templated.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <utility>

namespace millrace {

namespace catch2_detail {

/// Says how to run a failed test again, in a line of its own that no reporter wraps, and at the end
/// which golden files have changed.
class Listener final : public Catch::EventListenerBase {
 public:
  using Catch::EventListenerBase::EventListenerBase;

  /// A matcher looks at this run.
  static void looks_at(const std::string& replay) { replay_seen() = replay; }

  void assertionEnded(const Catch::AssertionStats& stats) override {
    if (!stats.assertionResult.isOk() && !replay_seen().empty()) replays_.insert(replay_seen());
    replay_seen().clear();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    for (const std::string& replay : replays_) {
      std::cerr << "replay: " << expect::replay_line(replay, stats.testInfo->name) << std::endl;
    }
    replays_.clear();
  }
  void testRunEnded(const Catch::TestRunStats&) override {
    for (const std::filesystem::path& file : expect::updated_golden_files()) {
      std::cerr << "updated " << file.string() << std::endl;
    }
  }

 private:
  static std::string& replay_seen() {
    static std::string replay;
    return replay;
  }

  std::set<std::string> replays_;  // of failed assertions of this test
};

inline const Catch::ListenerRegistrar<Listener> listener{"millrace"};

}  // namespace catch2_detail

/// An expectation as a matcher for reports; works with `&&`, `||` and `!`.
class RunMatcher final : public Catch::Matchers::MatcherGenericBase {
 public:
  explicit RunMatcher(expect::Expectation expectation) : expectation_(std::move(expectation)) {}

  template <expect::RunReport R>
  bool match(const R& report) const {
    outcome_ = expectation_(report);
    catch2_detail::Listener::looks_at(outcome_.replay);
    m_cachedToString.clear();  // a matcher may meet several reports
    return outcome_.ok;
  }

 protected:
  std::string describe() const override {
    if (outcome_.ok) return expectation_.text();
    return expectation_.text() + ": " + outcome_.message();
  }

 private:
  expect::Expectation expectation_;
  mutable expect::Outcome outcome_;
};

// The expectations of <millrace/testing.hpp>, which say what each of them means.
inline RunMatcher is_free_of_findings() { return RunMatcher(expect::is_free_of_findings()); }
inline RunMatcher has_finding(FindingKind kind, std::string object = {}) {
  return RunMatcher(expect::has_finding(kind, std::move(object)));
}
inline RunMatcher has_race_on(std::string object) {
  return RunMatcher(expect::has_race_on(std::move(object)));
}
inline RunMatcher runs_before(std::string first, std::string second) {
  return RunMatcher(expect::runs_before(std::move(first), std::move(second)));
}
inline RunMatcher are_unordered(std::string first, std::string second) {
  return RunMatcher(expect::are_unordered(std::move(first), std::move(second)));
}
inline RunMatcher are_overlapping(std::string first, std::string second) {
  return RunMatcher(expect::are_overlapping(std::move(first), std::move(second)));
}
inline RunMatcher ends_by(Duration limit) { return RunMatcher(expect::ends_by(limit)); }
inline RunMatcher matches_golden(std::filesystem::path file) {
  return RunMatcher(expect::matches_golden(std::move(file)));
}

}  // namespace millrace

/// A report in a failed assertion: what ran, in a few words.
template <millrace::expect::RunReport R>
struct Catch::StringMaker<R> {
  static std::string convert(const R& report) {
    const millrace::Trace& trace = report.trace;
    return "the run (" + trace.producer + "; " + std::to_string(trace.operations.size()) +
           " operations, ends at " + to_string(millrace::Duration{trace.end_ns}) + ")";
  }
};
