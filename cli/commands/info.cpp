// SPDX-License-Identifier: Apache-2.0
#include "commands/commands.hpp"
#include "commands/files.hpp"
#include "output.hpp"
#include "render/findings.hpp"
#include "render/text.hpp"

#include <millrace/check.hpp>
#include <millrace/trace_summary.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace millrace::cli {
namespace {

using Json = nlohmann::ordered_json;

Json counts(const std::vector<TraceSummary::Count>& list) {
  Json json = Json::object();
  for (const auto& [word, count] : list) json[std::string(word)] = count;
  return json;
}

Json finding_counts(const std::vector<Finding>& findings) {
  std::map<FindingKind, std::size_t> by_kind;
  for (const Finding& finding : findings) ++by_kind[finding.kind];
  Json json = Json::object();
  for (const auto& [kind, count] : by_kind) json[std::string(to_string(kind))] = count;
  return json;
}

Json stream_rows(const TraceSummary& summary) {
  Json rows = Json::array();
  for (const TraceSummary::Stream& stream : summary.streams) {
    rows.push_back({{"name", stream.name},
                    {"device", stream.device},
                    {"operations", stream.operations},
                    {"busy_ns", stream.busy_ns},
                    {"blocked_ns", stream.blocked_ns}});
  }
  return rows;
}

Json thread_rows(const TraceSummary& summary) {
  Json rows = Json::array();
  for (const TraceSummary::Thread& thread : summary.threads) {
    rows.push_back(
        {{"name", thread.name}, {"calls", thread.calls}, {"waiting_ns", thread.waiting_ns}});
  }
  return rows;
}

std::string info_json(const std::string& file, const TraceSummary& summary,
                      const std::vector<Finding>& findings) {
  const Json json{
      {"file", file},
      {"producer", summary.producer},
      {"end_ns", summary.end_ns},
      {"operations", summary.operations},
      {"operation_kinds", counts(summary.operation_kinds)},
      {"never_started", summary.never_started},
      {"bytes", summary.bytes},
      {"streams", stream_rows(summary)},
      {"calls", summary.calls},
      {"call_kinds", counts(summary.call_kinds)},
      {"failed_calls", summary.failed_calls},
      {"threads", thread_rows(summary)},
      {"waits", summary.waits},
      {"waits_unrecorded", summary.waits_unrecorded},
      {"edges_exact", summary.edges_exact},
      {"edges_inferred", summary.edges_inferred},
      {"edges_unresolved", summary.edges_unresolved},
      {"has_dependencies", summary.has_dependencies},
      {"accesses", summary.accesses},
      {"deadlocked", summary.deadlocked},
      {"findings", summary.has_dependencies ? finding_counts(findings) : Json(nullptr)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string info_text(const std::string& file, const TraceSummary& summary,
                      const std::vector<Finding>& findings, const Look& look) {
  std::string text = painted(printable(file, look.ascii), paints::heading, look) + "\n";
  text += printable(describe(summary), look.ascii);
  if (!summary.has_dependencies) {
    return text + "findings      unknown: the trace does not say what orders what\n";
  }
  const Paint& paint = findings.empty() ? paints::good : paints::bad;
  text += "findings      " + painted(count_findings(findings), paint, look) + "\n";
  if (findings.empty()) return text;
  return text + "\n" + render_findings(findings, look);
}

}  // namespace

int info(const InfoOptions& options) {
  const Trace trace = read_trace_file(options.file);
  const TraceSummary summary = summarize(trace);
  const std::vector<Finding> findings = check(trace);
  if (options.json) {
    print(info_json(options.file, summary, findings));
  } else {
    print(info_text(options.file, summary, findings, find_look(options.look)));
  }
  return exit_yes;
}

}  // namespace millrace::cli
