// SPDX-License-Identifier: Apache-2.0
#include "commands/check_reports.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

namespace millrace::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view meaning(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
      return "Two operations touch the same bytes, one of them writes, and nothing orders them.";
    case FindingKind::use_after_free:
      return "Memory is used when it may have been freed, or before it is surely allocated.";
    case FindingKind::use_after_destroy:
      return "A stream, an event or a graph is used after it was destroyed.";
    case FindingKind::unrecorded_wait:
      return "A wait for an event that was never recorded waits for nothing.";
    case FindingKind::deadlock:
      return "Host threads or operations wait for each other, and nothing can go on.";
    case FindingKind::redundant_wait:
      return "A wait orders what was ordered already.";
    case FindingKind::host_sync:
      return "The host waits where a wait of a stream would do.";
    case FindingKind::false_dependency:
      return "An operation waits for one with which it shares nothing.";
    case FindingKind::unjoined_work:
      return "Nobody has waited for this work when the program ends.";
    case FindingKind::escaped_capture:
      return "Work of a capturing thread runs at once instead of being captured.";
    case FindingKind::undocumented_wait:
      return "Only a wait that is not promised keeps two accesses apart.";
  }
  return "";
}

/// The file as a URI: relative to where the command ran, or absolute.
std::string uri_of(const std::string& file) {
  constexpr std::string_view plain = "-._~/";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : std::filesystem::path(file).lexically_normal().generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter || (c >= '0' && c <= '9') || plain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri.append({'%', digits[byte / 16], digits[byte % 16]});
    }
  }
  return uri;
}

Json place(const std::string& file, std::uint32_t line) {
  Json physical = {{"artifactLocation", {{"uri", uri_of(file)}}}};
  if (line != 0) physical["region"] = {{"startLine", line}};
  return {{"physicalLocation", std::move(physical)}};
}

Json place(const Site& site, const std::string& script) {
  return place(site.file.empty() ? script : site.file, site.line);
}

Json text(std::string_view words) { return {{"text", std::string(words)}}; }

/// Stays the same when lines move and when the explanation is worded anew.
std::string fingerprint(const Checked& script, const Finding& finding) {
  std::string text = script.file;
  for (const Site* const site : {&finding.first, &finding.second}) {
    text += "|" + site->thread + "|" + site->stream + "|" + site->operation;
  }
  return text + "|" + finding.object;
}

bool contains(const std::vector<Finding>& findings, const Finding& finding) {
  return std::find(findings.begin(), findings.end(), finding) != findings.end();
}

Json result(const Checked& script, const Finding& finding) {
  const bool has_second = finding.second.step.exists();
  const Site& last = has_second ? finding.second : finding.first;
  Json json = {{"ruleId", std::string(to_string(finding.kind))},
               {"level", is_lint(finding.kind) ? "warning" : "error"},
               {"message", text(describe(finding))},
               {"locations", Json::array({place(last, script.file)})}};
  if (has_second && finding.first.step.exists()) {
    Json first = place(finding.first, script.file);
    first["message"] = text(finding.first.operation + " on " + finding.first.stream);
    json["relatedLocations"] = Json::array({std::move(first)});
  }
  json["occurrenceCount"] = finding.count;
  json["partialFingerprints"] = {{"millraceFinding/v1", fingerprint(script, finding)}};
  if (!contains(script.unexpected, finding)) {
    const bool by_baseline = contains(script.known, finding);
    json["suppressions"] = Json::array(
        {{{"kind", by_baseline ? "external" : "inSource"},
          {"justification", by_baseline ? "the baseline has it" : "the script says so"}}});
  }
  return json;
}

Json notification(const Checked& script) {
  return {{"level", "error"},
          {"message", text(script.problem)},
          {"locations", Json::array({place(script.file, script.line)})}};
}

/// The rules that the results break, in the order of their kinds.
Json rules_of(const std::vector<Checked>& scripts) {
  std::set<FindingKind> kinds;
  for (const Checked& script : scripts) {
    for (const Finding& finding : script.findings) kinds.insert(finding.kind);
  }
  Json rules = Json::array();
  for (const FindingKind kind : kinds) {
    rules.push_back(
        {{"id", std::string(to_string(kind))}, {"shortDescription", text(meaning(kind))}});
  }
  return rules;
}

}  // namespace

std::string sarif_json(const std::vector<Checked>& scripts) {
  Json results = Json::array();
  Json notifications = Json::array();
  for (const Checked& script : scripts) {
    for (const Finding& finding : script.findings) results.push_back(result(script, finding));
    if (!script.ran) notifications.push_back(notification(script));
  }
  const bool all_ran = notifications.empty();
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array({{{"tool",
                      {{"driver",
                        {{"name", "Millrace"},
                         {"version", MILLRACE_VERSION},
                         {"rules", rules_of(scripts)}}}}},
                     {"invocations",
                      Json::array({{{"executionSuccessful", all_ran},
                                    {"toolExecutionNotifications", std::move(notifications)}}})},
                     {"results", std::move(results)}}})}};
  // Names may hold any bytes; JSON is UTF-8.
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace millrace::cli
