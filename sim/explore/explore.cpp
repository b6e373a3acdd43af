// SPDX-License-Identifier: Apache-2.0
#include "explorer.hpp"
#include "src/fiber_hosts.hpp"

#include <millrace/error.hpp>
#include <millrace/explore.hpp>

#include <utility>

namespace millrace::sim {
namespace {

/// A finding in a few words: what tells outcomes apart.
std::string in_words(const Finding& finding) {
  std::string text(to_string(finding.kind));
  if (!finding.object.empty()) text += " " + finding.object;
  if (finding.second.step.exists()) {
    text += " (" + finding.first.operation + ", " + finding.second.operation + ")";
  }
  return text;
}

std::string in_words(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += (text.empty() ? "" : ", ") + in_words(finding);
  return text;
}

class BodyProgram final : public exploring::Program {
 public:
  BodyProgram(const std::function<void()>& body, bool traced) : body_(body), traced_(traced) {}

  void run(Backend&) override { body_(); }
  Judged judge(const Executed& executed) override {
    Judged judged;
    judged.findings = traced_ ? millrace::check(executed.trace) : executed.findings;
    judged.text = in_words(judged.findings);
    judged.failed = !judged.findings.empty();
    return judged;
  }

 private:
  const std::function<void()>& body_;
  bool traced_;
};

}  // namespace

std::string exploring::findings_in_words(const std::vector<Finding>& findings) {
  return in_words(findings);
}

ExploreReport explore(const ExploreOptions& options, const std::function<void()>& body) {
  if (!body) throw Error(Errc::InvalidValue, "sim::explore", "there is no body", {});
  BodyProgram program(body, options.run.trace);
  return exploring::Explorer(options, program).explore();
}

ExploreReport explore(const std::function<void()>& body) { return explore(ExploreOptions{}, body); }

void observe(std::string_view text) {
  FiberHosts* const run = FiberHosts::of_this_thread();
  if (run == nullptr || run->chooser() == nullptr) return;
  run->chooser()->observe(run->running().index, text);
}

}  // namespace millrace::sim
