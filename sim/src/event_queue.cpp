// SPDX-License-Identifier: Apache-2.0
#include "event_queue.hpp"

#include <algorithm>

namespace millrace::sim {
namespace {

bool later(const EventQueue::Event& a, const EventQueue::Event& b) {
  return a.at != b.at ? a.at > b.at : a.number > b.number;
}

}  // namespace

void EventQueue::add_far(const Event& event) {
  far_.push_back(event);
  std::ranges::push_heap(far_, later);
}

/// The later half goes beyond.
void EventQueue::make_room() {
  constexpr std::size_t half = most_near / 2;
  for (std::size_t place = 0; place < half; ++place) add_far(near_[place]);
  std::copy(near_.begin() + half, near_.end(), near_.begin());
  count_ = half;
}

void EventQueue::refill() {
  count_ = std::min(far_.size(), most_near / 2);
  for (std::size_t place = count_; place > 0; --place) {
    std::ranges::pop_heap(far_, later);
    near_[place - 1] = far_.back();
    far_.pop_back();
  }
}

}  // namespace millrace::sim
