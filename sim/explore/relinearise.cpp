// SPDX-License-Identifier: Apache-2.0
//
// Other orders of the steps of one recorded run, without running anything: what was recorded says
// which steps touch memory and which must come before which.
#include "chance.hpp"

#include <millrace/error.hpp>
#include <millrace/explore.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace millrace::sim {
namespace {

constexpr std::size_t most_steps = 4096;
constexpr std::size_t most_pairs = 64;

struct Toucher {
  Step step;
  TraceIndex sequence = none;
  TraceIndex first_access = 0;
  std::uint32_t access_count = 0;
};

/// The steps that touch memory, in the order in which they happened.
std::vector<Toucher> touchers(const Trace& trace) {
  std::vector<Toucher> found;
  const auto add = [&found](const auto& one, Step step) {
    if (one.access_count == 0 || one.sequence == none) return;
    found.push_back({step, one.sequence, one.first_access, one.access_count});
  };
  for (std::size_t i = 0; i < trace.operations.size(); ++i) {
    add(trace.operations[i], Step::operation(static_cast<TraceIndex>(i)));
  }
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    add(trace.calls[i], Step::call(static_cast<TraceIndex>(i)));
  }
  std::ranges::sort(found, {}, &Toucher::sequence);
  return found;
}

std::string name_of(const Trace& trace, Step step) {
  if (!step.is_call) return trace.describe(step.index);
  return std::string(to_string(trace.calls[step.index].kind));
}

/// The memory of both in which they race; empty: of none.
std::string raced_memory(const Trace& trace, const OrderRelation& order, const Toucher& a,
                         const Toucher& b) {
  for (std::uint32_t i = 0; i < a.access_count; ++i) {
    const TraceIndex memory = trace.accesses[a.first_access + i].memory;
    for (std::uint32_t k = 0; k < b.access_count; ++k) {
      if (trace.accesses[b.first_access + k].memory != memory) continue;
      std::string name = trace.object_name(ObjectKind::memory, memory);
      if (is_race(trace, order, name, a.step, b.step)) return name;
    }
  }
  return {};
}

}  // namespace

Relinearisation::Relinearisation(const Trace& trace) {
  const std::vector<Toucher> steps = touchers(trace);
  if (steps.size() > most_steps) {
    throw Error(Errc::InvalidValue, "sim::Relinearisation",
                "the run has " + std::to_string(steps.size()) +
                    " steps that touch memory, more "
                    "than " +
                    std::to_string(most_steps),
                {});
  }
  const OrderRelation order(trace);
  link(steps.size(),
       [&](std::size_t a, std::size_t b) { return order.before(steps[a].step, steps[b].step); });
  for (std::size_t a = 0; a < steps.size(); ++a) {
    for (std::size_t b = a + 1; b < steps.size() && pairs_.size() < most_pairs; ++b) {
      std::string memory = raced_memory(trace, order, steps[a], steps[b]);
      if (memory.empty()) continue;
      pairs_.emplace_back(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
      names_.push_back(
          {name_of(trace, steps[a].step), name_of(trace, steps[b].step), std::move(memory)});
    }
  }
}

/// Keeps the edges that do not follow from others.
void Relinearisation::link(std::size_t steps,
                           const std::function<bool(std::size_t, std::size_t)>& before) {
  predecessors_.assign(steps, 0);
  first_.assign(1, 0);
  std::vector<std::vector<bool>> later(steps, std::vector<bool>(steps));
  for (std::size_t a = steps; a-- > 0;) {
    std::vector<bool>& reached = later[a];
    for (std::size_t b = a + 1; b < steps; ++b) {
      if (reached[b] || !before(a, b)) continue;
      for (std::size_t c = b; c < steps; ++c) reached[c] = reached[c] || c == b || later[b][c];
      edges_.emplace_back(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
      ++predecessors_[b];
    }
  }
  std::ranges::sort(edges_);
  for (std::uint32_t a = 0; a < steps; ++a) {
    const auto end = std::ranges::upper_bound(edges_, a, {}, &Edge::first);
    first_.push_back(static_cast<std::uint32_t>(end - edges_.begin()));
  }
  for (const Edge& edge : edges_) successors_.push_back(edge.second);
  ready_.resize(steps);
  place_.resize(steps);
}

/// One order by chance; the pairs that came the other way round than they did in the run.
std::uint64_t Relinearisation::next_order(std::uint64_t& chance) {
  missing_ = predecessors_;
  std::uint32_t ready = 0;
  const auto steps = static_cast<std::uint32_t>(predecessors_.size());
  for (std::uint32_t i = 0; i < steps; ++i) {
    if (missing_[i] == 0) ready_[ready++] = i;
  }
  for (std::uint32_t at = 0; ready > 0; ++at) {
    chance = chance * 0x5851'f42d'4c95'7f2dU + 0x1405'7b7e'f767'814fU;  // Knuth's LCG, as in PCG
    const auto pick = static_cast<std::uint32_t>((chance >> 32U) * ready >> 32U);
    const std::uint32_t step = std::exchange(ready_[pick], ready_[ready - 1]);
    --ready;
    place_[step] = at;
    for (std::uint32_t edge = first_[step]; edge < first_[step + 1]; ++edge) {
      const std::uint32_t next = successors_[edge];
      if (--missing_[next] == 0) ready_[ready++] = next;
    }
  }
  std::uint64_t turned = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    turned |= std::uint64_t{place_[pairs_[i].second] < place_[pairs_[i].first]} << i;
  }
  return turned;
}

std::vector<Relinearised> Relinearisation::explore(std::uint64_t orders, std::uint64_t seed) {
  exploring::Chance seeds(seed, 0);
  std::uint64_t chance = seeds.next();
  std::vector<Relinearised> results{{0, 1}};  // the order of the run
  for (std::uint64_t i = 1; i < orders; ++i) {
    const std::uint64_t turned = next_order(chance);
    const auto known = std::ranges::find(results, turned, &Relinearised::turned);
    if (known != results.end()) {
      ++known->orders;
    } else if (results.size() < most_results) {
      results.push_back({turned, 1});
    }
  }
  return results;
}

std::string Relinearisation::describe(const Relinearised& result) const {
  std::string text;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const bool is_turned = (result.turned >> i & 1U) != 0;
    const auto& [first, second, memory] = names_[i];
    text += (text.empty() ? "" : ", ") + memory + ": " + (is_turned ? second : first) + " before " +
            (is_turned ? first : second);
  }
  return text;
}

}  // namespace millrace::sim
