// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The table of operations: when each ran, and why not earlier.

#include "render/look.hpp"

#include <millrace/trace.hpp>

#include <string>

namespace millrace::cli {

/// A line an operation in order of start: name, stream, source line, enqueued, start, end,
/// duration, and what it waited for. The first forty that are more than a record or a wait; all of
/// them with `look.all`. Empty when there is none.
std::string render_why(const Trace& trace, const Look& look);

}  // namespace millrace::cli
