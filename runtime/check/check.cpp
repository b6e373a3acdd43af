// SPDX-License-Identifier: Apache-2.0
#include "conflict_finder.hpp"
#include "explain.hpp"
#include "order.hpp"
#include "screen.hpp"

#include <millrace/check.hpp>

#include <algorithm>
#include <iterator>

namespace millrace {

using checker::Conflict;
using checker::Screen;
using checker::Stamps;
using checker::Steps;
using checker::Turn;

struct OrderRelation::Data {
  Stamps stamps;
};

OrderRelation::OrderRelation(const Trace& trace)
    : data_(std::make_unique<Data>(Data{checker::order_of(Steps(trace))})) {}
OrderRelation::~OrderRelation() = default;
OrderRelation::OrderRelation(OrderRelation&&) noexcept = default;
OrderRelation& OrderRelation::operator=(OrderRelation&&) noexcept = default;

bool OrderRelation::before(Step a, Step b) const { return data_->stamps.before(a, b); }

namespace {

/// The turns at each memory that the screen suspects.
std::vector<std::vector<Turn>> turns_at(const Steps& steps, const Screen& screen) {
  std::vector<std::vector<Turn>> turns(steps.trace().memories.size());
  for (const Step step : steps.in_order()) {
    checker::turns_of(steps, step, [&](Turn turn) {
      for (const TraceAccess& access : steps.accesses(turn.step)) {
        if (!turn.has(access) || access.memory >= turns.size()) continue;
        std::vector<Turn>& at = turns[access.memory];
        const bool noted =
            !at.empty() && at.back().step == turn.step && at.back().order == turn.order;
        if (screen.suspects(access.memory) && !noted) at.push_back(turn);
      }
    });
  }
  return turns;
}

std::vector<Conflict> conflicts_of(const Steps& steps, const Stamps& stamps) {
  Screen screen(steps, stamps);
  for (const Step step : steps.in_order()) screen.feed(step);
  checker::ConflictList list(steps);
  if (!screen.suspects_any()) return {};
  const auto turns = turns_at(steps, screen);
  for (TraceIndex memory = 0; memory < turns.size(); ++memory) {
    checker::ConflictFinder finder(steps, stamps, memory, list);
    for (const Turn turn : turns[memory]) finder.feed(turn);
  }
  return list.take();
}

bool has_bad_calls(const Trace& trace) {
  return std::any_of(trace.calls.begin(), trace.calls.end(),
                     [](const HostCall& call) { return call.used_destroyed || call.unrecorded; });
}

/// Findings in the order in which they happened; what never happened, a deadlock, comes last.
void sort_by_time(const Steps& steps, std::vector<Finding>& findings) {
  const auto at = [&](const Site& site) {
    return steps.happened(site.step) ? steps.sequence(site.step) : TraceIndex{0};
  };
  const auto time = [&](const Finding& finding) {
    if (finding.kind == FindingKind::deadlock) return none;
    if (finding.kind == FindingKind::unrecorded_wait) return at(finding.first);
    return std::max(at(finding.first), at(finding.second));
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return time(a) < time(b); });
}

}  // namespace

bool can_check(const Trace& trace) { return trace.has_dependencies; }

std::vector<Finding> check(const Trace& trace, const OrderRelation& order) {
  if (!can_check(trace)) return {};
  const Steps steps(trace);
  const Stamps& stamps = order.data().stamps;
  const std::vector<Conflict> conflicts = conflicts_of(steps, stamps);
  std::vector<Finding> findings;
  // Explanations need indices of their own, which a clean run should not pay for.
  if (conflicts.empty() && trace.blocked.empty() && !has_bad_calls(trace)) return findings;

  checker::Story story(steps, stamps);
  const checker::Partings partings(story);
  for (const Conflict& conflict : conflicts) {
    findings.push_back(checker::finding_of(story, partings, conflict));
  }
  checker::add_call_findings(story, findings);
  checker::add_deadlock(story, findings);
  sort_by_time(steps, findings);
  return findings;
}

std::vector<Finding> check(const Trace& trace) { return check(trace, OrderRelation(trace)); }

bool is_race(const Trace& trace, const OrderRelation& order, std::string_view object, Step a,
             Step b) {
  const Steps steps(trace);
  const auto conflicts = checker::conflicts_between(steps, order.data().stamps, a, b);
  return std::any_of(conflicts.begin(), conflicts.end(), [&](const Conflict& conflict) {
    return conflict.kind == FindingKind::race &&
           trace.object_name(ObjectKind::memory, conflict.memory) == object;
  });
}

}  // namespace millrace
