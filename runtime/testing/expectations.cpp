// SPDX-License-Identifier: Apache-2.0
#include "check/operations.hpp"

#include <millrace/testing.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace millrace::expect {
namespace {

using checker::OperationName;
using checker::Operations;

/// `text` as it stands where the run has an operation of that name, else `name#k` taken apart.
OperationName name_in(Operations& operations, std::string_view text) {
  const std::size_t mark = text.rfind('#');
  if (mark == std::string_view::npos || !operations.instances(text).empty()) return {text};
  std::uint32_t instance = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + mark + 1, end, instance);
  if (error != std::errc() || rest != end || instance == 0) return {text};
  return {text.substr(0, mark), instance};
}

/// Two operations and what one asks of them.
Expectation of_two(std::string first, std::string_view relation, std::string second,
                   std::string (Operations::*why_not)(OperationName, OperationName)) {
  std::string text = "runs " + first;
  text.append(relation).append(second);
  return {std::move(text), [first = std::move(first), second = std::move(second),
                            why_not](const Expectation::Run& run) {
            Operations operations(run.trace);
            const OperationName a = name_in(operations, first);
            const OperationName b = name_in(operations, second);
            return (operations.*why_not)(a, b);
          }};
}

std::string listed(const std::vector<Finding>& findings) {
  std::string text = std::to_string(findings.size());
  text += findings.size() == 1 ? " finding\n" : " findings\n";
  for (const Finding& finding : findings) text += describe(finding);
  return text;
}

/// Why the trace proves nothing; empty where it does.
std::string not_known(const Trace& trace) {
  if (trace.threads.empty()) return "the run kept no trace, without which nothing can be found";
  if (can_check(trace)) return "";
  return "nothing can be said: the trace does not hold what orders what";
}

}  // namespace

Outcome Expectation::outcome(const Run& run, std::string_view replay) const {
  std::string difference = judge_(run);
  const bool ok = difference.empty();
  return {ok, std::move(difference), std::string(replay)};
}

Expectation is_free_of_findings() {
  return {"is free of findings", [](const Expectation::Run& run) {
            return run.findings.empty() ? not_known(run.trace) : listed(run.findings);
          }};
}

Expectation has_finding(FindingKind kind, std::string object) {
  std::string text = "has the finding " + std::string(to_string(kind));
  if (!object.empty()) text += " on " + object;
  return {std::move(text), [kind, object = std::move(object)](const Expectation::Run& run) {
            const bool found =
                std::any_of(run.findings.begin(), run.findings.end(), [&](const Finding& finding) {
                  return finding.kind == kind && (object.empty() || finding.object == object);
                });
            if (found) return std::string();
            if (!run.findings.empty()) return "it has " + listed(run.findings);
            const std::string why = not_known(run.trace);
            return why.empty() ? std::string("it has no finding") : why;
          }};
}

Expectation has_race_on(std::string object) {
  return has_finding(FindingKind::race, std::move(object));
}

Expectation runs_before(std::string first, std::string second) {
  return of_two(std::move(first), " before ", std::move(second), &Operations::why_not_before);
}

Expectation are_unordered(std::string first, std::string second) {
  return of_two(std::move(first), " in no order with ", std::move(second),
                &Operations::why_not_unordered);
}

Expectation are_overlapping(std::string first, std::string second) {
  return of_two(std::move(first), " at the same time as ", std::move(second),
                &Operations::why_not_overlapping);
}

Expectation ends_by(Duration limit) {
  return {"ends by " + to_string(limit), [limit](const Expectation::Run& run) {
            if (!run.trace.blocked.empty()) return "it never ends: " + listed(run.findings);
            const Duration end{run.trace.end_ns};
            return end <= limit ? std::string() : "it ends at " + to_string(end);
          }};
}

}  // namespace millrace::expect
