// SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include <algorithm>

namespace millrace::checker {

History::Lane& History::lane(const Moment& moment) {
  for (Lane& lane : lanes_) {
    if (lane.chain == moment.over.chain && lane.host == moment.host) return lane;
  }
  Lane& lane = lanes_.emplace_back();
  lane.chain = moment.over.chain;
  lane.host = moment.host;
  return lane;
}

/// The group of that place, which becomes the most recent one.
History::Group& History::group(Lane& lane, std::uint32_t place) {
  const auto [found, is_new] = lane.by_place.try_emplace(place, lane.groups.size());
  const std::size_t index = found->second;
  if (is_new) {
    lane.groups.push_back({place, {}, {}});
  } else if (lane.recent.back() != index) {
    const auto at = std::find(lane.recent.rbegin(), lane.recent.rend(), index);
    lane.recent.erase(std::next(at).base());
  } else {
    lane.recent.pop_back();
  }
  lane.recent.push_back(index);
  return lane.groups[index];
}

void History::remember(const Party& party, const Moment& moment, std::uint32_t place) {
  Group& into = group(lane(moment), place);
  into.positions.push_back(moment.over.position);
  into.parties.push_back(party);
}

}  // namespace millrace::checker
