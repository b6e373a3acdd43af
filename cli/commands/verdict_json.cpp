// SPDX-License-Identifier: Apache-2.0
#include "commands/verdict_json.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <utility>

namespace millrace::cli {
namespace {

using Json = nlohmann::ordered_json;  // fields in the order in which the language's page lists them

/// Names may hold any bytes; JSON is UTF-8.
std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json moment(std::int64_t ns) { return ns < 0 ? Json(nullptr) : Json(ns); }

Json site(const Site& at) {
  return {
      {"operation", at.operation}, {"stream", at.stream}, {"thread", at.thread}, {"line", at.line}};
}

Json finding(const Finding& found) {
  return {{"kind", std::string(to_string(found.kind))},
          {"object", found.object},
          {"range", {{"begin", found.begin}, {"end", found.end}}},
          {"first", site(found.first)},
          {"second", site(found.second)},
          {"explanation", found.explanation},
          {"schedule_dependent", found.schedule_dependent}};
}

Json operation(const Trace& trace, TraceIndex index) {
  const Operation& o = trace.operations[index];
  return {{"name", trace.describe(index)},
          {"stream", trace.object_name(ObjectKind::stream, o.stream)},
          {"line", o.call == none ? 0 : trace.calls[o.call].line},
          {"start_ns", moment(o.start_ns)},
          {"end_ns", moment(o.end_ns)}};
}

}  // namespace

std::string verdict_json(const std::string& file, const sim::ScriptReport& outcome) {
  Json findings = Json::array();
  for (const Finding& found : outcome.verdict.findings) findings.push_back(finding(found));
  Json operations = Json::array();
  const Trace& trace = outcome.report.trace;
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) {
    operations.push_back(operation(trace, i));
  }
  return one_line({{"file", file},
                   {"ok", outcome.verdict.ok},
                   {"end_ns", trace.end_ns},
                   {"findings", std::move(findings)},
                   {"ops", std::move(operations)}});
}

std::string exploration_json(const std::string& file, const sim::ScriptExploreReport& explored) {
  const sim::ExploreReport& report = explored.report;
  Json findings = Json::array();
  for (const Finding& found : report.findings) findings.push_back(finding(found));
  Json outcomes = Json::array();
  for (const sim::Outcome& outcome : report.outcomes) {
    outcomes.push_back({{"text", outcome.text},
                        {"replay", outcome.replay},
                        {"executions", outcome.executions},
                        {"failed", outcome.failed}});
  }
  return one_line({{"file", file},
                   {"ok", explored.verdict.ok},
                   {"differences", explored.verdict.differences},
                   {"executions", report.executions},
                   {"pruned", report.pruned},
                   {"complete", report.complete},
                   {"coverage", report.coverage},
                   {"bounds_hit", report.bounds_hit},
                   {"replay", report.replay},
                   {"findings", std::move(findings)},
                   {"outcomes", std::move(outcomes)}});
}

std::string failure_json(const std::string& file, const Failure& failure) {
  return one_line(
      {{"file", file},
       {"ok", false},
       {"error",
        {{"line", failure.line}, {"column", failure.column}, {"message", failure.message}}}});
}

}  // namespace millrace::cli
