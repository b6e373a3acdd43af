// SPDX-License-Identifier: Apache-2.0
#include "conflicts.hpp"

#include <algorithm>
#include <utility>

namespace millrace::checker {

std::uint32_t ConflictList::place(Step step) {
  const Trace& trace = steps_.trace();
  const TraceIndex call = steps_.origin_of(step);
  Place place{0, 0, 0, step.is_call, 0};
  if (call != none) {
    std::get<0>(place) = trace.calls[call].file;
    std::get<1>(place) = trace.calls[call].line;
  }
  if (step.is_call) {
    std::get<4>(place) = static_cast<int>(trace.calls[step.index].kind);
  } else {
    std::get<2>(place) = trace.operations[step.index].name;
    std::get<4>(place) = static_cast<int>(trace.operations[step.index].kind);
  }
  return places_.try_emplace(place, static_cast<std::uint32_t>(places_.size())).first->second;
}

/// Memory of one name is one object to people; memory without a name is its own.
std::size_t ConflictList::object(TraceIndex memory) const {
  const TraceIndex name = steps_.trace().memories[memory].name;
  return name != 0 ? name : std::size_t{none} + memory;
}

std::size_t ConflictList::count_at(TraceIndex memory) const {
  const auto found = counts_.find(object(memory));
  return found == counts_.end() ? 0 : found->second;
}

bool ConflictList::happened_earlier(const Conflict& a, const Conflict& b) const {
  const auto time = [&](const Conflict& c) {
    return std::pair(steps_.sequence(c.second.step), steps_.sequence(c.first.step));
  };
  return time(a) < time(b);
}

void ConflictList::add(Conflict conflict) {
  if (steps_.sequence(conflict.second.step) < steps_.sequence(conflict.first.step)) {
    std::swap(conflict.first, conflict.second);
  }
  std::uint32_t a = place(conflict.first.step);
  std::uint32_t b = place(conflict.second.step);
  if (b < a) std::swap(a, b);
  const Key key{conflict.kind, object(conflict.memory), a, b};
  const auto [found, is_new] = ids_.try_emplace(key, conflicts_.size());
  if (is_new) {
    conflicts_.push_back(conflict);
    ++counts_[object(conflict.memory)];
    return;
  }
  Conflict& same = conflicts_[found->second];
  const std::uint64_t count = same.count + conflict.count;
  if (happened_earlier(conflict, same)) same = conflict;
  same.count = count;
}

std::vector<Conflict> ConflictList::take() {
  std::stable_sort(conflicts_.begin(), conflicts_.end(), [&](const Conflict& a, const Conflict& b) {
    if (happened_earlier(a, b) || happened_earlier(b, a)) return happened_earlier(a, b);
    return std::pair(a.memory, a.kind) < std::pair(b.memory, b.kind);
  });
  return std::move(conflicts_);
}

}  // namespace millrace::checker
