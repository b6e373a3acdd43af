// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The checker: from a trace's order relation to findings. A finding is a proof from the program's
/// own ordering; simulated timing has no part in it.

#include <millrace/trace.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

enum class FindingKind : std::uint8_t {
  race,
  use_after_free,
  use_after_destroy,
  unrecorded_wait,
  deadlock,
  // Lints: nothing is wrong with the result, but the program waits for more than it has to, or is
  // right by luck.
  redundant_wait,     ///< a wait for what is ordered already
  host_sync,          ///< the host waits where a wait of a stream would do
  false_dependency,   ///< an operation waited for one that it shares nothing with
  unjoined_work,      ///< work that nobody has waited for when the program ends
  escaped_capture,    ///< work of a capturing thread that ran at once instead
  undocumented_wait,  ///< two accesses kept apart by a wait that is not promised
};

/// All lints, in the order in which they are listed above.
inline constexpr std::array all_lints{
    FindingKind::redundant_wait, FindingKind::host_sync,       FindingKind::false_dependency,
    FindingKind::unjoined_work,  FindingKind::escaped_capture, FindingKind::undocumented_wait};
constexpr bool is_lint(FindingKind kind) { return kind >= FindingKind::redundant_wait; }
/// The kind of that name, as `to_string` gives it; nothing where there is none.
std::optional<FindingKind> finding_kind(std::string_view name);

/// As scripts and JSON write it, e.g. "use-after-free".
std::string_view to_string(FindingKind kind);

/// One side of a finding: an operation, or an access or call of the host.
struct Site {
  Step step{};
  std::string operation;  ///< its name; of host calls what they do, e.g. "read", "destroy stream"
  std::string stream;     ///< "host" for host accesses and calls
  std::string thread;     ///< the host thread that issued it
  std::string file;
  std::uint32_t line = 0;  ///< 0 where it is not known
  std::string does;        ///< what it does to the object, e.g. "writes"

  friend bool operator==(const Site&, const Site&) = default;
};

struct Finding {
  FindingKind kind = FindingKind::race;
  std::string object;       ///< the buffer, event, stream …; empty for a deadlock
  std::uint64_t begin = 0;  ///< the bytes in conflict, half open (race, use-after-free): from the
  std::uint64_t end = 0;    ///< first to one past the last that both touch
  Site first;               ///< by the order in which the two happened in this run
  Site second;              ///< its step is none where there is only one side
  std::string explanation;  ///< why the two are not ordered and where their orders part
  std::string fix;          ///< the cheapest edge that would order them, and what it costs here
  std::uint64_t count = 1;  ///< how many pairs of the same two places and object
  /// It follows from the accidental order of unordered host threads: another legal run may lack it.
  bool schedule_dependent = false;

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// What a trace's program orders, whatever its timing. Holds what it needs of the trace, not the
/// trace.
class OrderRelation {
 public:
  explicit OrderRelation(const Trace& trace);
  ~OrderRelation();
  OrderRelation(OrderRelation&&) noexcept;
  OrderRelation& operator=(OrderRelation&&) noexcept;

  /// Whether `a` ends before `b` starts in every legal run in which the host threads act as in this
  /// one. False when either never happened. A host call comes before what it enqueues.
  [[nodiscard]] bool before(Step a, Step b) const;

  struct Data;
  [[nodiscard]] const Data& data() const { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// What is looked for beside what is wrong.
struct CheckOptions {
  std::vector<FindingKind> lints;  ///< other kinds in it mean nothing
};

/// Whether the trace knows what orders what. If not, nothing can be said about it: neither that it
/// has findings nor that it is free of them.
bool can_check(const Trace& trace);

/// All findings of a trace, one for each kind, object and pair of places in the program, in the
/// order in which they happened; at most 1000 for one piece of memory. None if it cannot be
/// checked.
std::vector<Finding> check(const Trace& trace, const CheckOptions& options = {});
/// The same for who has the trace's order already.
std::vector<Finding> check(const Trace& trace, const OrderRelation& order,
                           const CheckOptions& options = {});

/// Whether these two steps, in either order, race on memory of that name. Unlike findings, which
/// show the first of all pairs at the same two places, this is exact for each pair.
bool is_race(const Trace& trace, const OrderRelation& order, std::string_view object, Step a,
             Step b);

/// The finding for people: several lines, as the command prints it.
std::string describe(const Finding& finding);

}  // namespace millrace
