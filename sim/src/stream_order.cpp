// SPDX-License-Identifier: Apache-2.0
#include "stream_order.hpp"

#include <algorithm>

namespace millrace::sim {

void Reach::add(const StreamPlace& place) {
  if (last_.size() <= place.stream) last_.resize(place.stream + 1);
  last_[place.stream] = std::max(last_[place.stream], place.serial);
}

void StreamOrder::forget_before(std::uint64_t serial) {
  while (!orders_.empty() && orders_.front().later.serial < serial) orders_.pop_front();
}

/// One pass from the newest order to the oldest does: what an order leads to was enqueued before
/// it, and so was every order that leads on from there.
Reach StreamOrder::before(std::span<const StreamPlace> places) const {
  Reach reach;
  for (const StreamPlace& place : places) reach.add(place);
  for (auto order = orders_.rbegin(); order != orders_.rend(); ++order) {
    if (reach.covers(order->later)) reach.add(order->earlier);
  }
  return reach;
}

}  // namespace millrace::sim
