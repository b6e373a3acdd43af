// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Starting and joining host threads of a run, for sim::thread and for scripts.

#include <millrace/backend.hpp>

#include <functional>

namespace millrace::sim {

/// Throws Error: InvalidValue without a body, NotPermitted outside of a run.
Handle start_thread(Name name, std::function<void()> body, const CallSite& site);
/// Waits for its end. Nothing for a thread of a former run. Throws Error{InvalidValue} for 0 and
/// for the caller itself.
void join_thread(Handle handle, const CallSite& site);

}  // namespace millrace::sim
