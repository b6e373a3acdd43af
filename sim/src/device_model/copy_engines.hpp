// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// One copy engine: serves one copy at a time.

#include "../profile.hpp"
#include "demand.hpp"

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace millrace::sim {

class CopyEngine {
 public:
  explicit CopyEngine(EngineOrder order) : order_(order) {}

  struct Copy {
    std::uint32_t slot = no_slot;
    std::uint64_t serial = 0;  ///< order of submission
    std::int32_t priority = 0;
    Time asked{};  ///< since when it waits for the engine
  };

  /// All that the copy waited for is done. It is served in the engine's order among those that
  /// are ready: one that still waits for something else does not hold them.
  void ready(const Copy& copy);
  /// Whether it is free and there is one to serve.
  [[nodiscard]] bool can_serve() const { return !busy_ && !waiting_.empty(); }
  /// The next one to serve; the engine is busy with it until `done`.
  Copy serve();
  /// The copy has left it; `traced` is what later ones say they waited for.
  void done(TraceIndex traced) {
    busy_ = false;
    last_served_ = traced;
  }
  [[nodiscard]] TraceIndex last_served() const { return last_served_; }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Waiting {
    Key key;
    Copy copy;
    friend bool operator>(const Waiting& a, const Waiting& b) { return a.key > b.key; }
  };

  EngineOrder order_;
  bool busy_ = false;
  TraceIndex last_served_ = none;
  std::uint64_t readied_ = 0;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
};

}  // namespace millrace::sim
