// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The verdict: what a script expects against what its run gave.

#include "check/operations.hpp"
#include "program.hpp"

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace millrace::script {

class Judge {
 public:
  Judge(const Script::Program& program, const Trace& trace, const std::vector<Finding>& findings);

  /// Adds what differs, one sentence each, and the findings that are only known or unexpected.
  void judge(const JudgeOptions& options, Verdict& verdict);

 private:
  // Findings (judge_findings.cpp).
  void judge(const ExpectFinding& expected);
  void judge_unexpected(const JudgeOptions& options, Verdict& verdict);
  void judge_clean();
  [[nodiscard]] bool is_race_between(const ExpectFinding& expected);
  [[nodiscard]] bool matches(const Site& site, OperationName operation);
  [[nodiscard]] bool conflict(TraceIndex first, TraceIndex second, std::string_view object,
                              bool several);
  [[nodiscard]] std::string without_race(const ExpectFinding& expected);
  [[nodiscard]] std::string sites(const Finding& finding);
  [[nodiscard]] std::string name(const Site& site);

  // Order and time (judge_order.cpp).
  void judge(const ExpectOrder& expected);
  void judge(const ExpectTime& expected);
  void judge(const ExpectElapsed& expected);
  /// The last record of an event that completed.
  [[nodiscard]] TraceIndex last_record(std::string_view event) const;

  // Operations by name (judge.cpp).
  [[nodiscard]] std::string_view word(Symbol symbol) const { return program_.word(symbol); }
  [[nodiscard]] checker::OperationName name_of(OperationName operation) const {
    return {word(operation.name), operation.instance};
  }
  [[nodiscard]] std::string text(OperationName operation) const {
    return checker::to_string(name_of(operation));
  }
  [[nodiscard]] TraceIndex find(OperationName operation) {
    return operations_.find(name_of(operation));
  }

  /// "line 9: expected <expected>, but <found>", of the statement that is judged.
  void differ(std::string_view expected, std::string_view found);

  const Script::Program& program_;
  const Trace& trace_;
  const std::vector<Finding>& findings_;
  const Statement* statement_ = nullptr;
  std::vector<std::string>* differences_ = nullptr;
  checker::Operations operations_;
};

/// "line 9: ".
std::string line_prefix(std::uint32_t line);

}  // namespace millrace::script
