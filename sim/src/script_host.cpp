// SPDX-License-Identifier: Apache-2.0
#include "host_call.hpp"
#include "host_threads.hpp"
#include "run.hpp"
#include "sync_objects.hpp"

#include <millrace/host.hpp>
#include <millrace/script.hpp>
#include <millrace/sim.hpp>

#include <deque>
#include <filesystem>
#include <string>
#include <utility>

namespace millrace::sim {
namespace {

/// What a script finds inside a run.
class SimScriptHost final : public ScriptHost {
 public:
  explicit SimScriptHost(Backend& backend) : backend_(backend) {}

  Backend& backend() override { return backend_; }
  Handle start_thread(Name name, std::function<void()> body, const CallSite& site) override {
    return sim::start_thread(name, std::move(body), site);
  }
  void join_thread(Handle thread, const CallSite& site) override { sim::join_thread(thread, site); }
  void raise(Name name, const CallSite& site) override { signal(name).raise(site); }
  void await(Name name, const CallSite& site) override { signal(name).await(site); }
  void work(Duration duration, const CallSite& site) override { sim::work(duration, site); }

 private:
  Signal& signal(Name name) {
    for (Signal& known : signals_) {
      if (known.name() == name) return known;
    }
    return signals_.emplace_back(name);
  }

  Backend& backend_;
  std::deque<Signal> signals_;  // scripts have few; threads keep references while they wait
};

std::string profile_of(const Script& script) {
  const std::filesystem::path profile(script.profile());
  const bool is_file = profile.has_parent_path() || profile.has_extension();
  if (!is_file || profile.is_absolute()) return profile.string();
  return (std::filesystem::path(script.file()).parent_path() / profile).string();
}

}  // namespace

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
