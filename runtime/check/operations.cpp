// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include <millrace/time.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace millrace::checker {
namespace {

std::string time(std::int64_t ns) { return millrace::to_string(Duration{ns}); }

std::string ends_before(OperationName a, OperationName b) {
  return to_string(a) + " ends before " + to_string(b) + " starts";
}

std::int64_t end_of(const Operation& operation) {
  return operation.end_ns < 0 ? std::numeric_limits<std::int64_t>::max() : operation.end_ns;
}

}  // namespace

std::string to_string(OperationName operation) {
  std::string text(operation.name);
  if (operation.instance != 0) text += "#" + std::to_string(operation.instance);
  return text;
}

const std::vector<TraceIndex>& Operations::instances(std::string_view name) {
  static const std::vector<TraceIndex> no_instances;
  if (!indexed_) {
    indexed_ = true;
    for (TraceIndex i = 0; i < trace_.operations.size(); ++i) {
      instances_[trace_.string(trace_.operations[i].name)].push_back(i);
    }
  }
  const auto found = instances_.find(name);
  return found == instances_.end() ? no_instances : found->second;
}

TraceIndex Operations::find(OperationName operation) {
  const std::vector<TraceIndex>& all = instances(operation.name);
  if (all.size() < operation.instance || all.empty()) return none;
  return operation.instance == 0 ? all.back() : all[operation.instance - 1];
}

std::string Operations::missing(OperationName operation) {
  if (find(operation) != none) return "";
  const std::size_t count = instances(operation.name).size();
  const std::string name(operation.name);
  if (count == 0) return name + " is not in this run";
  return "this run has " + name + " only " +
         (count == 1 ? std::string("once") : std::to_string(count) + " times");
}

bool Operations::before(TraceIndex first, TraceIndex second) {
  if (!order_) order_.emplace(trace_);
  return order_->before(Step::operation(first), Step::operation(second));
}

Operations::Pair Operations::find(OperationName a, OperationName b) {
  Pair pair{find(a), find(b), ""};
  if (pair.first == none) return {none, none, missing(a)};
  if (pair.second == none) return {none, none, missing(b)};
  return pair;
}

std::string Operations::why_not_before(OperationName a, OperationName b) {
  const Pair pair = find(a, b);
  if (!pair.missing.empty() || before(pair.first, pair.second)) return pair.missing;
  if (trace_.operations[pair.first].end_ns < 0) return to_string(a) + " never ends";
  if (trace_.operations[pair.second].start_ns < 0) return to_string(b) + " never starts";
  if (before(pair.second, pair.first)) return ends_before(b, a);
  return "nothing orders them: another legal run may start " + to_string(b) + " before " +
         to_string(a) + " ends";
}

std::string Operations::why_not_unordered(OperationName a, OperationName b) {
  const Pair pair = find(a, b);
  if (!pair.missing.empty()) return pair.missing;
  if (before(pair.first, pair.second)) return ends_before(a, b) + " in every legal run";
  if (before(pair.second, pair.first)) return ends_before(b, a) + " in every legal run";
  return "";
}

std::string Operations::why_not_overlapping(OperationName a, OperationName b) {
  const Pair pair = find(a, b);
  if (!pair.missing.empty()) return pair.missing;
  const Operation& x = trace_.operations[pair.first];
  const Operation& y = trace_.operations[pair.second];
  const bool ran = x.start_ns >= 0 && y.start_ns >= 0;
  if (ran && std::max(x.start_ns, y.start_ns) < std::min(end_of(x), end_of(y))) return "";
  return span(a, pair.first) + ", " + span(b, pair.second);
}

std::string Operations::span(OperationName name, TraceIndex operation) const {
  const Operation& o = trace_.operations[operation];
  if (o.start_ns < 0) return to_string(name) + " never starts";
  return to_string(name) + " runs from " + time(o.start_ns) +
         (o.end_ns < 0 ? " on" : " to " + time(o.end_ns));
}

}  // namespace millrace::checker
