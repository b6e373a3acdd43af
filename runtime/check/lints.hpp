// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Lints: what is not wrong, but waits for more than it has to, or is right by luck. Each reports
/// only what holds whatever the program computes; where the trace leaves that open it is silent.

#include "explain.hpp"
#include "finding_list.hpp"

#include <millrace/check.hpp>

#include <vector>

namespace millrace::checker {

/// Adds what the lints find to the findings that are there.
void add_lints(Story& story, const std::vector<FindingKind>& lints, std::vector<Finding>& findings);

// One by one.
void add_redundant_waits(const Story& story, FindingList& list);
void add_host_syncs(const Story& story, FindingList& list);
void add_false_dependencies(const Story& story, FindingList& list);
void add_unjoined_work(const Story& story, FindingList& list);
void add_escaped_captures(const Story& story, FindingList& list);
void add_undocumented_waits(const Story& story, const std::vector<Finding>& conflicts,
                            FindingList& list);

/// Whether the operation is work: a kernel, copy, fill or host function.
bool is_work(const Operation& operation);

}  // namespace millrace::checker
