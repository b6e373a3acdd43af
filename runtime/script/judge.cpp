// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <type_traits>
#include <utility>

namespace millrace::script {

std::string line_prefix(std::uint32_t line) { return "line " + std::to_string(line) + ": "; }

Judge::Judge(const Script::Program& program, const Trace& trace,
             const std::vector<Finding>& findings)
    : program_(program), trace_(trace), findings_(findings) {}

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
  judge_unexpected(options, verdict.known);
}

void Judge::differ(std::string_view expected, std::string_view found) {
  std::string difference = line_prefix(statement_->line) + "expected ";
  difference.append(expected).append(", but ").append(found);
  differences_->push_back(std::move(difference));
}

std::string Judge::text(OperationName operation) const {
  std::string text(word(operation.name));
  if (operation.instance != 0) text += "#" + std::to_string(operation.instance);
  return text;
}

const std::vector<TraceIndex>& Judge::instances(std::string_view name) {
  static const std::vector<TraceIndex> no_instances;
  if (!indexed_) {
    indexed_ = true;
    for (TraceIndex i = 0; i < trace_.operations.size(); ++i) {
      operations_[trace_.string(trace_.operations[i].name)].push_back(i);
    }
  }
  const auto found = operations_.find(name);
  return found == operations_.end() ? no_instances : found->second;
}

TraceIndex Judge::find(OperationName operation) {
  const std::vector<TraceIndex>& all = instances(word(operation.name));
  if (all.size() < operation.instance || all.empty()) return none;
  return operation.instance == 0 ? all.back() : all[operation.instance - 1];
}

std::string Judge::missing(OperationName operation) {
  const std::size_t count = instances(word(operation.name)).size();
  const std::string name(word(operation.name));
  if (count == 0) return name + " is not in this run";
  return "this run has " + name + " only " +
         (count == 1 ? std::string("once") : std::to_string(count) + " times");
}

std::optional<Judge::Pair> Judge::find(OperationName first, OperationName second,
                                       std::string_view expected) {
  const Pair pair{find(first), find(second)};
  if (pair.first != none && pair.second != none) return pair;
  differ(expected, missing(pair.first == none ? first : second));
  return std::nullopt;
}

bool Judge::before(TraceIndex first, TraceIndex second) {
  if (!order_) order_.emplace(trace_);
  return order_->before(Step::operation(first), Step::operation(second));
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
  if (!run.stopped) {
    script::Judge(script.program(), trace, verdict.findings).judge(options, verdict);
  }
  verdict.ok = verdict.differences.empty();
  return verdict;
}

}  // namespace millrace
