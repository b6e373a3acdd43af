// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The host calls that failed, and the kernels that faulted.

#include "render/look.hpp"

#include <millrace/trace.hpp>

#include <string>

namespace millrace::cli {

/// A line for each of the first twenty, in order of issue; of all with `look.all`. Empty when
/// nothing failed. Queries that were not ready did not fail.
std::string render_errors(const Trace& trace, const Look& look);

}  // namespace millrace::cli
