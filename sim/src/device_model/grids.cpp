// SPDX-License-Identifier: Apache-2.0
#include "grids.hpp"

#include <algorithm>
#include <utility>

namespace millrace::sim {
namespace {

/// Waves take at most this long, so that sums of times do not overflow.
constexpr std::int64_t longest = std::int64_t{1} << 60U;

std::int64_t waves_time(std::uint64_t waves, std::int64_t block_time) {
  if (block_time == 0) return 0;
  const auto most = static_cast<std::uint64_t>(longest / block_time);
  return waves > most ? longest : static_cast<std::int64_t>(waves) * block_time;
}

}  // namespace

Grids::Grids(const MultiprocessorRules& rules, GridListener& listener)
    : rules_(rules), listener_(listener), room_(rules) {}

std::uint32_t Grids::take_index() {
  if (free_.empty()) {
    grids_.emplace_back();
    return static_cast<std::uint32_t>(grids_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

bool Grids::arrive(const NewGrid& what) {
  const std::uint32_t index = take_index();
  Grid& grid = grids_[index];
  grid.slot = what.slot;
  grid.traced = what.traced;
  grid.priority = what.priority;
  grid.need = room_.need(what.demand);
  grid.block_time = what.block_time;
  grid.order = ++arrivals_;
  grid.left = what.demand.blocks;
  grid.places.clear();
  grid.batches.clear();
  grid.ended = 0;
  grid.open_ended = what.open_ended;
  grid.has_started = grid.alone = false;
  grid.bound = ConstraintKind::unknown;
  if (index_of_.size() <= what.slot) index_of_.resize(what.slot + 1, no_slot);
  index_of_[what.slot] = index;
  changed_ = true;
  const bool place = outside_.empty() && inside_count_ < rules_.grids;
  if (place) {
    admit(index);
  } else {
    outside_.emplace(Rank{grid.priority, grid.order}, index);
  }
  return place;
}

/// Keeps its place in the order of dispatch.
void Grids::queue_by_rank(std::uint32_t index) {
  const auto rank = [this](std::uint32_t i) { return Rank{grids_[i].priority, grids_[i].order}; };
  dispatchable_.insert(std::ranges::upper_bound(dispatchable_, rank(index), {}, rank), index);
}

bool Grids::must_drain(const Grid& next) const {
  return rules_.urgent_at_limit == UrgentAtLimit::drain &&
         std::ranges::any_of(inside_, [&](const Inside& some) {
           return some.count > 0 && some.priority > next.priority;
         });
}

void Grids::let_in() {
  while (!outside_.empty() && inside_count_ < rules_.grids) {
    const std::uint32_t index = outside_.begin()->second;
    if (must_drain(grids_[index])) return;
    outside_.erase(outside_.begin());
    grids_[index].bound = ConstraintKind::grid_limit;
    grids_[index].because = last_left_;
    admit(index);
    listener_.let_in(grids_[index].slot);
  }
}

void Grids::dispatch(Time now) {
  if (!std::exchange(changed_, false)) return;
  if (!outside_.empty()) let_in();
  if (dispatchable_.empty()) return;
  if (alone_ != no_slot) end_solitude(now);
  std::size_t kept = 0;
  bool blocked = false;
  for (std::size_t i = 0; i < dispatchable_.size(); ++i) {
    Grid& grid = grids_[dispatchable_[i]];
    const bool done = !blocked && start_blocks(grid, now);
    if (done) continue;
    blocked |= rules_.head_of_line == HeadOfLine::strict;
    grid.bound = ConstraintKind::multiprocessors;
    dispatchable_[kept++] = dispatchable_[i];
  }
  dispatchable_.resize(kept);
}

/// Starts as many blocks as there is room for; returns whether none are left.
bool Grids::start_blocks(Grid& grid, Time now) {
  if (may_run_alone(grid)) {
    run_alone(grid, now);
    return true;
  }
  const std::size_t first = grid.places.size();
  const std::uint64_t placed = room_.place(grid.need, grid.left, grid.places);
  if (placed == 0) return false;
  grid.left -= placed;
  const Time end = now + grid.block_time;
  grid.batches.push_back({end, first, grid.places.size() - first});
  mark_started(grid);
  const bool open = grid.open_ended;
  tell_placed(grid, placed, now, open ? Time::never() : end);
  if (!open) listener_.wake(grid.slot, end);
  return grid.left == 0;
}

void Grids::mark_started(Grid& grid) {
  if (std::exchange(grid.has_started, true)) return;
  ++running_;
  const bool for_room = grid.bound == ConstraintKind::multiprocessors;
  listener_.started(grid.slot, grid.bound, for_room ? last_freed_ : grid.because);
}

// Alone on the device.

bool Grids::may_run_alone(const Grid& grid) const {
  return room_.empty() && dispatchable_.size() == 1 && !grid.open_ended &&
         grid.left > room_.capacity(grid.need);
}

void Grids::run_alone(Grid& grid, Time now) {
  grid.alone = true;
  grid.alone_since = now;
  alone_ = index_of_[grid.slot];
  mark_started(grid);
  const std::uint64_t capacity = room_.capacity(grid.need);
  const std::uint64_t waves = grid.left / capacity + (grid.left % capacity != 0 ? 1 : 0);
  listener_.wake(grid.slot, now + Duration{waves_time(waves, grid.block_time.ns)});
}

/// Another grid has come: the blocks of the wave that is running take their room, the rest wait
/// like all others. At the very end of a wave its blocks are gone and the next ones have not
/// started.
void Grids::end_solitude(Time now) {
  Grid& grid = grids_[alone_];
  const std::uint32_t index = std::exchange(alone_, no_slot);
  grid.alone = false;
  const std::int64_t block_time = grid.block_time.ns;
  const std::int64_t passed = now.ns - grid.alone_since.ns;
  const auto wave = block_time == 0 ? 0 : static_cast<std::uint64_t>(passed / block_time);
  const std::uint64_t capacity = room_.capacity(grid.need);
  const std::uint64_t done = std::min(grid.left, wave * capacity);
  tell_waves(grid, done);
  grid.left -= done;
  const bool between = passed > 0 && block_time > 0 && passed % block_time == 0;
  if (!between && grid.left > 0) {
    const Time begin{grid.alone_since.ns + static_cast<std::int64_t>(wave) * block_time};
    place_batch(grid, std::min(grid.left, capacity), begin, begin + grid.block_time);
  }
  if (grid.left > 0) queue_blocks(index);
}

/// The waves of so many blocks, from the start of its time alone on.
void Grids::tell_waves(const Grid& grid, std::uint64_t blocks) {
  const std::uint64_t capacity = room_.capacity(grid.need);
  const Duration full{waves_time(blocks / capacity, grid.block_time.ns)};
  const Time then = grid.alone_since + full;
  if (blocks >= capacity) tell_placed(grid, capacity, grid.alone_since, then);
  if (const std::uint64_t rest = blocks % capacity; rest > 0) {
    tell_placed(grid, rest, then, then + grid.block_time);
  }
}

void Grids::place_batch(Grid& grid, std::uint64_t blocks, Time begin, Time end) {
  const std::size_t first = grid.places.size();
  const std::uint64_t placed = room_.place(grid.need, blocks, grid.places);
  grid.left -= placed;
  grid.batches.push_back({end, first, grid.places.size() - first});
  tell_placed(grid, placed, begin, end);
  listener_.wake(grid.slot, end);
}

// Ends.

bool Grids::blocks_end(std::uint32_t slot, Time now) {
  Grid& grid = of(slot);
  if (grid.alone) {
    const std::uint64_t capacity = room_.capacity(grid.need);
    const std::uint64_t waves = grid.left / capacity + (grid.left % capacity != 0 ? 1 : 0);
    const Duration whole{waves_time(waves, grid.block_time.ns)};
    if (now < grid.alone_since + whole) return false;  // an end from before it was alone
    tell_waves(grid, grid.left);
    grid.left = 0;
    grid.alone = false;
    alone_ = no_slot;
  }
  while (grid.ended < grid.batches.size() && grid.batches[grid.ended].end <= now) {
    const Batch& batch = grid.batches[grid.ended++];
    room_.remove(grid.need, std::span(grid.places).subspan(batch.first_place, batch.places));
    last_freed_ = grid.traced;
    changed_ = true;
  }
  if (grid.ended == grid.batches.size() && grid.left > 0) {  // so that they do not grow for ever
    grid.places.clear();
    grid.batches.clear();
    grid.ended = 0;
  }
  return grid.left == 0 && grid.ended == grid.batches.size();
}

void Grids::finish(std::uint32_t slot) {
  const std::uint32_t index = std::exchange(index_of_[slot], no_slot);
  Grid& grid = grids_[index];
  for (; grid.ended < grid.batches.size(); ++grid.ended) {  // open-ended ones
    const Batch& batch = grid.batches[grid.ended];
    room_.remove(grid.need, std::span(grid.places).subspan(batch.first_place, batch.places));
  }
  --running_;
  --inside_count_;
  --inside(grid.priority);
  last_left_ = last_freed_ = grid.traced;
  changed_ = true;
  free_.push_back(index);
}

void Grids::clear() {
  const MultiprocessorRules rules = rules_;
  room_ = Multiprocessors(rules);
  grids_.clear();
  free_.clear();
  index_of_.clear();
  outside_.clear();
  dispatchable_.clear();
  inside_.clear();
  inside_count_ = running_ = 0;
  alone_ = no_slot;
  changed_ = false;
}

}  // namespace millrace::sim
