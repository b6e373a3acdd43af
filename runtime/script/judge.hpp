// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The verdict: what a script expects against what its run gave.

#include "program.hpp"

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace millrace::script {

class Judge {
 public:
  Judge(const Script::Program& program, const Trace& trace, const std::vector<Finding>& findings);

  /// Adds what differs, one sentence each, and the findings that are only known.
  void judge(const JudgeOptions& options, Verdict& verdict);

 private:
  // Findings (judge_findings.cpp).
  void judge(const ExpectFinding& expected);
  void judge_unexpected(const JudgeOptions& options, std::vector<Finding>& only_known);
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
  [[nodiscard]] std::string why_not_before(OperationName first, OperationName second);
  [[nodiscard]] std::string span(TraceIndex operation) const;
  /// The last record of an event that completed.
  [[nodiscard]] TraceIndex last_record(std::string_view event) const;

  // Operations by name (judge.cpp).
  [[nodiscard]] std::string_view word(Symbol symbol) const { return program_.word(symbol); }
  [[nodiscard]] std::string text(OperationName operation) const;
  [[nodiscard]] const std::vector<TraceIndex>& instances(std::string_view name);
  [[nodiscard]] TraceIndex find(OperationName operation);
  /// Why there is no such operation in the run.
  [[nodiscard]] std::string missing(OperationName operation);
  /// Both operations; says what is missing and gives nothing when one is not there.
  struct Pair {
    TraceIndex first = none;
    TraceIndex second = none;
  };
  [[nodiscard]] std::optional<Pair> find(OperationName first, OperationName second,
                                         std::string_view expected);
  [[nodiscard]] bool before(TraceIndex first, TraceIndex second);

  /// "line 9: expected <expected>, but <found>", of the statement that is judged.
  void differ(std::string_view expected, std::string_view found);

  const Script::Program& program_;
  const Trace& trace_;
  const std::vector<Finding>& findings_;
  const Statement* statement_ = nullptr;
  std::vector<std::string>* differences_ = nullptr;
  std::optional<OrderRelation> order_;
  bool indexed_ = false;  ///< whether `operations_` is made
  std::unordered_map<std::string_view, std::vector<TraceIndex>> operations_;
};

/// "line 9: ".
std::string line_prefix(std::uint32_t line);

}  // namespace millrace::script
