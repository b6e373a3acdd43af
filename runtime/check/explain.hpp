// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// From conflicts to findings that can be acted on: why, where, and what would cure it.

#include "accidents.hpp"
#include "conflicts.hpp"
#include "names.hpp"
#include "stamps.hpp"
#include "steps.hpp"

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace millrace::checker {

/// What explanations are made from.
struct Story {
  Story(const Steps& steps_, const Stamps& stamps_);

  const Trace& trace;
  const Steps& steps;
  const Stamps& stamps;
  Names names;
  Accidents accidents;
  std::vector<TraceIndex> unrecorded;  // calls: waits for events without a record
  /// By event and stream, where there is one: the first record.
  std::map<std::pair<TraceIndex, TraceIndex>, TraceIndex> first_records;
};

/// A conflict's two sides in the order in which the program issues them, which people think in: a
/// fix makes the later one wait for the earlier one.
struct Pair {
  Pair(const Story& story, const Conflict& conflict);

  const Conflict* conflict;
  Party earlier;
  Party later;
  TraceIndex earlier_call;
  TraceIndex later_call;
};

/// A wait (a call) that was meant to order the two, but found no record; none if there is none.
TraceIndex useless_wait(const Story& story, const Pair& pair);
/// Why nothing orders the two, in a sentence or two.
std::string why(Story& story, const Pair& pair);
/// The cheapest edge that would order them, and what it costs in this run.
std::string cure(Story& story, const Pair& pair);

/// Finds where the orders of two steps part: the last step that comes before both.
class Partings {
 public:
  explicit Partings(const Story& story);
  /// In a sentence.
  [[nodiscard]] std::string describe(const Pair& pair) const;

 private:
  [[nodiscard]] Step last_common(Step a, Step b) const;
  [[nodiscard]] Step at_or_before(ChainId chain, Position position) const;

  const Story& story_;
  std::vector<std::vector<std::pair<Position, Step>>> chains_;
};

Finding finding_of(Story& story, const Partings& partings, const Conflict& conflict);

/// Uses of destroyed objects, waits for events without a record, and a deadlock.
void add_call_findings(Story& story, std::vector<Finding>& findings);
void add_deadlock(Story& story, std::vector<Finding>& findings);

}  // namespace millrace::checker
