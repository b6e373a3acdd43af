// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What tests expect of runs, for any test framework. <millrace/catch2.hpp> makes Catch2 matchers
/// of it; with GoogleTest
///
///   const auto outcome = millrace::expect::is_free_of_findings()(report);
///   EXPECT_TRUE(outcome) << outcome;
///
/// and with doctest `CHECK_MESSAGE(outcome, outcome)`. Frameworks are not asked to be safe from
/// several threads: the bodies of a run write down what they see, and the test asserts afterwards.

#include <millrace/check.hpp>
#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::expect {

/// What is known of a run: of a simulated one its sim::Report.
template <typename T>
concept RunReport = requires(const T& report) {
  { report.trace } -> std::convertible_to<const Trace&>;
  { report.findings } -> std::convertible_to<const std::vector<Finding>&>;
  { report.replay } -> std::convertible_to<std::string_view>;
};

/// Whether a run is as expected.
struct Outcome {
  bool ok = true;
  std::string difference;  ///< what is not, in lines, with findings and their cures; empty when ok
  std::string replay;      ///< token that repeats the run

  explicit operator bool() const { return ok; }
  /// The difference and the line that runs the test of that name again; empty when ok.
  [[nodiscard]] std::string message(std::string_view test = {}) const;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome);
};

/// Something that a test expects of a run. Operations are meant by their name: `"use"` is the last
/// one of that name, `"use#2"` the second.
class Expectation {
 public:
  /// What an expectation looks at.
  struct Run {
    const Trace& trace;
    const std::vector<Finding>& findings;
  };
  /// Says what differs, nothing where nothing does.
  using Judge = std::function<std::string(const Run&)>;

  /// `text` continues "the run …", e.g. "is free of findings".
  Expectation(std::string text, Judge judge) : text_(std::move(text)), judge_(std::move(judge)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  template <RunReport R>
  [[nodiscard]] Outcome operator()(const R& report) const {
    return outcome({report.trace, report.findings}, report.replay);
  }

 private:
  [[nodiscard]] Outcome outcome(const Run& run, std::string_view replay) const;

  std::string text_;
  Judge judge_;
};

/// No finding at all. A run without a trace, or whose trace does not say what orders what, is not
/// known to be free of findings.
Expectation is_free_of_findings();
/// At least one finding of this kind, on the object of that name unless `object` is empty.
Expectation has_finding(FindingKind kind, std::string object = {});
Expectation has_race_on(std::string object);

/// `first` ends before `second` starts in every legal run in which the host acts as in this one.
Expectation runs_before(std::string first, std::string second);
/// Neither runs before the other.
Expectation are_unordered(std::string first, std::string second);
/// The two ran at the same time in this run.
Expectation are_overlapping(std::string first, std::string second);
/// All work, that of the host included, is done so long after the start, or earlier.
Expectation ends_by(Duration limit);

/// The run's golden_text() is what the file holds. With MILLRACE_UPDATE_GOLDEN set to anything but
/// `0` the file takes the run's text first: read the difference before you commit it.
Expectation matches_golden(std::filesystem::path file);

/// A run in lines to keep under version control and compare: for each stream its operations with
/// their times, the memory that they touch and what they waited for, for each host thread the calls
/// that waited, asked, failed or touched memory, and the findings. Where in the sources calls stand
/// does not show.
std::string golden_text(const Trace& trace, const std::vector<Finding>& findings);
/// The golden files that this process has changed, in order.
std::vector<std::filesystem::path> updated_golden_files();

/// `MILLRACE_REPLAY=TOKEN ctest -R 'TEST'`, safe to paste into a shell.
std::string replay_line(std::string_view token, std::string_view test);

}  // namespace millrace::expect
