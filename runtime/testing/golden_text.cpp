// SPDX-License-Identifier: Apache-2.0
#include "check/names.hpp"

#include <millrace/testing.hpp>

#include <vector>

namespace millrace::expect {
namespace {

std::string moment(std::int64_t ns) { return ns < 0 ? "never" : to_string(Time{ns}); }

std::string span(std::int64_t begin_ns, std::int64_t end_ns) {
  return ": " + moment(begin_ns) + " to " + moment(end_ns);
}

std::string in_words(const Trace& trace, const TraceAccess& access) {
  std::string text = std::string(checker::verb(access.mode)) + " " +
                     trace.object_name(ObjectKind::memory, access.memory);
  const bool whole = access.memory != none && access.begin == 0 &&
                     access.end == trace.memories[access.memory].bytes && access.pitch == 0;
  if (whole) return text;
  text += "[" + std::to_string(access.begin) + "," + std::to_string(access.end) + ")";
  if (access.pitch == 0) return text;
  return text + " in rows of " + std::to_string(access.width) + " every " +
         std::to_string(access.pitch);
}

std::string in_words(const Trace& trace, const Operation& operation, TraceIndex index) {
  std::string text = "  ";
  if (operation.name != 0) text.append(to_string(operation.kind)).append(" ");
  text += trace.describe(index) + span(operation.start_ns, operation.end_ns);
  for (TraceIndex i = 0; i < operation.access_count; ++i) {
    text += ", " + in_words(trace, trace.accesses[operation.first_access + i]);
  }
  if (operation.state != OperationState::completed) {
    text.append(", ").append(to_string(operation.state));
  }
  text.append("; waited for ").append(to_string(operation.constraint));
  const Step because = operation.because;
  if (because.exists() && !because.is_call) text += ", " + trace.describe(because.index);
  return text + "\n";
}

std::string in_words(const Trace& trace, const HostCall& call) {
  std::string text = "  " + std::string(to_string(call.kind));
  if (call.object != none) {
    const std::string kind(to_string(call.object_kind));
    std::string name = trace.object_name(call.object_kind, call.object);
    if (!name.starts_with(kind)) name = kind + " " + name;
    if (text.ends_with(kind)) text.resize(text.size() - kind.size() - 1);
    text += " " + name;
  }
  text += span(call.begin_ns, call.end_ns);
  if (call.outcome != CallOutcome::success) text.append(", ").append(to_string(call.outcome));
  return text + "\n";
}

std::string in_words(const Finding& finding) {
  std::string text = "  " + std::string(to_string(finding.kind));
  if (!finding.object.empty()) text += " on " + finding.object;
  std::string_view between = ": ";
  for (const Site* const site : {&finding.first, &finding.second}) {
    if (site->operation.empty()) continue;
    text.append(between).append(site->operation).append(" on ").append(site->stream);
    between = ", ";
  }
  return text + "\n";
}

/// Calls that make or end objects, or do what the operations show, say nothing of their own.
bool is_told(const HostCall& call) {
  if (call.operation != none) return false;
  if (call.outcome != CallOutcome::success || call.begin_ns != call.end_ns) return true;
  switch (call.kind) {
    case CallKind::create_stream:
    case CallKind::destroy_stream:
    case CallKind::create_event:
    case CallKind::destroy_event:
    case CallKind::create_graph:
    case CallKind::destroy_graph:
    case CallKind::malloc:
    case CallKind::host_free:
    case CallKind::set_device:
      return false;
    default:
      return true;
  }
}

/// One text a row of `owners`, each line added to that of its owner.
class Groups {
 public:
  explicit Groups(std::size_t owners) : texts_(owners) {}

  void add(TraceIndex owner, const std::string& line) {
    if (owner < texts_.size()) texts_[owner] += line;
  }
  /// Those that have lines, under their names.
  [[nodiscard]] std::string text(const Trace& trace, ObjectKind kind) const {
    std::string all;
    for (TraceIndex i = 0; i < texts_.size(); ++i) {
      if (texts_[i].empty()) continue;
      all.append(to_string(kind)).append(" ").append(trace.object_name(kind, i)).append("\n");
      all += texts_[i];
    }
    return all;
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace

std::string golden_text(const Trace& trace, const std::vector<Finding>& findings) {
  Groups streams(trace.streams.size());
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) {
    const Operation& operation = trace.operations[i];
    streams.add(operation.stream, in_words(trace, operation, i));
  }
  Groups threads(trace.threads.size());
  for (const HostCall& call : trace.calls) {
    if (is_told(call)) threads.add(call.thread, in_words(trace, call));
  }
  std::string text = trace.producer + ", ends at " + moment(trace.end_ns) + "\n";
  text += streams.text(trace, ObjectKind::stream) + threads.text(trace, ObjectKind::thread);
  if (!findings.empty()) text += "findings\n";
  for (const Finding& finding : findings) text += in_words(finding);
  return text;
}

}  // namespace millrace::expect
