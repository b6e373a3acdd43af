// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Programs to explore, whose behaviours can be counted by hand.

#include <millrace/explore.hpp>
#include <millrace/millrace.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace millrace::test {

/// Without traces: only what hosts see counts.
inline sim::ExploreOptions untraced(const sim::Strategy& strategy = sim::exhaustive{}) {
  sim::ExploreOptions options;
  options.run.trace = false;
  options.strategy = strategy;
  options.stop_at_failure = false;
  return options;
}

/// Host threads that write `writes` times each, all to one buffer or each to its own.
inline void writers(std::size_t threads, std::size_t writes, bool shared) {
  std::vector<Buffer<int>> buffers;
  for (std::size_t i = 0; i < (shared ? 1 : threads); ++i)
    buffers.emplace_back(1, MemoryKind::pinned);
  std::vector<sim::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&buffers, i, writes, shared] {
      for (std::size_t n = 0; n < writes; ++n) buffers[shared ? 0 : i].write()[0] += 1;
    });
  }
  for (sim::thread& one : running) one.join();
}

/// Two threads that add 1 to a counter by a read and a write: what it is in the end.
inline void lost_update() {
  Buffer<int> counter(1, MemoryKind::pinned);
  counter.write()[0] = 0;
  const auto add = [&counter] {
    const int seen = counter.read()[0];
    counter.write()[0] = seen + 1;
  };
  sim::thread one("one", add);
  sim::thread other("other", add);
  one.join();
  other.join();
  sim::observe(std::to_string(counter.view()[0]));
}

}  // namespace millrace::test
