// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Runs of scripts given as text.

#include <millrace/script.hpp>
#include <millrace/sim.hpp>
#include <millrace/trace.hpp>

#include <string_view>

namespace millrace::test {

inline sim::ScriptReport simulated(std::string_view script) {
  return sim::run(Script::parse(script, "test.mill"));
}

inline Trace traced(std::string_view script) { return simulated(script).report.trace; }

}  // namespace millrace::test
