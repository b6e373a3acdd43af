// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The conflicts of a run: two steps at one memory that are a race or a use after free.

#include "history.hpp"
#include "region.hpp"
#include "steps.hpp"

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace millrace::checker {

/// Of several pairs at the same two places of the program, the one that happened first.
struct Conflict {
  FindingKind kind = FindingKind::race;
  TraceIndex memory = none;
  Party first;  ///< by the order of steps
  Party second;
  ByteRange bytes;
  std::uint64_t count = 1;
};

/// Collects conflicts; those of one kind, object and pair of places become one.
class ConflictList {
 public:
  explicit ConflictList(const Steps& steps) : steps_(steps) {}

  /// `conflict.count` pairs, of which it is the first one; its two sides in any order.
  void add(Conflict conflict);
  /// The number of a step's place in the program: file, line and what stands there.
  std::uint32_t place(Step step);
  /// How many conflicts there are at memory of this name.
  [[nodiscard]] std::size_t count_at(TraceIndex memory) const;
  /// All of them, in the order in which they happened.
  [[nodiscard]] std::vector<Conflict> take();

 private:
  using Place = std::tuple<TraceIndex, std::uint32_t, TraceIndex, bool, int>;
  using Key = std::tuple<FindingKind, std::size_t, std::uint32_t, std::uint32_t>;
  [[nodiscard]] std::size_t object(TraceIndex memory) const;
  [[nodiscard]] bool happened_earlier(const Conflict& a, const Conflict& b) const;

  const Steps& steps_;
  std::map<Place, std::uint32_t> places_;
  std::map<Key, std::size_t> ids_;
  std::map<std::size_t, std::size_t> counts_;  // by object
  std::vector<Conflict> conflicts_;
};

}  // namespace millrace::checker
