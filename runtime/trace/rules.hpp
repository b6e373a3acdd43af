// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schema.hpp"

#include <millrace/trace.hpp>

#include <string>

namespace millrace::mtrace {

/// The rules of the model that the ranges of single fields do not say. Whoever gets a Trace from a
/// file may rely on them.
BrokenRule check_row(const Operation& operation, const Sizes& sizes);
BrokenRule check_row(const HostCall& call, const Sizes& sizes);
BrokenRule check_row(const Dependency& dependency, const Sizes& sizes);
BrokenRule check_row(const Blocked& blocked, const Sizes& sizes);
BrokenRule check_row(const ResourceUse& use, const Sizes& sizes);

/// A violation and its table.
struct TraceViolation {
  TableId table = TableId::run;
  Violation what{};
};

/// E.g. "operations row 17: stream refers to number 9 of the streams, but there are 3".
std::string describe(const TraceViolation& violation);

/// What only all of a trace together can break: the first string is empty, and every step has a
/// sequence number of its own. All indices must have been checked.
TraceViolation check_whole(const Trace& trace);

}  // namespace millrace::mtrace
