// SPDX-License-Identifier: Apache-2.0
#include "render/resource_rows.hpp"

#include "render/text.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace millrace::cli {
namespace {

using Uses = std::vector<ResourceUse>;

bool is_asked_for(ResourceKind kind, const Look& look) {
  switch (kind) {
    case ResourceKind::copy_engine:
      return look.engines;
    case ResourceKind::hardware_queue:
      return look.queues;
    case ResourceKind::multiprocessors:
      return look.sms;
  }
  return false;
}

/// By resource, each in order of their begins.
std::vector<Uses> sort_uses(const Trace& trace, std::int64_t end_ns) {
  std::vector<Uses> of(trace.resources.size());
  for (ResourceUse use : trace.uses) {
    if (use.end_ns < 0) use.end_ns = end_ns;
    of[use.resource].push_back(use);
  }
  for (Uses& uses : of) {
    std::stable_sort(uses.begin(), uses.end(), [](const ResourceUse& a, const ResourceUse& b) {
      return a.begin_ns < b.begin_ns;
    });
  }
  return of;
}

/// Of things that go in order: each is at the head from when those before it have gone.
std::vector<Span> heads(const Trace& trace, const Uses& uses) {
  std::vector<Span> spans;
  std::int64_t free_at = 0;
  for (auto use = uses.begin(); use != uses.end(); ++use) {
    const std::int64_t begin = std::max(use->begin_ns, free_at);
    if (use->end_ns <= begin) continue;
    const auto behind = std::lower_bound(
        use, uses.end(), use->end_ns,
        [](const ResourceUse& other, std::int64_t end) { return other.begin_ns < end; });
    spans.push_back({.begin = begin,
                     .end = use->end_ns,
                     .step = Step::operation(use->operation),
                     .shape = shape_of(trace.operations[use->operation].kind),
                     .behind = static_cast<std::size_t>(behind - use - 1)});
    free_at = use->end_ns;
  }
  return spans;
}

std::string title_of_levels(const std::vector<ResourceLevel>& levels, std::uint32_t capacity) {
  std::uint64_t most = 0;
  for (const ResourceLevel& level : levels) most = std::max(most, level.amount);
  const std::uint64_t percent = capacity == 0 ? 0 : most * 100 / capacity;
  return "multiprocessors, at most " + std::to_string(percent) + "%";
}

}  // namespace

std::vector<ResourceRow> find_resource_rows(const Trace& trace, const Look& look,
                                            std::int64_t end_ns) {
  if (trace.resources.empty() || !(look.engines || look.queues || look.sms)) return {};
  std::vector<TraceIndex> order(trace.resources.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](TraceIndex a, TraceIndex b) {
    const auto key = [&](TraceIndex i) {  // shorter names first: queue 9 before queue 10
      const TraceResource& resource = trace.resources[i];
      return std::make_tuple(resource.device, resource.kind, trace.string(resource.name).size(),
                             trace.string(resource.name));
    };
    return key(a) < key(b);
  });
  const std::vector<Uses> uses = sort_uses(trace, end_ns);
  const auto levels = resource_levels(trace);
  std::vector<ResourceRow> rows;
  for (const TraceIndex i : order) {
    const TraceResource& resource = trace.resources[i];
    if (!is_asked_for(resource.kind, look)) continue;
    ResourceRow row{.device = resource.device,
                    .title = printable(trace.string(resource.name), look.ascii)};
    if (resource.kind == ResourceKind::multiprocessors) {
      row.levels = levels[i];
      row.capacity = resource.capacity;
      row.title = title_of_levels(row.levels, row.capacity);
    } else {
      row.lane.spans = heads(trace, uses[i]);
      if (row.lane.spans.empty()) continue;  // nothing stood there for any time
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace millrace::cli
