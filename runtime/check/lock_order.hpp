// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Deadlocks that this run was spared: locks that host threads and host functions take in
/// different orders.

#include "explain.hpp"
#include "steps.hpp"

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <vector>

namespace millrace::checker {

/// Whether anybody waits, for a lock or for a device, while it holds a lock. Where nobody does, no
/// order of locks can lead to a deadlock.
bool waits_under_locks(const Steps& steps);

/// Adds a deadlock for each cycle: each of several threads, or host functions that one of them
/// waits for, holds a lock that the next one wants. Reported only where nothing keeps them from
/// holding their first locks at one time: neither the program's order, that of the locks themselves
/// left out, nor a lock that two of them hold around it.
void add_lock_cycles(Story& story, std::vector<Finding>& findings);

}  // namespace millrace::checker
