// SPDX-License-Identifier: Apache-2.0
#include "block_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace millrace::sim {

BlockPool::BlockPool(std::uint64_t begin, std::uint64_t chunk) : begin_(begin), chunk_(chunk) {
  clear();
}

void BlockPool::clear() {
  reserved_ = 0;
  spaces_.clear();
  spaces_[begin_] = {.end = chunk_floor(begin_ + addresses), .reserved = false, .freed = {}};
}

/// Runs of spaces without a gap between them.
template <typename Visit>
void BlockPool::each_run(const std::function<bool(const Space&)>& belongs, Visit visit) const {
  std::optional<Run> run;
  for (const auto& [begin, space] : spaces_) {
    const bool joins = belongs(space);
    if (run && (!joins || run->end != begin)) {
      visit(*run);
      run.reset();
    }
    if (!joins) continue;
    if (!run) run = Run{.begin = begin, .since = space.freed.by.serial};
    run->end = space.end;
    run->freed |= space.freed.by.serial != 0;
    run->since = std::min(run->since, space.freed.by.serial);
  }
  if (run) visit(*run);
}

std::optional<BlockPool::Block> BlockPool::take(std::uint64_t bytes, const MayUse& may_use,
                                                From from) {
  const std::uint64_t wanted = round_up(bytes, block_alignment);
  const auto rank = [](const Run& run) { return std::pair(run.end - run.begin, run.since); };
  std::optional<Run> best;
  each_run([&](const Space& space) { return space.reserved && may_use(space.freed); },
           [&](const Run& run) {
             if (run.end - run.begin < wanted) return;
             if (from == From::freed && !run.freed) return;
             if (!best || rank(run) < rank(*best)) best = run;
           });
  if (!best) return std::nullopt;
  return Block{best->begin, carve({best->begin, best->begin + wanted})};
}

std::optional<BlockPool::Growth> BlockPool::growth(std::uint64_t bytes,
                                                   const MayUse& may_use) const {
  const std::uint64_t wanted = round_up(bytes, block_alignment);
  std::optional<Growth> found;
  each_run([&](const Space& space) { return !space.reserved || may_use(space.freed); },
           [&](const Run& run) {
             if (found || run.end - run.begin < wanted) return;
             found = Growth{.address = run.begin, .bytes = 0};
             for (const Range& chunks : missing(run.begin, run.begin + wanted)) {
               found->bytes += chunks.size();
             }
           });
  return found;
}

std::vector<BlockPool::Range> BlockPool::missing(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Range> chunks;
  for (const auto& [at, space] : spaces_) {
    if (space.reserved || space.end <= begin || at >= end) continue;
    chunks.push_back({chunk_floor(std::max(at, begin)), chunk_ceil(std::min(space.end, end))});
  }
  return chunks;
}

BlockPool::Block BlockPool::grow(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + round_up(bytes, block_alignment);
  for (const Range& chunks : missing(address, end)) {
    carve(chunks);
    add(chunks.begin, {.end = chunks.end, .reserved = true, .freed = {}});
    reserved_ += chunks.size();
  }
  return {address, carve({address, end})};
}

/// Takes the bytes out of the spaces, whoever they belong to.
std::vector<Freed> BlockPool::carve(const Range& range) {
  std::vector<Freed> freed;
  auto at = std::prev(spaces_.upper_bound(range.begin));
  while (at != spaces_.end() && at->first < range.end) {
    const auto [begin, space] = *at;
    at = spaces_.erase(at);
    if (space.freed.by.serial != 0) freed.push_back(space.freed);
    if (begin < range.begin) {
      Space before = space;
      before.end = range.begin;
      spaces_.emplace(begin, before);
    }
    if (space.end > range.end) at = spaces_.emplace(range.end, space).first;
  }
  return freed;
}

/// Spaces that nothing tells apart become one.
void BlockPool::add(std::uint64_t begin, Space space) {
  const auto alike = [&](const Space& other) {
    return other.reserved == space.reserved && other.freed.by.serial == space.freed.by.serial;
  };
  const auto next = spaces_.lower_bound(begin);
  if (next != spaces_.begin()) {
    const auto before = std::prev(next);
    if (before->second.end == begin && alike(before->second)) {
      begin = before->first;
      spaces_.erase(before);
    }
  }
  if (next != spaces_.end() && next->first == space.end && alike(next->second)) {
    space.end = next->second.end;
    spaces_.erase(next);
  }
  spaces_.insert_or_assign(begin, space);
}

void BlockPool::give(std::uint64_t address, std::uint64_t bytes, const Freed& freed) {
  add(address,
      {.end = address + round_up(bytes, block_alignment), .reserved = true, .freed = freed});
}

void BlockPool::settle(const MayUse& is_over) {
  if (!oldest_free()) return;
  for (const auto& [begin, space] : std::exchange(spaces_, {})) {
    Space settled = space;
    if (space.freed.by.serial != 0 && is_over(space.freed)) settled.freed = {};
    add(begin, settled);
  }
}

std::uint64_t BlockPool::release(std::uint64_t keep) {
  const std::uint64_t before = reserved_;
  std::vector<Range> given_up;
  for (auto at = spaces_.rbegin(); at != spaces_.rend(); ++at) {
    if (!at->second.settled()) continue;
    const std::uint64_t first = chunk_ceil(at->first);
    Range chunks{chunk_floor(at->second.end), chunk_floor(at->second.end)};
    while (chunks.begin > first && reserved_ >= keep && reserved_ - keep >= chunk_) {
      chunks.begin -= chunk_;
      reserved_ -= chunk_;
    }
    if (chunks.size() > 0) given_up.push_back(chunks);
  }
  for (const Range& chunks : given_up) {
    carve(chunks);
    add(chunks.begin, {.end = chunks.end, .reserved = false, .freed = {}});
  }
  return before - reserved_;
}

std::optional<std::uint64_t> BlockPool::oldest_free() const {
  std::optional<std::uint64_t> oldest;
  for (const auto& [begin, space] : spaces_) {
    const std::uint64_t serial = space.freed.by.serial;
    if (serial != 0 && (!oldest || serial < *oldest)) oldest = serial;
  }
  return oldest;
}

}  // namespace millrace::sim
