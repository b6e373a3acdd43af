// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// All pairs of accesses to one memory that are a race or a use after free: not only the nearest
/// ones, which its Shadow sees, but every pair that no order holds apart.

#include "conflicts.hpp"
#include "history.hpp"
#include "moment.hpp"
#include "region.hpp"
#include "turns.hpp"

#include <millrace/trace.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace millrace::checker {

/// Fed with the turns at the memory in the order in which they happened. Each costs a look at every
/// range and chain that it could conflict with, and one at every place that it does conflict with,
/// whatever the number of accesses. Stops at `most_conflicts` for one object.
class ConflictFinder {
 public:
  static constexpr std::size_t most_conflicts = 1000;

  ConflictFinder(const Steps& steps, const Stamps& stamps, TraceIndex memory, ConflictList& list)
      : steps_(steps), stamps_(stamps), memory_(memory), list_(list) {}

  /// The turn's accesses to this memory; others are passed over.
  void feed(Turn turn);

 private:
  /// What a step touches: the same for all instances of a launch in a loop.
  struct Touch {
    Region region;
    bool write = false;
    // clang-tidy 14 misreads a defaulted <=>. NOLINTNEXTLINE(modernize-use-nullptr)
    friend constexpr auto operator<=>(const Touch&, const Touch&) = default;
  };
  using Footprint = std::vector<Touch>;
  /// Two footprints that conflict if nothing orders them: how, and at which bytes.
  struct Meeting {
    std::uint32_t other = 0;
    ByteRange bytes;
    AccessMode mine = AccessMode::read;
    AccessMode theirs = AccessMode::read;
  };
  struct Known {
    Footprint footprint;
    ByteRange extent;
    AccessMode mode = AccessMode::read;
    std::vector<Meeting> meetings;
    History history;
  };
  struct Bound {
    Party party;
    Moment moment;
  };

  void use(const Party& party, const Moment& moment, std::uint32_t footprint);
  void allocate(const Party& party, const Moment& moment);
  void free(const Party& party, const Moment& moment);
  void report_uses(const Party& party, const Moment& moment, bool all);
  void report_bound(const Bound& bound, const Party& party, ByteRange bytes);
  std::uint32_t footprint_of(Footprint&& touches);
  static std::optional<Meeting> meet(const Footprint& a, const Footprint& b);
  [[nodiscard]] bool before(const Bound& bound, const Moment& moment) const {
    return is_before(stamps_.clocks, bound.moment, moment);
  }
  [[nodiscard]] ByteRange all_bytes() const { return {0, steps_.trace().memories[memory_].bytes}; }

  const Steps& steps_;
  const Stamps& stamps_;
  TraceIndex memory_;
  ConflictList& list_;
  std::map<Footprint, std::uint32_t> footprints_;
  std::vector<Known> known_;
  std::optional<Bound> allocated_;
  std::vector<Bound> freed_;
};

/// The conflicts of two steps; none where they are ordered or touch nothing in common.
std::vector<Conflict> conflicts_between(const Steps& steps, const Stamps& stamps, Step a, Step b);

}  // namespace millrace::checker
