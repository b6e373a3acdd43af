// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What is to happen, in order of (time, number of scheduling): the one place where simultaneous
/// things are put in order.

#include <millrace/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::sim {

/// Mostly few things are pending, and what is added is sooner than most of them: the nearest stand
/// sorted in an array, the next one last, what is beyond them in a heap.
class EventQueue {
 public:
  struct Event {
    std::int64_t at = 0;
    std::uint64_t number = 0;
    std::uint64_t serial = 0;  ///< of the operation, to tell one from a later one in the same slot
    std::uint32_t slot = 0;
  };

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// The time of the next one; never, where there is none.
  [[nodiscard]] Time next() const { return empty() ? Time::never() : Time{near_[count_ - 1].at}; }

  void add(Time at, std::uint32_t slot, std::uint64_t serial) {
    const Event event{at.ns, ++number_, serial, slot};
    if (count_ == near_.size()) make_room();
    if (!far_.empty() && event.at >= far_.front().at) return add_far(event);
    // After all that happen at the same time: none has a higher number.
    std::size_t place = count_++;
    for (; place > 0 && near_[place - 1].at <= event.at; --place) near_[place] = near_[place - 1];
    near_[place] = event;
  }

  /// Takes the next one; there must be one.
  Event take() {
    const Event event = near_[--count_];
    if (count_ == 0 && !far_.empty()) refill();
    return event;
  }

 private:
  static constexpr std::size_t most_near = 64;

  void add_far(const Event& event);
  void make_room();
  void refill();

  std::array<Event, most_near> near_;  // the first `count_` are pending, the next one last
  std::size_t count_ = 0;
  std::vector<Event> far_;  // a heap of those that come after all in near_
  std::uint64_t number_ = 0;
};

}  // namespace millrace::sim
