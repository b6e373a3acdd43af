// SPDX-License-Identifier: Apache-2.0
#include "render/explored.hpp"

#include "render/findings.hpp"
#include "render/text.hpp"

#include <algorithm>
#include <cstddef>

namespace millrace::cli {
namespace {

std::string head(const std::string& file, const sim::ExploreReport& report, const Look& look) {
  const std::string dot = look.ascii ? " - " : " · ";
  std::string facts = dot + counted(report.executions, "execution");
  if (report.pruned > 0) facts += ", " + grouped(report.pruned) + " given up as repetitions";
  facts += dot + report.coverage;
  std::string text = painted(printable(file, look.ascii), paints::heading, look) +
                     printable(facts, look.ascii) + "\n";
  for (const std::string& bound : report.bounds_hit) {
    text += "  " + painted("bound hit: " + bound, paints::mark, look) + "\n";
  }
  return text;
}

/// A line each: how often, how to meet it again, what.
std::string outcomes(const sim::ExploreReport& report, const Look& look) {
  std::size_t count = 0;
  std::size_t token = 0;
  for (const sim::Outcome& outcome : report.outcomes) {
    count = std::max(count, grouped(outcome.executions).size());
    token = std::max(token, outcome.replay.size());
  }
  std::string text = "\n" + painted("Outcomes", paints::heading, look) + "\n";
  for (const sim::Outcome& outcome : report.outcomes) {
    const std::string what = outcome.text.empty() ? "nothing found" : outcome.text;
    text +=
        "  " + pad_left(grouped(outcome.executions), static_cast<int>(count)) + "x  " +
        outcome.replay + std::string(token - outcome.replay.size() + 2, ' ') +
        painted(printable(what, look.ascii), outcome.failed ? paints::bad : paints::plain, look) +
        "\n";
  }
  return text;
}

}  // namespace

std::string render_exploration(const std::string& file, const sim::ScriptExploreReport& explored,
                               const Look& look) {
  const sim::ExploreReport& report = explored.report;
  std::string text = head(file, report, look) + outcomes(report, look);
  if (!report.findings.empty()) {
    text += "\n" + painted("Findings", paints::heading, look) + " of " + report.replay + "\n" +
            render_findings(report.findings, look);
  }
  text += "\n" + render_verdict(explored.verdict, look);
  if (!explored.verdict.ok) {
    text += "  repeat it with: millrace explore " + printable(file, look.ascii) + " --replay " +
            report.replay + "\n";
  }
  return text;
}

}  // namespace millrace::cli
