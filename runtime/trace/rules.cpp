// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <vector>

namespace millrace::mtrace {
namespace {

template <typename Row>
bool accesses_exist(const Row& row, const Sizes& sizes) {
  return std::uint64_t{row.first_access} + row.access_count <= sizes[TableId::accesses];
}

bool object_exists(ObjectKind kind, TraceIndex object, const Sizes& sizes) {
  return object == none || object < sizes.of(kind);
}

/// Marks sequence numbers as taken.
class Sequence {
 public:
  explicit Sequence(std::size_t steps) : taken_(steps) {}

  /// The first row whose number was taken before; the number of rows if there is none.
  template <typename Rows>
  std::size_t take(const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].sequence == none) continue;
      if (taken_[rows[i].sequence]) return i;
      taken_[rows[i].sequence] = true;
    }
    return rows.size();
  }

 private:
  std::vector<bool> taken_;
};

TraceViolation twice(TableId table, std::size_t row) {
  return {table, {row, "sequence", "was taken by another step before"}};
}

}  // namespace

BrokenRule check_row(const Operation& o, const Sizes& sizes) {
  if (!accesses_exist(o, sizes)) return {"first_access", "begins accesses that do not exist"};
  if (!object_exists(object_kind(o.kind), o.object, sizes)) {
    return {"object", "does not exist for an operation of this kind"};
  }
  if (o.end_ns >= 0 && o.start_ns < 0) return {"end_ns", "is given, but the start is not"};
  if (o.end_ns >= 0 && o.end_ns < o.start_ns) return {"end_ns", "lies before the start"};
  return {};
}

BrokenRule check_row(const HostCall& call, const Sizes& sizes) {
  if (!accesses_exist(call, sizes)) return {"first_access", "begins accesses that do not exist"};
  if (!object_exists(call.object_kind, call.object, sizes)) {
    return {"object", "does not exist among those of its kind"};
  }
  if (call.outcome != CallOutcome::blocked && call.end_ns < call.begin_ns) {
    return {"end_ns", "lies before the begin"};
  }
  return {};
}

BrokenRule check_row(const Dependency& dependency, const Sizes&) {
  if (dependency.state == DependencyState::unresolved) return {};
  if (!dependency.from.exists()) return {"from", "refers to no step, but is not unresolved"};
  if (!dependency.to.exists()) return {"to", "refers to no step, but is not unresolved"};
  return {};
}

BrokenRule check_row(const Blocked& blocked, const Sizes& sizes) {
  if (!blocked.step.exists()) return {"step", "refers to no step"};
  if (!object_exists(blocked.waits_for, blocked.object, sizes)) {
    return {"object", "does not exist among those of its kind"};
  }
  return {};
}

BrokenRule check_row(const ResourceUse& use, const Sizes&) {
  if (use.end_ns >= 0 && use.end_ns < use.begin_ns) return {"end_ns", "lies before the begin"};
  return {};
}

std::string describe(const TraceViolation& violation) {
  const Violation& what = violation.what;
  return std::string(name_of(violation.table)) + " row " + std::to_string(what.row) + ": " +
         std::string(what.field) + " " + what.text;
}

TraceViolation check_whole(const Trace& trace) {
  if (trace.strings.empty() || !trace.strings.front().empty()) {
    return {TableId::strings, {0, "text", "must be the empty string"}};
  }
  if (trace.steps > trace.operations.size() + trace.calls.size()) {
    return {TableId::run, {0, "steps", "is more than there are operations and calls"}};
  }
  Sequence sequence(trace.steps);
  std::size_t row = sequence.take(trace.operations);
  if (row < trace.operations.size()) return twice(TableId::operations, row);
  row = sequence.take(trace.calls);
  if (row < trace.calls.size()) return twice(TableId::calls, row);
  return {};
}

}  // namespace millrace::mtrace
