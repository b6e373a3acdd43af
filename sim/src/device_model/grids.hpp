// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The grids of one device, from the moment they leave their queue: at most so many at once, their
/// blocks dispatched by priority and then in order of arrival as room appears, none ever preempted.
/// Where a grid has the device to itself its waves are computed, not simulated.

#include "../profile.hpp"
#include "demand.hpp"
#include "multiprocessors.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace millrace::sim {

/// Told by Grids::dispatch.
class GridListener {
 public:
  virtual ~GridListener() = default;
  /// It has waited outside and is one of the device's grids now: it leaves its queue.
  virtual void let_in(std::uint32_t slot) = 0;
  /// Its first blocks start. `kind` and `because` say what they waited for; unknown: nothing here.
  virtual void started(std::uint32_t slot, ConstraintKind kind, TraceIndex because) = 0;
  /// Blocks of it, a traced one, hold so many warps; never: until `finish`.
  virtual void placed(std::uint32_t slot, std::uint64_t warps, Time begin, Time end) = 0;
  /// Grids::blocks_end(slot) is to be called then.
  virtual void wake(std::uint32_t slot, Time at) = 0;
};

class Grids {
 public:
  Grids(const MultiprocessorRules& rules, GridListener& listener);

  struct NewGrid {
    std::uint32_t slot = no_slot;
    TraceIndex traced = none;
    std::int32_t priority = 0;  ///< lower is more urgent
    Demand demand{};
    Duration block_time{};
    bool open_ended = false;  ///< one block, which ends when `finish` is called
  };
  /// It may start as far as streams and queues are concerned. Returns whether it is one of the
  /// device's grids at once and leaves its queue.
  bool arrive(const NewGrid& grid);
  /// Lets in and starts what it can. To be called when nothing else happens at `now`.
  void dispatch(Time now);
  /// A time that `wake` asked for: returns whether the grid is complete. If so, `finish` follows.
  bool blocks_end(std::uint32_t slot, Time now);
  /// The grid leaves.
  void finish(std::uint32_t slot);

  [[nodiscard]] bool running() const { return running_ > 0; }
  /// Whether any wait for a place or for room.
  [[nodiscard]] bool waiting() const { return !dispatchable_.empty() || !outside_.empty(); }
  void clear();

 private:
  struct Batch {
    Time end{};
    std::size_t first_place = 0;  // its blocks' places: up to the next batch's
    std::size_t places = 0;
  };
  struct Grid {
    std::uint32_t slot = no_slot;
    TraceIndex traced = none;
    std::int32_t priority = 0;
    BlockNeed need{};
    Duration block_time{};
    std::uint64_t order = 0;
    std::uint64_t left = 0;  // blocks not dispatched
    std::vector<PlacedBlocks> places;
    std::vector<Batch> batches;  // in order of their ends, from `ended` on
    std::size_t ended = 0;
    bool open_ended = false;
    bool has_started = false;
    ConstraintKind bound = ConstraintKind::unknown;  // what kept it beyond its arrival, and …
    TraceIndex because = none;                       // … who, where that is known by now
    // Alone on the device: its waves are computed from here on.
    bool alone = false;
    Time alone_since{};
  };
  struct Rank {
    std::int32_t priority;
    std::uint64_t order;
    // clang-tidy 14 misreads a defaulted <=>. NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };

  struct Inside {  // how many of a priority: there are few priorities
    std::int32_t priority = 0;
    std::uint32_t count = 0;
  };

  std::uint32_t take_index();
  std::uint32_t& inside(std::int32_t priority) {
    for (Inside& known : inside_) {
      if (known.priority == priority) return known.count;
    }
    return inside_.emplace_back(Inside{.priority = priority}).count;
  }
  void let_in();
  void admit(std::uint32_t index) {
    ++inside_count_;
    ++inside(grids_[index].priority);
    queue_blocks(index);
  }
  [[nodiscard]] bool must_drain(const Grid& next) const;
  [[nodiscard]] bool may_run_alone(const Grid& grid) const;
  void run_alone(Grid& grid, Time now);
  void end_solitude(Time now);
  bool start_blocks(Grid& grid, Time now);
  void place_batch(Grid& grid, std::uint64_t blocks, Time begin, Time end);
  void tell_waves(const Grid& grid, std::uint64_t blocks);
  void tell_placed(const Grid& grid, std::uint64_t blocks, Time begin, Time end) {
    if (grid.traced == none) return;
    listener_.placed(grid.slot, blocks * grid.need.warps, begin, end);
  }
  void mark_started(Grid& grid);
  void queue_blocks(std::uint32_t index) {
    if (dispatchable_.empty()) return dispatchable_.push_back(index);
    queue_by_rank(index);
  }
  void queue_by_rank(std::uint32_t index);
  Grid& of(std::uint32_t slot) { return grids_[index_of_[slot]]; }

  MultiprocessorRules rules_;
  GridListener& listener_;
  Multiprocessors room_;
  std::vector<Grid> grids_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> index_of_;      // by slot
  std::map<Rank, std::uint32_t> outside_;    // wait to be one of the device's grids
  std::vector<std::uint32_t> dispatchable_;  // have blocks left, most urgent first
  std::vector<Inside> inside_;               // how many of them are the device's now
  std::uint32_t inside_count_ = 0;
  std::uint32_t running_ = 0;
  std::uint32_t alone_ = no_slot;  // index of the grid that runs alone
  std::uint64_t arrivals_ = 0;
  TraceIndex last_left_ = none;   // of the grids, and …
  TraceIndex last_freed_ = none;  // … whose blocks ended last
  bool changed_ = false;
};

}  // namespace millrace::sim
