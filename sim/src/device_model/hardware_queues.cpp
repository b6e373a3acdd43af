// SPDX-License-Identifier: Apache-2.0
#include "hardware_queues.hpp"

#include <algorithm>

namespace millrace::sim {

HardwareQueues::HardwareQueues(const QueueRules& rules)
    : rules_(rules),
      held_while_busy_(rules.assignment == QueueAssignment::busy && rules.count > 0),
      queues_(rules.count) {}

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
void HardwareQueues::become_busy(Stream& stream) {
  const auto shared = queues_.begin() + static_cast<std::ptrdiff_t>(rules_.count);
  const auto best = std::ranges::min_element(queues_.begin(), shared, {}, &Queue::busy_streams);
  stream.queue = static_cast<std::uint32_t>(best - queues_.begin());
  ++best->busy_streams;
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
