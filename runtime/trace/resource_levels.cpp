// SPDX-License-Identifier: Apache-2.0
#include <millrace/resource_levels.hpp>

#include <algorithm>
#include <utility>

namespace millrace {
namespace {

struct Change {
  std::int64_t at_ns;
  std::int64_t amount;
};

std::vector<ResourceLevel> levels_of(std::vector<Change>&& changes) {
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.at_ns < b.at_ns; });
  std::vector<ResourceLevel> levels;
  std::int64_t amount = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    amount += changes[i].amount;
    const bool more_at_once = i + 1 < changes.size() && changes[i + 1].at_ns == changes[i].at_ns;
    const auto held = static_cast<std::uint64_t>(amount);
    const std::uint64_t before = levels.empty() ? 0 : levels.back().amount;
    if (!more_at_once && held != before) levels.push_back({changes[i].at_ns, held});
  }
  return levels;
}

}  // namespace

std::vector<std::vector<ResourceLevel>> resource_levels(const Trace& trace) {
  std::vector<std::vector<Change>> changes(trace.resources.size());
  for (const ResourceUse& use : trace.uses) {
    std::vector<Change>& of = changes[use.resource];
    of.push_back({use.begin_ns, use.amount});
    if (use.end_ns >= 0) of.push_back({use.end_ns, -std::int64_t{use.amount}});
  }
  std::vector<std::vector<ResourceLevel>> levels;
  levels.reserve(changes.size());
  for (std::vector<Change>& of : changes) levels.push_back(levels_of(std::move(of)));
  return levels;
}

}  // namespace millrace
