// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The timeline of a run in text.

#include "render/look.hpp"

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <string>
#include <vector>

namespace millrace::cli {

/// A time axis, a row for each host thread and each stream, and the key to the shapes that were
/// used. Many operations in a column become a bar as high as the column was busy; many rows become
/// a line that counts them. Every line ends in a line break.
/// Operations that have a part in a finding are marked.
std::string render_timeline(const Trace& trace, const std::vector<Finding>& findings,
                            const Look& look);

}  // namespace millrace::cli
