// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"
#include "finding_list.hpp"
#include "walk.hpp"

namespace millrace::checker {
namespace {

bool destroys(CallKind kind, ObjectKind object) {
  return (kind == CallKind::destroy_stream && object == ObjectKind::stream) ||
         (kind == CallKind::destroy_event && object == ObjectKind::event) ||
         (kind == CallKind::destroy_graph && object == ObjectKind::graph);
}

/// The call that destroyed the object, by what happened before `use`: the destroy of just this
/// object, or else the last reset of a device.
TraceIndex destroyer_of(const Story& story, TraceIndex use) {
  const HostCall& by = story.trace.calls[use];
  TraceIndex reset = none;
  for (TraceIndex i = use; i-- > 0;) {
    const HostCall& call = story.trace.calls[i];
    if (call.outcome != CallOutcome::success || call.sequence > by.sequence) continue;
    const bool same = call.object_kind == by.object_kind && call.object == by.object;
    if (same && destroys(call.kind, call.object_kind)) return i;
    if (call.kind == CallKind::reset_device && reset == none) reset = i;
  }
  return reset;
}

class CallFindings {
 public:
  CallFindings(Story& story, std::vector<Finding>& findings) : story_(story), findings_(findings) {}

  void add_use_after_destroy(TraceIndex use);
  void add_unrecorded_wait(TraceIndex wait);

 private:
  Story& story_;
  FindingList findings_;
};

void CallFindings::add_use_after_destroy(TraceIndex use) {
  const HostCall& call = story_.trace.calls[use];
  const Names& names = story_.names;
  Finding finding;
  finding.kind = FindingKind::use_after_destroy;
  finding.object = story_.trace.object_name(call.object_kind, call.object);
  finding.second = names.site(Step::call(use), "uses");
  const std::string what = names.object(call.object_kind, call.object);
  const TraceIndex destroyer = destroyer_of(story_, use);
  if (destroyer == none) {
    finding.explanation =
        names.label(Step::call(use)) + " uses " + what + ", which had been destroyed.";
    finding.fix = "destroy it after its last use";
    return findings_.add(std::move(finding));
  }
  const Step destroy = Step::call(destroyer);
  finding.first = names.site(destroy, "destroys");
  finding.schedule_dependent = !story_.accidents.host_ordered(destroyer, use);
  finding.explanation = what + " was gone after " + names.label(destroy) + " when " +
                        names.label(Step::call(use)) + " used it.";
  if (finding.schedule_dependent) {
    finding.explanation += " Nothing orders the two: threads " + names.thread(destroyer) + " and " +
                           names.thread(use) + " may come the other way round.";
  }
  finding.fix =
      "move " + names.label(destroy) + " behind the last use, " + names.label(Step::call(use));
  findings_.add(std::move(finding));
}

void CallFindings::add_unrecorded_wait(TraceIndex wait) {
  const HostCall& call = story_.trace.calls[wait];
  const Names& names = story_.names;
  const std::string event = names.event(call.object);
  Finding finding;
  finding.kind = FindingKind::unrecorded_wait;
  finding.object = event;
  finding.first = names.site(Step::call(wait), "waits for");
  finding.explanation = names.label(Step::call(wait)) + " waits for " + event +
                        ", which had no record then: such a wait is legal, and orders nothing.";
  TraceIndex record = none;
  for (const auto& [key, operation] : story_.first_records) {
    if (key.first != call.object) continue;
    if (record == none || operation < record) record = operation;
    const TraceIndex by = story_.steps.call_of(operation);
    if (!story_.accidents.host_ordered(by, wait)) finding.schedule_dependent = true;
  }
  if (record == none) {
    finding.fix = "record " + event + " before the wait: this program never does";
    return findings_.add(std::move(finding));
  }
  const TraceIndex recording = story_.steps.call_of(record);
  finding.second = names.site(Step::operation(record), "records");
  finding.explanation += " Its first record comes later, at " +
                         names.place(Step::operation(record)) + " on " + names.stream(record) + ".";
  finding.fix =
      "record " + event + " (" + names.place(Step::operation(record)) + ") before it is waited for";
  if (finding.schedule_dependent) {
    finding.fix += ": signal from thread " + names.thread(recording) + " after the record and " +
                   "await that in thread " + names.thread(wait) + " before the wait";
  }
  findings_.add(std::move(finding));
}

}  // namespace

void add_call_findings(Story& story, std::vector<Finding>& findings) {
  CallFindings found(story, findings);
  Walk walk(story.trace);
  for (Step step = walk.next(); step.exists(); step = walk.next()) {
    if (!step.is_call) continue;
    const HostCall& call = story.trace.calls[step.index];
    if (call.used_destroyed) found.add_use_after_destroy(step.index);
    if (call.unrecorded) found.add_unrecorded_wait(step.index);
  }
}

}  // namespace millrace::checker
