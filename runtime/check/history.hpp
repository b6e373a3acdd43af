// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Earlier accesses to one region, kept so that those which a later one does not come after are
/// found without looking at the others.

#include "moment.hpp"

#include <millrace/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace millrace::checker {

/// A step at some memory.
struct Party {
  Step step{};
  AccessMode mode = AccessMode::read;
  AccessOrder order = AccessOrder::in_order;
};

/// Knowing a position of a chain is knowing all before it, so that what is not known is the end of
/// each chain. There the accesses are grouped by the place of the program that made them.
class History {
 public:
  void remember(const Party& party, const Moment& moment, std::uint32_t place);

  /// For each place and chain with accesses that `now` does not come after: calls
  /// `visit(first, count)` with the first of these and their number. With `all`, it comes after
  /// none. Those of the very step of `now` are left out, and host accesses when `now` is one too,
  /// unless `both_host`.
  struct Query {
    const Moment& now;
    Step step{};
    bool all = false;
    bool both_host = false;
  };
  template <typename Visit>
  void unordered(const ClockStore& clocks, const Query& query, Visit visit) const;
  /// The same, one by one: calls `visit(access, 1)` for each.
  template <typename Visit>
  void each_unordered(const ClockStore& clocks, const Query& query, Visit visit) const;

 private:
  struct Group {
    std::uint32_t place = 0;
    std::vector<Position> positions;
    std::vector<Party> parties;
  };
  struct Lane {
    ChainId chain = no_chain;
    bool host = false;
    std::vector<Group> groups;
    std::map<std::uint32_t, std::size_t> by_place;
    std::vector<std::size_t> recent;  // groups by their last position
  };

  Lane& lane(const Moment& moment);
  static Group& group(Lane& lane, std::uint32_t place);
  /// Calls `visit(group, index)` with the first in each group that is not known.
  template <typename Visit>
  void ends(const ClockStore& clocks, const Query& query, Visit visit) const;

  std::vector<Lane> lanes_;
};

template <typename Visit>
void History::ends(const ClockStore& clocks, const Query& query, Visit visit) const {
  for (const Lane& lane : lanes_) {
    if (lane.host && query.now.host && !query.both_host) continue;
    const Position known = query.all ? 0 : clocks.at(query.now.start, lane.chain);
    for (std::size_t i = lane.recent.size(); i-- > 0;) {
      const Group& group = lane.groups[lane.recent[i]];
      if (group.positions.back() <= known) break;
      const auto begin = group.positions.begin();
      const auto first = std::upper_bound(begin, group.positions.end(), known) - begin;
      visit(group, static_cast<std::size_t>(first));
    }
  }
}

template <typename Visit>
void History::unordered(const ClockStore& clocks, const Query& query, Visit visit) const {
  ends(clocks, query, [&](const Group& group, std::size_t first) {
    std::uint64_t count = group.positions.size() - first;
    if (group.parties.back().step == query.step) --count;
    if (count > 0) visit(group.parties[first], count);
  });
}

template <typename Visit>
void History::each_unordered(const ClockStore& clocks, const Query& query, Visit visit) const {
  ends(clocks, query, [&](const Group& group, std::size_t first) {
    for (std::size_t i = first; i < group.parties.size(); ++i) {
      if (!(group.parties[i].step == query.step)) visit(group.parties[i], std::uint64_t{1});
    }
  });
}

}  // namespace millrace::checker
