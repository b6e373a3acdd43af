// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The steps of a trace in the order in which they happened.

#include <millrace/trace.hpp>

#include <cstddef>
#include <vector>

namespace millrace::checker {

/// Visits each step that happened, by its sequence number. Steps stand in their tables in order of
/// issue, which is nearly that order, so that one walk along both tables does. What happens later
/// than it was issued is kept aside until its turn: as much as is under way, not as long as the
/// run.
///
///   for (Walk walk(trace); const Step step = walk.next(); step.exists();) …
///
/// Of steps without a place of their own, which only damaged traces have, each still comes once.
class Walk {
 public:
  /// The trace must outlive the walk.
  explicit Walk(const Trace& trace);

  /// None when all have come.
  Step next();
  /// How many steps are kept aside at most.
  [[nodiscard]] std::size_t room() const { return aside_.size(); }

 private:
  static constexpr std::size_t least_room = 64;

  bool read_more();
  void keep(Step step, TraceIndex sequence);
  void grow(std::size_t distance);
  Step& slot(TraceIndex sequence) { return aside_[sequence & (aside_.size() - 1)]; }
  Step next_stray();

  const Trace& trace_;
  const TraceIndex calls_;
  const TraceIndex operations_;
  TraceIndex sequence_ = 0;  // the next one
  TraceIndex call_ = 0;      // the next one to read
  TraceIndex operation_ = 0;
  std::vector<Step> aside_;  // a ring by sequence number
  std::size_t kept_ = 0;
  std::vector<Step> strays_;
  bool strays_sorted_ = false;
};

}  // namespace millrace::checker
