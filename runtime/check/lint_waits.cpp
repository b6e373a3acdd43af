// SPDX-License-Identifier: Apache-2.0
// Waits that are not needed: of streams for events, and of the host.
#include "lints.hpp"

#include <algorithm>

namespace millrace::checker {
namespace {

/// The operation before this one in its stream.
std::vector<TraceIndex> predecessors(const Story& story) {
  std::vector<TraceIndex> last(story.trace.streams.size(), none);
  std::vector<TraceIndex> before(story.trace.operations.size(), none);
  for (TraceIndex i = 0; i < before.size(); ++i) {
    const TraceIndex stream = story.steps.stream_of(i);
    if (stream == none || !story.stamps.seen(Step::operation(i))) continue;
    before[i] = last[stream];
    last[stream] = i;
  }
  return before;
}

/// Whether whoever comes after `step` comes after the record.
bool covers(const Story& story, Step step, Step record) {
  return step == record || story.stamps.before(record, step);
}

/// What orders the wait after the record without the wait; none if nothing does.
Step ordered_by(const Story& story, TraceIndex wait, Step record, TraceIndex before) {
  if (before != none && covers(story, Step::operation(before), record)) {
    return Step::operation(before);
  }
  const TraceIndex call = story.steps.call_of(wait);
  if (call != none && story.stamps.seen(Step::call(call)) &&
      story.stamps.clocks.knows(story.stamps.begin_of(call), story.stamps.over(record))) {
    return Step::call(call);
  }
  for (const Incoming& in : story.steps.incoming(Step::operation(wait))) {
    if (!(in.from == record) && story.stamps.seen(in.from) && covers(story, in.from, record)) {
      return in.from;
    }
  }
  return {};
}

}  // namespace

namespace {

/// The record that a wait is bound to: as the trace says, or in its own stream, where a wait is
/// nothing and the trace says nothing. `last` is the last record of its event.
Step record_of(const Story& story, TraceIndex wait, TraceIndex last) {
  for (const Incoming& in : story.steps.incoming(Step::operation(wait))) {
    if (in.kind == DependencyKind::record_wait && story.stamps.seen(in.from)) return in.from;
  }
  const bool same_stream =
      last != none && story.steps.stream_of(last) == story.steps.stream_of(wait);
  return same_stream ? Step::operation(last) : Step{};
}

void add_redundant_wait(const Story& story, TraceIndex wait, Step record, Step by,
                        FindingList& list) {
  const Names& names = story.names;
  Finding finding;
  finding.kind = FindingKind::redundant_wait;
  finding.object = names.event(story.trace.operations[wait].object);
  finding.first = names.site(record, "records");
  finding.second = names.site(Step::operation(wait), "waits for");
  if (by.is_call) {
    finding.explanation = "The host had waited for the record of " + finding.object +
                          " before it enqueued this wait, which orders nothing more.";
  } else {
    finding.explanation = names.with_place(by) + " on " + names.stream(by.index) +
                          (by == record ? " is in the stream of this wait itself"
                                        : " comes after the record of " + finding.object +
                                              " already, and before this wait") +
                          ", which orders nothing more.";
  }
  finding.fix = "leave out the wait at " + names.place(Step::operation(wait));
  list.add(std::move(finding));
}

}  // namespace

void add_redundant_waits(const Story& story, FindingList& list) {
  const std::vector<TraceIndex> before = predecessors(story);
  std::vector<TraceIndex> last_record(story.trace.events.size(), none);
  for (TraceIndex i = 0; i < before.size(); ++i) {
    const Operation& operation = story.trace.operations[i];
    if (!story.stamps.seen(Step::operation(i)) || operation.object >= last_record.size()) continue;
    if (operation.kind == OperationKind::record) last_record[operation.object] = i;
    if (operation.kind != OperationKind::wait || story.steps.is_graph_node(i)) continue;
    const Step record = record_of(story, i, last_record[operation.object]);
    if (!record.exists()) continue;
    const Step by = ordered_by(story, i, record, before[i]);
    if (by.exists()) add_redundant_wait(story, i, record, by, list);
  }
}

// Synchronizations ------------------------------------------------------------------------------

namespace {

/// Looks at one synchronization: what it waited for, and what its thread does next.
class Synchronization {
 public:
  Synchronization(const Story& story, TraceIndex call) : story_(story), call_(call) {}

  /// Whether the host may have needed it: for memory that it can see, or a host function.
  [[nodiscard]] bool gives_to_host();
  /// Whether up to the thread's next synchronization there is nothing but work for streams, which
  /// that one waits for. `later` are the calls of its thread behind it.
  [[nodiscard]] bool is_only_for_streams(const std::vector<TraceIndex>& later, std::size_t first);

  [[nodiscard]] TraceIndex awaited() const { return awaited_; }
  [[nodiscard]] TraceIndex next() const { return next_; }

 private:
  [[nodiscard]] bool touches_host(TraceIndex operation) const;
  [[nodiscard]] bool enqueues(const HostCall& call) const;

  const Story& story_;
  TraceIndex call_;
  TraceIndex awaited_ = none;  // the last operation that it waited for
  TraceIndex next_ = none;     // the first operation enqueued on another stream behind it
};

bool Synchronization::touches_host(TraceIndex index) const {
  const Operation& operation = story_.trace.operations[index];
  if (operation.kind == OperationKind::host_function) return true;
  const auto accesses = story_.steps.accesses(Step::operation(index));
  return std::any_of(accesses.begin(), accesses.end(), [&](const TraceAccess& access) {
    return access.memory >= story_.trace.memories.size() || access.order != AccessOrder::in_order ||
           bounds_life(access.mode) ||
           story_.trace.memories[access.memory].kind != MemoryKind::device;
  });
}

bool Synchronization::gives_to_host() {
  const Stamps& stamps = story_.stamps;
  const Stamp before = stamps.begin_of(call_);
  const Stamp after = stamps.stamp(Step::call(call_));
  for (TraceIndex i = 0; i < story_.trace.operations.size(); ++i) {
    const Step step = Step::operation(i);
    if (!stamps.seen(step)) continue;
    const Epoch over = stamps.over(step);
    if (stamps.clocks.knows(before, over) || !stamps.clocks.knows(after, over)) continue;
    if (touches_host(i)) return true;
    if (is_work(story_.trace.operations[i])) awaited_ = i;
  }
  return awaited_ == none;
}

bool Synchronization::enqueues(const HostCall& call) const {
  if (call.outcome != CallOutcome::success || call.access_count > 0) return false;
  if (call.operation >= story_.trace.operations.size()) return call.kind == CallKind::set_device;
  return call.kind != CallKind::free && call.kind != CallKind::launch_graph &&
         !touches_host(call.operation);
}

bool Synchronization::is_only_for_streams(const std::vector<TraceIndex>& later, std::size_t first) {
  const Trace& trace = story_.trace;
  for (std::size_t i = first; i < later.size(); ++i) {
    const HostCall& call = trace.calls[later[i]];
    if (synchronizes(call.kind)) {
      return next_ != none && call.outcome == CallOutcome::success &&
             story_.stamps.before(Step::operation(next_), Step::call(later[i]));
    }
    if (!enqueues(call)) return false;
    if (call.operation == none || !is_work(trace.operations[call.operation])) continue;
    const bool elsewhere =
        trace.operations[call.operation].stream != trace.operations[awaited_].stream;
    if (next_ == none && elsewhere) next_ = call.operation;
  }
  return false;
}

}  // namespace

void add_host_syncs(const Story& story, FindingList& list) {
  const Trace& trace = story.trace;
  std::vector<std::vector<TraceIndex>> by_thread(trace.threads.size());
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) {
    const bool counts = story.steps.thread_of(i) != none && story.stamps.seen(Step::call(i)) &&
                        story.steps.inside_of(i) == none;
    if (counts) by_thread[trace.calls[i].thread].push_back(i);
  }
  for (const std::vector<TraceIndex>& calls : by_thread) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const HostCall& call = trace.calls[calls[i]];
      if (!synchronizes(call.kind) || call.outcome != CallOutcome::success) continue;
      Synchronization sync(story, calls[i]);
      if (sync.gives_to_host() || !sync.is_only_for_streams(calls, i + 1)) continue;
      const Names& names = story.names;
      const Step awaited = Step::operation(sync.awaited());
      const Step next = Step::operation(sync.next());
      Finding finding;
      finding.kind = FindingKind::host_sync;
      finding.object = names.stream(awaited.index);
      finding.first = names.site(awaited, "runs on");
      finding.second = names.site(Step::call(calls[i]), "waits for");
      finding.explanation = "The host waits for " + names.with_place(awaited) +
                            ", does nothing with what it made, and then enqueues " +
                            names.with_place(next) + " on " + names.stream(next.index) +
                            ": the streams can wait for each other while the host goes on.";
      finding.fix = "record an event after " + names.label(awaited) + " and let " +
                    names.stream(next.index) + " wait for it before " + names.label(next);
      list.add(std::move(finding));
    }
  }
}

}  // namespace millrace::checker
