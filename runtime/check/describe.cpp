// SPDX-License-Identifier: Apache-2.0
#include <millrace/check.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace millrace {
namespace {

constexpr std::array<std::string_view, 11> kinds{
    "race",          "use-after-free",  "use-after-destroy", "unrecorded-wait",
    "deadlock",      "redundant-wait",  "host-sync",         "false-dependency",
    "unjoined-work", "escaped-capture", "undocumented-wait"};

std::string bytes(std::uint64_t count) {
  constexpr std::array<std::string_view, 4> units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && count != 0 && count % 1024 == 0) {
    count /= 1024;
    ++unit;
  }
  return std::to_string(count) + std::string(units[unit]);
}

std::string headline(const Finding& finding) {
  std::string text(to_string(finding.kind));
  if (!finding.object.empty()) text += " on " + finding.object;
  if (finding.begin != finding.end) {
    text += ", bytes " + bytes(finding.begin) + " to " + bytes(finding.end);
  }
  if (finding.count > 1) text += ", " + std::to_string(finding.count) + " times";
  return text + "\n";
}

/// "stream copy", but "stream 3" for one that has only its number.
std::string stream_named(const std::string& name) {
  return name.starts_with("stream ") ? name : "stream " + name;
}

std::string side(std::string_view which, const Finding& finding, const Site& site) {
  if (site.operation.empty()) return "";
  std::string text = "  " + std::string(which) + " " + site.operation;
  if (site.stream != "host") text += " on " + stream_named(site.stream);
  if (!site.does.empty()) text += ", " + site.does + " " + finding.object;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (site.stream == "host") {
    text += ", by thread " + site.thread;
  } else if (!site.thread.empty()) {
    text += ", enqueued by thread " + site.thread;
  }
  if (site.line != 0) text += " at " + site.file + ":" + std::to_string(site.line);
  return text + "\n";
}

}  // namespace

std::string_view to_string(FindingKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kinds.size() ? kinds[index] : "unknown";
}

std::optional<FindingKind> finding_kind(std::string_view name) {
  const auto* const found = std::find(kinds.begin(), kinds.end(), name);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<FindingKind>(found - kinds.begin());
}

std::string describe(const Finding& finding) {
  std::string text = headline(finding);
  text += side("first: ", finding, finding.first);
  text += side("second:", finding, finding.second);
  text += "  why:    " + finding.explanation + "\n";
  if (!finding.fix.empty()) text += "  fix:    " + finding.fix + "\n";
  if (finding.schedule_dependent) {
    text += "  note:   it depends on which host thread comes first; another run may not show it\n";
  }
  return text;
}

}  // namespace millrace
