// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The hardware queues of one device: streams share them, what stands in one goes in order of its
/// calls, and each takes a bounded number of operations before the host has to wait.

#include "../profile.hpp"
#include "demand.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace millrace::sim {

class HardwareQueues {
 public:
  explicit HardwareQueues(const QueueRules& rules);

  /// `stream` counts the device's streams from 0 on, in this order.
  void add_stream(bool created);
  [[nodiscard]] std::uint32_t queue_of(std::uint32_t stream) const {
    return streams_[stream].queue;
  }

  /// Whether the ring takes one more operation of this stream.
  [[nodiscard]] bool has_place(std::uint32_t stream) const {
    return rules_.ring == 0 || rings_[ring_of(stream)] < rules_.ring;
  }

  struct Entry {
    std::uint32_t slot = no_slot;
    std::uint32_t stream = 0;
    bool in_queue = false;  ///< it stands in the queue
    bool in_ring = false;   ///< it takes a place in the ring
  };
  /// Returns whether it has to wait until what stands before it in the queue is passed on.
  bool enqueue(const Entry& entry) {
    Stream& stream = streams_[entry.stream];
    if (stream.unfinished++ == 0 && held_while_busy_) become_busy(stream);
    if (entry.in_ring) ++rings_[ring_of(entry.stream)];
    if (!entry.in_queue) return false;
    Queue& queue = queues_[stream.queue];
    // What stands before it in its own stream is over before it can go on, and passed on before
    // that.
    const bool waits = queue.tail != no_slot && queue.tail_stream != entry.stream;
    if (waits) {
      if (behind_.size() <= queue.tail) behind_.resize(queue.tail + 1, no_slot);
      behind_[queue.tail] = entry.slot;
    }
    queue.tail = entry.slot;
    queue.tail_stream = entry.stream;
    return waits;
  }
  /// An operation that stood in the queue is passed on to the device: gives what was waiting behind
  /// it, or no_slot.
  std::uint32_t pass_on(const Entry& entry) {
    if (!entry.in_queue) return no_slot;
    Queue& queue = queues_[streams_[entry.stream].queue];
    if (queue.tail == entry.slot) queue.tail = no_slot;
    if (behind_.size() <= entry.slot) return no_slot;
    return std::exchange(behind_[entry.slot], no_slot);
  }
  /// What this one waits for in its queue, or no_slot. Slow: for reports.
  [[nodiscard]] std::uint32_t before(std::uint32_t slot) const;
  /// An operation that took a place in the ring has started.
  void started(const Entry& entry) {
    if (entry.in_ring) --rings_[ring_of(entry.stream)];
  }
  /// It is over: for streams that hold a queue only while they are busy.
  void ended(std::uint32_t stream) {
    Stream& ender = streams_[stream];
    if (--ender.unfinished == 0 && held_while_busy_) --queues_[ender.queue].busy_streams;
  }
  void clear();

 private:
  struct Stream {
    std::uint32_t queue = 0;
    std::uint32_t unfinished = 0;
  };
  struct Queue {
    std::uint32_t tail = no_slot;  // the last operation in it, if it is not passed on yet
    std::uint32_t tail_stream = 0;
    std::uint32_t busy_streams = 0;
  };

  [[nodiscard]] std::uint32_t ring_of(std::uint32_t stream) const {
    return rules_.ring_scope == RingScope::stream ? stream : streams_[stream].queue;
  }
  void become_busy(Stream& stream);
  std::uint32_t queue_of_default_stream();

  QueueRules rules_;
  bool held_while_busy_;  // streams hold a queue only while they are busy
  std::uint32_t created_ = 0;
  std::vector<Stream> streams_;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> rings_;   // operations in the ring, by queue or by stream
  std::vector<std::uint32_t> behind_;  // by slot: what waits for it in its queue
};

}  // namespace millrace::sim
