// SPDX-License-Identifier: Apache-2.0
#include "hardware_queues.hpp"

#include <algorithm>
#include <utility>

namespace millrace::sim {

HardwareQueues::HardwareQueues(const QueueRules& rules) : rules_(rules), queues_(rules.count) {}

void HardwareQueues::add_stream(bool created) {
  Stream added;
  if (rules_.count == 0) {  // each has its own
    added.queue = static_cast<std::uint32_t>(queues_.size());
    queues_.emplace_back();
  } else {
    added.queue = created ? created_++ % rules_.count : queue_of_default_stream();
  }
  streams_.push_back(added);
  rings_.resize(std::max(streams_.size(), queues_.size()));
}

std::uint32_t HardwareQueues::queue_of_default_stream() {
  switch (rules_.default_streams) {
    case DefaultStreamQueue::first:
      return 0;
    case DefaultStreamQueue::last:
      return rules_.count - 1;
    case DefaultStreamQueue::own:
      queues_.emplace_back();
      return static_cast<std::uint32_t>(queues_.size() - 1);
  }
  return 0;
}

/// A stream that becomes busy takes the queue with the fewest busy streams.
void HardwareQueues::take_queue(std::uint32_t stream) {
  Stream& taker = streams_[stream];
  if (taker.unfinished++ > 0 || rules_.assignment != QueueAssignment::busy || rules_.count == 0) {
    return;
  }
  const auto shared = queues_.begin() + static_cast<std::ptrdiff_t>(rules_.count);
  const auto best = std::ranges::min_element(queues_.begin(), shared, {}, &Queue::busy_streams);
  taker.queue = static_cast<std::uint32_t>(best - queues_.begin());
  ++best->busy_streams;
}

void HardwareQueues::ended(std::uint32_t stream) {
  Stream& ender = streams_[stream];
  if (--ender.unfinished > 0 || rules_.assignment != QueueAssignment::busy || rules_.count == 0) {
    return;
  }
  --queues_[ender.queue].busy_streams;
}

bool HardwareQueues::enqueue(const Entry& entry) {
  take_queue(entry.stream);
  if (entry.in_ring) ++rings_[ring_of(entry.stream)];
  if (!entry.in_queue) return false;
  Queue& queue = queues_[streams_[entry.stream].queue];
  // What stands before it in its own stream is over before it can go on, and passed on before that.
  const bool waits = queue.tail != no_slot && queue.tail_stream != entry.stream;
  if (waits) {
    if (behind_.size() <= queue.tail) behind_.resize(queue.tail + 1, no_slot);
    behind_[queue.tail] = entry.slot;
  }
  queue.tail = entry.slot;
  queue.tail_stream = entry.stream;
  return waits;
}

std::uint32_t HardwareQueues::pass_on(const Entry& entry) {
  if (!entry.in_queue) return no_slot;
  Queue& queue = queues_[streams_[entry.stream].queue];
  if (queue.tail == entry.slot) queue.tail = no_slot;
  if (behind_.size() <= entry.slot) return no_slot;
  return std::exchange(behind_[entry.slot], no_slot);
}

std::uint32_t HardwareQueues::before(std::uint32_t slot) const {
  const auto found = std::ranges::find(behind_, slot);
  return found == behind_.end() ? no_slot : static_cast<std::uint32_t>(found - behind_.begin());
}

void HardwareQueues::clear() {
  for (Queue& queue : queues_) queue = Queue{};
  for (Stream& stream : streams_) stream.unfinished = 0;
  std::ranges::fill(rings_, 0U);
  std::ranges::fill(behind_, no_slot);
}

}  // namespace millrace::sim
