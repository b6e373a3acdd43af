// SPDX-License-Identifier: Apache-2.0
#include "lints.hpp"

#include <algorithm>

namespace millrace::checker {

bool is_work(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kernel:
    case OperationKind::copy:
    case OperationKind::fill:
    case OperationKind::host_function:
    case OperationKind::graph_node:
      return true;
    default:
      return false;
  }
}

void add_lints(Story& story, const std::vector<FindingKind>& lints,
               std::vector<Finding>& findings) {
  const auto wants = [&](FindingKind lint) {
    return std::find(lints.begin(), lints.end(), lint) != lints.end();
  };
  const std::vector<Finding> conflicts =
      wants(FindingKind::undocumented_wait) ? findings : std::vector<Finding>();
  FindingList list(findings);
  if (wants(FindingKind::redundant_wait)) add_redundant_waits(story, list);
  if (wants(FindingKind::host_sync)) add_host_syncs(story, list);
  if (wants(FindingKind::false_dependency)) add_false_dependencies(story, list);
  if (wants(FindingKind::unjoined_work)) add_unjoined_work(story, list);
  if (wants(FindingKind::escaped_capture)) add_escaped_captures(story, list);
  if (wants(FindingKind::undocumented_wait)) add_undocumented_waits(story, conflicts, list);
}

// Work at the end -------------------------------------------------------------------------------

void add_unjoined_work(const Story& story, FindingList& list) {
  const Trace& trace = story.trace;
  if (!trace.blocked.empty() || trace.threads.empty()) return;
  TraceIndex last_call = none;
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) {
    if (trace.calls[i].thread == 0 && story.stamps.seen(Step::call(i))) last_call = i;
  }
  if (last_call == none) return;
  const Stamp end = story.stamps.stamp(Step::call(last_call));
  std::vector<TraceIndex> last_work(trace.streams.size(), none);
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) {
    const TraceIndex stream = story.steps.stream_of(i);
    const Step step = Step::operation(i);
    if (stream == none || !is_work(trace.operations[i]) || !story.stamps.seen(step)) continue;
    if (!story.stamps.clocks.knows(end, story.stamps.over(step))) last_work[stream] = i;
  }
  for (TraceIndex stream = 0; stream < last_work.size(); ++stream) {
    if (last_work[stream] == none) continue;
    const Step work = Step::operation(last_work[stream]);
    Finding finding;
    finding.kind = FindingKind::unjoined_work;
    finding.object = trace.object_name(ObjectKind::stream, stream);
    finding.first = story.names.site(work, "runs on");
    finding.explanation = "Nothing waits for " + story.names.with_place(work) +
                          ": when the main thread ends, it may still be running, and its results "
                          "and errors are lost.";
    finding.fix = "synchronize " + finding.object + " at the end";
    list.add(std::move(finding));
  }
}

// Work beside a capture -------------------------------------------------------------------------

namespace {

bool enqueues_work(CallKind kind) {
  return kind == CallKind::launch || kind == CallKind::copy || kind == CallKind::fill ||
         kind == CallKind::host_function;
}

}  // namespace

/// What a thread enqueues between the begin and the end of its capture, and what runs at once.
void add_escaped_captures(const Story& story, FindingList& list) {
  const Trace& trace = story.trace;
  std::vector<std::vector<TraceIndex>> begun(trace.threads.size());  // by thread: open captures
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) {
    const HostCall& call = trace.calls[i];
    if (call.outcome != CallOutcome::success || story.steps.thread_of(i) == none) continue;
    std::vector<TraceIndex>& open = begun[call.thread];
    if (call.kind == CallKind::begin_capture) open.push_back(i);
    if (call.kind == CallKind::end_capture) {
      std::erase_if(open,
                    [&](TraceIndex begin) { return trace.calls[begin].object == call.object; });
    }
    if (open.empty() || !enqueues_work(call.kind) || call.operation >= trace.operations.size() ||
        story.steps.is_graph_node(call.operation)) {
      continue;
    }
    const Step work = Step::operation(call.operation);
    const Step begin = Step::call(open.back());
    const std::string captured =
        trace.object_name(ObjectKind::stream, trace.calls[begin.index].object);
    Finding finding;
    finding.kind = FindingKind::escaped_capture;
    finding.object = story.names.stream(work.index);
    finding.first = story.names.site(begin, "captures");
    finding.second = story.names.site(work, "runs on");
    finding.explanation = story.names.with_place(work) + " was enqueued on " + finding.object +
                          " while its thread captured " + captured +
                          ": it ran at once, and is not part of the graph.";
    finding.fix = "enqueue it on " + captured + ", or let " + finding.object +
                  " wait for an event recorded in the capture";
    list.add(std::move(finding));
  }
}

}  // namespace millrace::checker
