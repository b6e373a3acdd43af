// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"

#include <millrace/stream_pool.hpp>

#include <algorithm>
#include <array>
#include <list>
#include <mutex>
#include <optional>

namespace millrace {
namespace {

/// The streams of one device and priority.
struct Lane {
  Device device;
  int priority;
  std::size_t next = 0;
  std::array<std::optional<Stream>, StreamPool::size> streams{};
};

}  // namespace

struct StreamPool::State {
  /// The lane, and the place in it whose turn it is.
  std::pair<Lane*, std::size_t> take_turn(const Device& device, int priority) {
    const std::lock_guard lock(mutex);
    auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& other) {
      return other.device == device && other.priority == priority;
    });
    if (lane == lanes.end()) lane = lanes.insert(lane, Lane{device, priority});
    return {&*lane, lane->next++ % size};
  }

  std::mutex mutex;
  std::list<Lane> lanes;  // a list keeps addresses when it grows
};

StreamPool::StreamPool() : state_(std::make_shared<State>()) {}

Stream StreamPool::get(const Device& device, int priority, SourceLocation where) {
  enter("StreamPool::get", where);
  const DeviceProperties range = device.properties();
  priority = std::clamp(priority, range.greatest_priority, range.least_priority);
  const auto [lane, place] = state_->take_turn(device, priority);
  std::optional<Stream>& stream = lane->streams[place];
  {
    const std::lock_guard lock(state_->mutex);
    if (stream) return *stream;
  }
  // Made without the lock, which making a stream could keep while it switches fibers.
  const Stream fresh(StreamOptions{.device = device, .priority = priority}, where);
  const std::lock_guard lock(state_->mutex);
  if (!stream) stream = fresh;
  return *stream;
}

Stream StreamPool::get(int priority, SourceLocation where) {
  return get(current_device(where), priority, where);
}

}  // namespace millrace
