// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Explorations for people.

#include "render/look.hpp"

#include <millrace/explore.hpp>

#include <string>

namespace millrace::cli {

/// What was covered, the outcomes with their tokens, findings, verdict.
std::string render_exploration(const std::string& file, const sim::ScriptExploreReport& explored,
                               const Look& look);

}  // namespace millrace::cli
