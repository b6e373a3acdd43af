// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Totals of a run.

#include "render/look.hpp"

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace millrace::cli {

/// How long something, and how long several things, ran on the devices.
struct Load {
  std::int64_t one_or_more_ns = 0;
  std::int64_t two_or_more_ns = 0;
  std::int64_t sum_ns = 0;  ///< one after another it would take this long
};
Load find_load(const Trace& trace);

/// How many operations of each kind.
std::map<OperationKind, std::size_t> count_kinds(const Trace& trace);
/// "4 kernels, 8 copies, 12 records".
std::string kinds_in_words(const std::map<OperationKind, std::size_t>& kinds);

/// Operations, host calls, simulated time, how busy each stream was, overlap, findings.
std::string render_summary(const Trace& trace, const std::vector<Finding>& findings,
                           const Look& look);

}  // namespace millrace::cli
