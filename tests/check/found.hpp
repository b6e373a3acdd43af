// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Findings as short lines of text, to compare with.

#include "../support/trace_builder.hpp"

#include <millrace/check.hpp>

#include <string>
#include <vector>

namespace millrace::test {

using Lines = std::vector<std::string>;

inline const Lines clean;

/// "race A: fill, use", each with "?" in front when it depends on the schedule.
inline Lines found(const Trace& trace) {
  Lines lines;
  for (const Finding& finding : check(trace)) {
    std::string line = finding.schedule_dependent ? "?" : "";
    line += std::string(to_string(finding.kind));
    if (!finding.object.empty()) line += " " + finding.object;
    if (!finding.first.operation.empty()) line += ": " + finding.first.operation;
    if (!finding.second.operation.empty()) line += ", " + finding.second.operation;
    lines.push_back(line);
  }
  return lines;
}

inline Lines found(const TraceBuilder& builder) { return found(builder.build()); }

}  // namespace millrace::test
