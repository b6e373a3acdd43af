// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The operations of a run by their names, and what can be said of two of them. Scripts and tests
/// expect the same things of a run and are told the same sentences.

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace millrace::checker {

/// One of the operations of that name: the k-th, from 1 on, or the last one.
struct OperationName {
  std::string_view name;
  std::uint32_t instance = 0;  ///< 0: the last
};

/// As scripts write it, e.g. `fill#2`.
std::string to_string(OperationName operation);

/// An index over a trace, which must outlive it; made when it is first asked.
class Operations {
 public:
  explicit Operations(const Trace& trace) : trace_(trace) {}

  [[nodiscard]] const std::vector<TraceIndex>& instances(std::string_view name);
  /// `none` where there is no such operation.
  [[nodiscard]] TraceIndex find(OperationName operation);
  /// Why there is no such operation in the run; empty when there is.
  [[nodiscard]] std::string missing(OperationName operation);
  /// In every legal run in which the host threads act as in this one.
  [[nodiscard]] bool before(TraceIndex first, TraceIndex second);

  /// What differs from `a` ending before `b` starts in every legal run; empty when nothing does.
  [[nodiscard]] std::string why_not_before(OperationName a, OperationName b);
  /// The same for neither coming before the other.
  [[nodiscard]] std::string why_not_unordered(OperationName a, OperationName b);
  /// The same for both running at some time of this run.
  [[nodiscard]] std::string why_not_overlapping(OperationName a, OperationName b);

 private:
  /// Both operations; where one is missing, nothing but why.
  struct Pair {
    TraceIndex first = none;
    TraceIndex second = none;
    std::string missing;
  };
  [[nodiscard]] Pair find(OperationName a, OperationName b);
  [[nodiscard]] std::string span(OperationName name, TraceIndex operation) const;

  const Trace& trace_;
  std::optional<OrderRelation> order_;
  bool indexed_ = false;  // whether `instances_` is made
  std::unordered_map<std::string_view, std::vector<TraceIndex>> instances_;
};

}  // namespace millrace::checker
