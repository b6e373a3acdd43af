// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <type_traits>
#include <utility>

namespace millrace::script {

std::string line_prefix(std::uint32_t line) { return "line " + std::to_string(line) + ": "; }

Judge::Judge(const Script::Program& program, const Trace& trace,
             const std::vector<Finding>& findings)
    : program_(program), trace_(trace), findings_(findings), operations_(trace) {}

void Judge::judge(const JudgeOptions& options, Verdict& verdict) {
  differences_ = &verdict.differences;
  for (const Statement& statement : program_.statements) {
    statement_ = &statement;
    std::visit(
        [&](const auto& what) {
          using Kind = std::decay_t<decltype(what)>;
          if constexpr (std::is_same_v<Kind, ExpectTime> || std::is_same_v<Kind, ExpectElapsed>) {
            if (options.times) judge(what);
          } else if constexpr (std::is_same_v<Kind, ExpectOrder>) {
            if (options.times || what.order != Order::overlaps) judge(what);
          } else if constexpr (std::is_same_v<Kind, ExpectFinding>) {
            judge(what);
          }
        },
        statement.kind);
  }
  judge_clean();
  judge_unexpected(options, verdict);
}

void Judge::differ(std::string_view expected, std::string_view found) {
  std::string difference = line_prefix(statement_->line) + "expected ";
  difference.append(expected).append(", but ").append(found);
  differences_->push_back(std::move(difference));
}

}  // namespace millrace::script

namespace millrace {

Verdict judge(const Script& script, const ScriptRun& run, const Trace& trace,
              const JudgeOptions& options) {
  Verdict verdict;
  verdict.unsupported = run.unsupported;
  if (!verdict.unsupported.empty()) return verdict;
  for (const ScriptRun::Failure& failure : run.failures) {
    verdict.differences.push_back(script::line_prefix(failure.line) + failure.message);
  }
  verdict.findings = check(trace, options.check);
  // A script that an error stopped shows half of what it would: the error is what differs.
  if (run.stopped) {
    verdict.unexpected = verdict.findings;
  } else {
    script::Judge(script.program(), trace, verdict.findings).judge(options, verdict);
  }
  verdict.ok = verdict.differences.empty();
  return verdict;
}

}  // namespace millrace
