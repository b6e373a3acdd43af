// SPDX-License-Identifier: Apache-2.0
#include "render/report.hpp"

#include "render/errors.hpp"
#include "render/findings.hpp"
#include "render/summary.hpp"
#include "render/text.hpp"
#include "render/timeline.hpp"
#include "render/why.hpp"

#include <millrace/time.hpp>

namespace millrace::cli {
namespace {

std::string head(const RunTitle& title, const Trace& trace, const Look& look) {
  const std::string dot = look.ascii ? " - " : " · ";
  std::string facts = dot + "profile " + title.profile;
  if (trace.devices.size() > 1) facts += dot + counted(trace.devices.size(), "device");
  if (title.seed != 0) facts += dot + "seed " + std::to_string(title.seed);
  facts +=
      dot + (trace.blocked.empty() ? "ends at " : "stuck from ") + to_string(Time{trace.end_ns});
  const std::string file = printable(title.file, look.ascii);
  return painted(file, paints::heading, look) + printable(facts, look.ascii) + "\n";
}

std::string section(std::string_view title, const std::string& body, const Look& look) {
  if (body.empty()) return {};
  return "\n" + painted(title, paints::heading, look) + "\n" + body;
}

}  // namespace

std::string render_report(const RunTitle& title, const sim::ScriptReport& outcome,
                          const Look& look) {
  const Trace& trace = outcome.report.trace;
  const Verdict& verdict = outcome.verdict;
  std::string text =
      head(title, trace, look) + "\n" + render_timeline(trace, verdict.findings, look);
  text += section("Why", render_why(trace, look), look);
  text += section("Findings", render_findings(verdict.findings, look), look);
  text += section("Errors", render_errors(trace, look), look);
  text += section("Totals", render_summary(trace, verdict.findings, look), look);
  return text + "\n" + render_verdict(verdict, look);
}

}  // namespace millrace::cli
