// SPDX-License-Identifier: Apache-2.0
#include "check/region.hpp"
#include "judge.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace millrace::script {
namespace {

std::string phrase(FindingKind kind, std::string_view object) {
  if (kind == FindingKind::deadlock) return "deadlock";
  const std::string_view of = kind == FindingKind::race ? " on " : " of ";
  return std::string(to_string(kind)).append(of).append(object);
}

std::string with_article(const std::string& phrase) {
  const bool vowel = phrase[0] == 'u' && !phrase.starts_with("use");
  return (vowel ? "an " : "a ") + phrase;
}

bool writes(AccessMode mode) { return mode == AccessMode::write || mode == AccessMode::update; }

}  // namespace

void Judge::judge(const ExpectFinding& expected) {
  const std::string_view object =
      expected.kind == FindingKind::deadlock ? "" : word(expected.object);
  const bool found = std::any_of(findings_.begin(), findings_.end(), [&](const Finding& finding) {
    return finding.kind == expected.kind && finding.object == object;
  });
  std::string wanted = with_article(phrase(expected.kind, object));
  if (expected.first.name != 0) {
    wanted += " between " + text(expected.first) + " and " + text(expected.second);
    if (found && is_race_between(expected)) return;
    return differ(wanted, without_race(expected));
  }
  if (!found) differ(wanted, "none was found");
}

bool Judge::is_race_between(const ExpectFinding& expected) {
  bool several = false;
  for (const Finding& finding : findings_) {
    if (finding.kind != FindingKind::race || finding.object != word(expected.object)) continue;
    if (matches(finding.first, expected.first) && matches(finding.second, expected.second)) {
      return true;
    }
    if (matches(finding.first, expected.second) && matches(finding.second, expected.first)) {
      return true;
    }
    several = several || finding.count > 1;
  }
  // A finding stands for all pairs of its two sites and shows one of them, and an access that races
  // with several may be shown with one: ask for this pair itself.
  const TraceIndex first = find(expected.first);
  const TraceIndex second = find(expected.second);
  return first != none && second != none && conflict(first, second, word(expected.object), several);
}

bool Judge::matches(const Site& site, OperationName operation) {
  if (site.operation != word(operation.name)) return false;
  if (site.step.is_call) return operation.instance == 0;  // "read" and "write" of the host
  return site.step.index == find(operation);
}

bool Judge::conflict(TraceIndex first, TraceIndex second, std::string_view object, bool several) {
  const Operation& a = trace_.operations[first];
  const Operation& b = trace_.operations[second];
  if (a.sequence == none || b.sequence == none || first == second) return false;
  bool out_of_order = false;
  bool meet = false;
  for (TraceIndex i = 0; i < a.access_count; ++i) {
    const TraceAccess& x = trace_.accesses[a.first_access + i];
    if (trace_.object_name(ObjectKind::memory, x.memory) != object) continue;
    for (TraceIndex j = 0; j < b.access_count; ++j) {
      const TraceAccess& y = trace_.accesses[b.first_access + j];
      if (x.memory != y.memory || (!writes(x.mode) && !writes(y.mode)) ||
          !checker::common_bytes(checker::Region::of(x), checker::Region::of(y))) {
        continue;
      }
      meet = true;
      out_of_order =
          out_of_order || x.order != AccessOrder::in_order || y.order != AccessOrder::in_order;
    }
  }
  if (!meet) return false;
  return (out_of_order && several) ||
         (!operations_.before(first, second) && !operations_.before(second, first));
}

std::string Judge::without_race(const ExpectFinding& expected) {
  for (const Finding& finding : findings_) {
    if (finding.kind == FindingKind::race && finding.object == word(expected.object)) {
      return "the race that was found is" + sites(finding);
    }
  }
  const TraceIndex first = find(expected.first);
  const TraceIndex second = find(expected.second);
  std::string text_found = "none was found";
  if (first == none || second == none) return text_found;
  if (operations_.before(first, second)) {
    text_found += ": " + text(expected.first) + " ends before " + text(expected.second) + " starts";
  } else if (operations_.before(second, first)) {
    text_found += ": " + text(expected.second) + " ends before " + text(expected.first) + " starts";
  }
  return text_found;
}

std::string Judge::name(const Site& site) {
  std::string name = site.operation;
  if (!site.step.is_call) {
    const std::vector<TraceIndex>& all = operations_.instances(site.operation);
    const auto found = std::lower_bound(all.begin(), all.end(), site.step.index);
    if (all.size() > 1 && found != all.end()) {
      name += "#" + std::to_string(found - all.begin() + 1);
    }
  }
  if (site.line != 0) name += " (line " + std::to_string(site.line) + ")";
  return name;
}

std::string Judge::sites(const Finding& finding) {
  const bool first = finding.first.step.exists() && !finding.first.operation.empty();
  const bool second = finding.second.step.exists() && !finding.second.operation.empty();
  if (first && second) return " between " + name(finding.first) + " and " + name(finding.second);
  if (first) return " by " + name(finding.first);
  if (second) return " by " + name(finding.second);
  return "";
}

void Judge::judge_clean() {
  const Statement* clean = nullptr;
  const Statement* finding = nullptr;
  for (const Statement& statement : program_.statements) {
    if (statement.as<ExpectClean>() != nullptr) clean = &statement;
    if (statement.as<ExpectFinding>() != nullptr) finding = &statement;
  }
  if (clean == nullptr || finding == nullptr) return;
  statement_ = clean;
  differ("clean", "line " + std::to_string(finding->line) + " expects a finding");
}

void Judge::judge_unexpected(const JudgeOptions& options, Verdict& verdict) {
  using Key = std::pair<FindingKind, std::string_view>;
  std::set<Key> accepted;
  std::set<Key> told;
  for (const Statement& statement : program_.statements) {
    if (const auto* expected = statement.as<ExpectFinding>()) {
      const bool deadlock = expected->kind == FindingKind::deadlock;
      accepted.emplace(expected->kind, deadlock ? std::string_view() : word(expected->object));
    }
  }
  for (const Allowed& allowed : program_.allowed) accepted.emplace(allowed.kind, allowed.object);
  for (const Finding& finding : findings_) {
    const Key key(finding.kind, finding.object);
    if (accepted.contains(key)) continue;
    if (options.is_known && options.is_known(finding)) {
      verdict.known.push_back(finding);
      continue;
    }
    verdict.unexpected.push_back(finding);
    if (!told.insert(key).second) continue;  // once for each object
    std::string difference = "unexpected " + phrase(finding.kind, finding.object) + sites(finding);
    if (!finding.explanation.empty()) difference += ": " + finding.explanation;
    differences_->push_back(std::move(difference));
  }
}

}  // namespace millrace::script
