// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the accesses to one piece of memory have left behind: for each byte those that a later
/// access may still conflict with. Bounded by the ranges in use and the number of chains, whatever
/// the length of the run. It keeps the latest accesses only, because who comes after them comes
/// after the earlier ones as well; and it does not tell host accesses from others, because then
/// that would not be so. It may therefore suspect what is no finding: two host threads without an
/// order.

#include "interval_map.hpp"
#include "moment.hpp"
#include "region.hpp"

#include <millrace/trace.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace millrace::checker {

/// The points after which past accesses are over, none of them ordered before another one. Nearly
/// always at most one.
class Marks {
 public:
  Marks() = default;
  Marks(const Marks& other);
  Marks(Marks&&) noexcept = default;
  Marks& operator=(const Marks& other);
  Marks& operator=(Marks&&) noexcept = default;
  ~Marks() = default;

  /// Whether `now` comes after all of them.
  [[nodiscard]] bool all_before(const ClockStore& clocks, const Moment& now) const {
    return clocks.knows(now.start, first_) && (others_ == nullptr || others_before(clocks, now));
  }
  /// Adds `now`, which takes the place of all that it comes after.
  void add(const ClockStore& clocks, const Moment& now) {
    if (others_ == nullptr && clocks.knows(now.start, first_)) {
      first_ = now.over;
    } else {
      add_other(clocks, now);
    }
  }
  /// Leaves out all that `now` comes after.
  void forget(const ClockStore& clocks, const Moment& now) {
    if (others_ != nullptr) {
      forget_others(clocks, now);
    } else if (clocks.knows(now.start, first_)) {
      first_ = {};
    }
  }
  friend bool operator==(const Marks& a, const Marks& b) {
    if (!(a.first_ == b.first_)) return false;
    return a.others_ == b.others_ ||
           (a.others_ != nullptr && b.others_ != nullptr && *a.others_ == *b.others_);
  }

 private:
  [[nodiscard]] bool others_before(const ClockStore& clocks, const Moment& now) const;
  void add_other(const ClockStore& clocks, const Moment& now);
  void forget_others(const ClockStore& clocks, const Moment& now);

  Epoch first_;  // without a chain there is none, and everybody knows it
  std::unique_ptr<std::vector<Epoch>> others_;
};

/// The shadow of one piece of memory.
class Shadow {
 public:
  /// Notes an access; false when it may conflict with one before, or with the memory's life. After
  /// that the shadow means nothing.
  bool access(const ClockStore& clocks, const TraceAccess& access, const Moment& now) {
    if (bounds_life(access.mode)) return bound_life(clocks, access.mode, now);
    const Region region = Region::of(access);
    if (region.empty()) return true;
    is_touched_ = true;
    const bool alive = !is_freed_ && clocks.knows(now.start, allocated_);
    return touch(clocks, region, writes(access.mode), now) && alive;
  }

 private:
  struct Cell {
    Epoch write;  // the last one: all that came before must come before it
    Marks reads;  // since then

    friend bool operator==(const Cell&, const Cell&) = default;

    /// Whether an access at this time comes after what it may conflict with.
    [[nodiscard]] bool all_before(const ClockStore& clocks, bool is_write,
                                  const Moment& now) const {
      return clocks.knows(now.start, write) && (!is_write || reads.all_before(clocks, now));
    }
    void note(const ClockStore& clocks, bool is_write, const Moment& now) {
      if (is_write) {
        write = now.over;
        reads = {};
      } else {
        reads.add(clocks, now);
      }
    }
  };
  struct Piece {
    Region region;
    Cell cell;
  };

  static bool touch(const ClockStore& clocks, Cell& cell, bool write, const Moment& now) {
    const bool fine = cell.all_before(clocks, write, now);
    cell.note(clocks, write, now);
    return fine;
  }
  bool touch(const ClockStore& clocks, const Region& region, bool write, const Moment& now) {
    if (region == whole_ && ranges_ == nullptr && pieces_ == nullptr) {
      return touch(clocks, cell_, write, now);
    }
    return touch_part(clocks, region, write, now);
  }
  bool touch_part(const ClockStore& clocks, const Region& region, bool write, const Moment& now);
  bool touch_pieces(const ClockStore& clocks, const Region& region, bool write, const Moment& now);
  bool bound_life(const ClockStore& clocks, AccessMode mode, const Moment& now);
  bool allocate(const Moment& now);
  bool free(const ClockStore& clocks, const Moment& now);
  template <typename Visit>
  void for_each_cell(Visit visit) const;
  void use_ranges();
  void use_pieces();

  // Most memory is only ever accessed as a whole: one cell does. The first access to another range
  // makes it a map of ranges, the first one in 2D a list of regions.
  Region whole_;
  Cell cell_;
  std::unique_ptr<IntervalMap<Cell>> ranges_;
  std::unique_ptr<std::vector<Piece>> pieces_;
  Epoch allocated_;  // no chain: it was there from the start
  Marks freed_;
  bool is_freed_ = false;
  bool is_touched_ = false;
};

}  // namespace millrace::checker
