// SPDX-License-Identifier: Apache-2.0
#include "explorer.hpp"
#include "src/script_host.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace millrace::sim {
namespace {

/// A script, and what its executions were judged to be.
class ScriptProgram final : public exploring::Program {
 public:
  ScriptProgram(const Script& script, JudgeOptions judging)
      : script_(script), judging_(std::move(judging)) {
    judging_.times = false;
  }

  void run(Backend& backend) override {
    outcome_ = {};
    host_ = std::make_unique<SimScriptHost>(backend);
    run_script(script_, *host_, outcome_);
  }

  Judged judge(const Executed& executed) override {
    // What a query answers is left open here: places that expect one answer expect one timing.
    if (!outcome_.stopped) outcome_.failures.clear();
    Verdict verdict = millrace::judge(script_, outcome_, executed.trace, judging_);
    Judged judged;
    judged.findings = verdict.findings;
    judged.failed = !verdict.unexpected.empty() || outcome_.stopped;
    judged.text = exploring::findings_in_words(verdict.findings);
    if (outcome_.stopped) {
      judged.text += (judged.text.empty() ? "" : "; ") + verdict.differences.front();
    }
    if (judged.failed && !failed_) failed_ = verdict;
    take_in(std::move(verdict));
    return judged;
  }

  /// Of all executions together.
  Verdict verdict(const ExploreReport& report) {
    Verdict whole = failed_.value_or(all_);
    whole.findings = report.findings;
    whole.ok = whole.differences.empty() && whole.unsupported.empty();
    return whole;
  }

 private:
  /// What differs in every execution: the others show that it need not.
  void take_in(Verdict verdict) {
    if (!std::exchange(judged_any_, true)) {
      all_ = std::move(verdict);
      return;
    }
    std::erase_if(all_.differences, [&](const std::string& difference) {
      return std::ranges::find(verdict.differences, difference) == verdict.differences.end();
    });
  }

  const Script& script_;
  JudgeOptions judging_;
  ScriptRun outcome_;
  std::unique_ptr<SimScriptHost> host_;  // outlives the script's threads
  bool judged_any_ = false;
  Verdict all_;
  std::optional<Verdict> failed_;
};

}  // namespace

ScriptExploreReport explore(const Script& script, ExploreOptions options,
                            const JudgeOptions& judging) {
  if (options.run.profile.empty()) options.run.profile = profile_of(script);
  options.run.devices = script.device_count();
  options.run.trace = true;  // what is judged
  ScriptProgram program(script, judging);
  ScriptExploreReport result;
  result.report = exploring::Explorer(options, program).explore();
  result.verdict = program.verdict(result.report);
  return result;
}

}  // namespace millrace::sim
