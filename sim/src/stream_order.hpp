// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Which operations of other streams a stream's next one comes after, by events and by the legacy
/// stream's rule: what a memory pool may rely on.

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace millrace::sim {

/// The operations of a stream up to one.
struct StreamPlace {
  std::uint32_t stream = 0;
  std::uint64_t serial = 0;
};

/// By stream: the serial of the last operation that is reached.
class Reach {
 public:
  void add(const StreamPlace& place);
  [[nodiscard]] bool covers(const StreamPlace& place) const {
    return place.stream < last_.size() && place.serial <= last_[place.stream];
  }

 private:
  std::vector<std::uint64_t> last_;
};

class StreamOrder {
 public:
  /// The operation at `later` comes after those up to `earlier`. To be told in order of `later`.
  void note(const StreamPlace& later, const StreamPlace& earlier) {
    orders_.push_back({later, earlier});
  }
  /// Nobody asks for what is before that serial any more.
  void forget_before(std::uint64_t serial);
  /// All that comes before one of these places, themselves included.
  [[nodiscard]] Reach before(std::span<const StreamPlace> places) const;

  [[nodiscard]] std::size_t size() const { return orders_.size(); }

 private:
  struct Order {
    StreamPlace later;
    StreamPlace earlier;
  };
  std::deque<Order> orders_;
};

}  // namespace millrace::sim
