// SPDX-License-Identifier: Apache-2.0
#include "conflict_finder.hpp"
#include "explain.hpp"
#include "lints.hpp"
#include "lock_order.hpp"
#include "order.hpp"
#include "screen.hpp"
#include "walk.hpp"

#include <millrace/check.hpp>

#include <algorithm>
#include <iterator>

namespace millrace {

using checker::Conflict;
using checker::Order;
using checker::Screen;
using checker::Stamps;
using checker::Steps;
using checker::Turn;
using checker::Walk;

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
  Walk walk(steps.trace());
  for (Step step = walk.next(); step.exists(); step = walk.next()) {
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
  Walk walk(steps.trace());
  for (Step step = walk.next(); step.exists(); step = walk.next()) screen.feed(step);
  checker::ConflictList list(steps);
  if (!screen.suspects_any()) return {};
  const auto turns = turns_at(steps, screen);
  for (TraceIndex memory = 0; memory < turns.size(); ++memory) {
    checker::ConflictFinder finder(steps, stamps, memory, list);
    for (const Turn turn : turns[memory]) finder.feed(turn);
  }
  return list.take();
}

bool is_bad(const HostCall& call) { return call.used_destroyed || call.unrecorded; }

/// One walk that orders the steps, looks at them and forgets them. No says nothing: that there is
/// something to be found, or that the walk could not be sure.
bool is_surely_clean(const Steps& steps) {
  const Trace& trace = steps.trace();
  if (!trace.blocked.empty() || checker::waits_under_locks(steps)) return false;
  Order order(steps, checker::Scope::everything, nullptr, checker::Keep::live_steps);
  Screen screen(steps, order.stamps());
  Walk walk(trace);
  for (Step step = walk.next(); step.exists(); step = walk.next()) {
    if (step.is_call && is_bad(trace.calls[step.index])) return false;
    order.feed(step);
    screen.feed(step);
    order.forget(step);
    if (screen.suspects_any()) return false;
  }
  return order.is_sure();
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

std::vector<Finding> findings_of(const Steps& steps, const Stamps& stamps,
                                 const CheckOptions& options) {
  const Trace& trace = steps.trace();
  const std::vector<Conflict> conflicts = conflicts_of(steps, stamps);
  std::vector<Finding> findings;
  // Explanations need indices of their own, which a clean run should not pay for.
  if (conflicts.empty() && trace.blocked.empty() && options.lints.empty() &&
      !checker::waits_under_locks(steps) &&
      std::none_of(trace.calls.begin(), trace.calls.end(), is_bad)) {
    return findings;
  }
  checker::Story story(steps, stamps);
  const checker::Partings partings(story);
  for (const Conflict& conflict : conflicts) {
    findings.push_back(checker::finding_of(story, partings, conflict));
  }
  checker::add_call_findings(story, findings);
  checker::add_deadlock(story, findings);
  checker::add_lock_cycles(story, findings);
  checker::add_lints(story, options.lints, findings);
  sort_by_time(steps, findings);
  return findings;
}

}  // namespace

bool can_check(const Trace& trace) { return trace.has_dependencies; }

std::vector<Finding> check(const Trace& trace, const OrderRelation& order,
                           const CheckOptions& options) {
  if (!can_check(trace)) return {};
  return findings_of(Steps(trace), order.data().stamps, options);
}

std::vector<Finding> check(const Trace& trace, const CheckOptions& options) {
  if (!can_check(trace)) return {};
  const Steps steps(trace);
  if (options.lints.empty() && is_surely_clean(steps)) return {};
  return findings_of(steps, checker::order_of(steps), options);
}

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
