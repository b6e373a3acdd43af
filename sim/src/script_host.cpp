// SPDX-License-Identifier: Apache-2.0
#include "script_host.hpp"

#include "run.hpp"

#include <millrace/sim.hpp>

#include <filesystem>
#include <memory>

namespace millrace::sim {

std::string profile_of(const Script& script) {
  const std::filesystem::path profile(script.profile());
  const bool is_file = profile.has_parent_path() || profile.has_extension();
  if (!is_file || profile.is_absolute()) return profile.string();
  return (std::filesystem::path(script.file()).parent_path() / profile).string();
}

ScriptReport run(const Script& script, Options options, const JudgeOptions& judging) {
  if (options.profile.empty()) options.profile = profile_of(script);
  options.devices = script.device_count();
  options.trace = true;  // what is judged
  ScriptReport result;
  ScriptRun outcome;
  std::unique_ptr<SimScriptHost> host;  // outlives the script's threads
  result.report = run_unchecked(options, [&](Backend& backend) {
    host = std::make_unique<SimScriptHost>(backend);
    run_script(script, *host, outcome);
  });
  result.verdict = judge(script, outcome, result.report.trace, judging);
  result.report.findings = result.verdict.findings;
  return result;
}

}  // namespace millrace::sim
