// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What is to happen, in order of (time, number of scheduling): the one place where simultaneous
/// things are put in order.

#include <millrace/time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::sim {

/// Mostly few things are pending, and what is added is later than most of them: the nearest stand
/// sorted in an array, what is beyond them in a heap.
class EventQueue {
 public:
  struct Event {
    std::int64_t at = 0;
    std::uint64_t number = 0;
    std::uint64_t serial = 0;  ///< of the operation, to tell one from a later one in the same slot
    std::uint32_t slot = 0;
  };

  [[nodiscard]] bool empty() const { return first_ == end_; }
  /// The time of the next one; never, where there is none.
  [[nodiscard]] Time next() const { return empty() ? Time::never() : Time{near_[first_].at}; }

  void add(Time at, std::uint32_t slot, std::uint64_t serial) {
    const Event event{at.ns, ++number_, serial, slot};
    if (end_ == near_.size()) make_room();
    const bool beyond = !far_.empty() && later(event, far_.front());
    if (beyond) return add_far(event);
    insert(event);
  }

  /// Takes the next one; there must be one.
  Event take() {
    const Event event = near_[first_++];
    if (first_ == end_) refill();
    return event;
  }

 private:
  static constexpr std::size_t most_near = 64;

  static bool later(const Event& a, const Event& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }

  void insert(const Event& event) {
    std::size_t at = end_++;
    for (; at > first_ && later(near_[at - 1], event); --at) near_[at] = near_[at - 1];
    near_[at] = event;
  }

  void add_far(const Event& event) {
    far_.push_back(event);
    std::ranges::push_heap(far_, later);
  }

  /// The later half goes beyond, unless moving to the front is enough.
  void make_room() {
    while (end_ - first_ > most_near / 2) add_far(near_[--end_]);
    std::copy(near_.begin() + static_cast<std::ptrdiff_t>(first_),
              near_.begin() + static_cast<std::ptrdiff_t>(end_), near_.begin());
    end_ -= first_;
    first_ = 0;
  }

  void refill() {
    first_ = end_ = 0;
    while (!far_.empty() && end_ < most_near / 2) {
      std::ranges::pop_heap(far_, later);
      near_[end_++] = far_.back();
      far_.pop_back();
    }
  }

  std::array<Event, most_near> near_;  // [first_, end_) are pending, in order
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  std::vector<Event> far_;  // a heap of those that come after all in near_
  std::uint64_t number_ = 0;
};

}  // namespace millrace::sim
