// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The loop of an exploration: executions by a plan, what they gave, and the one to report.

#include "execution.hpp"
#include "replay.hpp"
#include "src/profile.hpp"
#include "src/run.hpp"

#include <millrace/explore.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace millrace::sim::exploring {

/// What is explored.
class Program {
 public:
  virtual ~Program() = default;
  /// One execution, as its main host thread.
  virtual void run(Backend& backend) = 0;
  /// What it gave. `findings` are those of the execution.
  struct Judged {
    std::vector<Finding> findings;
    std::string text;  ///< beside what was observed; executions of one text have one outcome
    bool failed = false;
  };
  virtual Judged judge(const Executed& executed) = 0;
};

/// Findings in a few words each.
std::string findings_in_words(const std::vector<Finding>& findings);

class Explorer {
 public:
  /// Throws Error for bad options.
  Explorer(const ExploreOptions& options, Program& program);

  ExploreReport explore();

 private:
  struct Result {
    Executed executed;
    Program::Judged judged;
    std::string text;
    Choices choices;
    bool given_up = false;
    bool cut_off = false;
  };
  /// An outcome, and how to meet it again.
  struct Met {
    Outcome outcome;
    Choices choices;
    std::uint64_t number = 0;
  };

  Result execute(Plan& plan, Execution& execution);
  Result repeat(const Choices& choices);
  Result repeat(const Numbered& numbered);
  ExploreReport replay(const Token& token);
  [[nodiscard]] std::optional<Token> asked_for() const;
  void run_plan();
  bool run_one(Plan& plan, Execution& execution);
  bool is_bound_hit();
  void note(const Result& result);
  void note_bound(const std::string& bound);
  void tell_progress(const Plan& plan);
  [[noreturn]] void leave(const Execution& execution);
  Choices shrink(const Met& met);
  [[nodiscard]] std::string token(const Choices& choices, std::uint64_t number) const;
  void fill(ExploreReport& report, Result&& result, std::string token) const;
  [[nodiscard]] std::string coverage(const Plan& plan) const;

  // explore_checkpoint.cpp
  void save(const Plan& plan) const;
  void load(Plan& plan);
  [[nodiscard]] std::string checkpoint_head() const;

  const ExploreOptions& options_;
  Program& program_;
  Profile profile_;
  std::uint64_t fingerprint_ = 0;
  std::uint64_t runs_;
  std::vector<Met> met_;
  std::uint64_t begun_ = 0;
  ExploreReport report_;
  bool failed_ = false;
  std::int64_t started_ns_;
  std::int64_t told_ns_;
};

}  // namespace millrace::sim::exploring
