// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The checker: from a trace's order relation to findings. A finding is a proof from the program's
/// own ordering; simulated timing has no part in it.

#include <millrace/trace.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace millrace {

enum class FindingKind : std::uint8_t { race, use_after_free, use_after_destroy, unrecorded_wait, deadlock };

/// As scripts and JSON write it, e.g. "use-after-free".
std::string_view to_string(FindingKind kind);

/// One side of a finding: an operation, or an access or call of the host.
struct Site {
  Step step{};
  std::string operation;  ///< its name; "read" or "write" for host accesses
  std::string stream;     ///< "host" for host accesses and calls
  std::string thread;     ///< the host thread that issued it
  std::string file;
  std::uint32_t line = 0;
};

struct Finding {
  FindingKind kind = FindingKind::race;
  std::string object;        ///< the buffer, event, stream …; empty for a deadlock
  std::uint64_t begin = 0;   ///< the bytes in conflict, half open (race, use-after-free)
  std::uint64_t end = 0;
  Site first;
  Site second;
  std::string explanation;   ///< why the two are not ordered and where their orders part
  std::string fix;           ///< the cheapest edge that would order them, and what it costs here
  std::uint64_t count = 1;   ///< how many pairs of the same two sites and object
  /// It follows from the accidental order of unordered host threads: another legal run may lack it.
  bool schedule_dependent = false;
};

/// What a trace's program orders, whatever its timing. Holds what it needs of the trace, not the trace.
class OrderRelation {
 public:
  explicit OrderRelation(const Trace& trace);
  ~OrderRelation();
  OrderRelation(OrderRelation&&) noexcept;
  OrderRelation& operator=(OrderRelation&&) noexcept;

  /// Whether `a` ends before `b` starts in every legal run. False when either never happened.
  [[nodiscard]] bool before(Step a, Step b) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// All findings of a trace, grouped by cause, in the order in which they happened.
std::vector<Finding> check(const Trace& trace);

/// The finding for people: several lines, as the command prints it.
std::string describe(const Finding& finding);

}  // namespace millrace
