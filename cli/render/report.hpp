// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// All that `millrace run` shows of a run.

#include "render/look.hpp"

#include <millrace/sim.hpp>

#include <cstdint>
#include <string>

namespace millrace::cli {

/// What the head line says beside the trace.
struct RunTitle {
  std::string file;
  std::string profile;
  std::uint64_t seed = 0;
};

/// Head line, timeline, why, findings, errors, totals, verdict.
std::string render_report(const RunTitle& title, const sim::ScriptReport& outcome,
                          const Look& look);

}  // namespace millrace::cli
