// SPDX-License-Identifier: Apache-2.0
// What waited for another without need, and what was kept apart by luck.
#include "lints.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace millrace::checker {
namespace {

/// Of programs with more such places, the others are like these.
constexpr std::size_t most_places = 200;

/// What some steps do to each piece of memory, as a whole.
class Uses {
 public:
  explicit Uses(const Steps& steps) : steps_(steps) {}

  void add(Step step) {
    for (const TraceAccess& access : steps_.accesses(step)) {
      if (step.is_call && access.mode == AccessMode::allocate) continue;  // over when it returns
      bool& written = by_memory_[access.memory];
      written = written || access.mode != AccessMode::read;
    }
  }
  [[nodiscard]] bool conflict_with(const Uses& other) const {
    return std::any_of(by_memory_.begin(), by_memory_.end(), [&](const auto& use) {
      const auto found = other.by_memory_.find(use.first);
      return found != other.by_memory_.end() && (use.second || found->second);
    });
  }

 private:
  const Steps& steps_;
  std::map<TraceIndex, bool> by_memory_;  // whether it is written
};

/// Whether anything up to `earlier` may be needed by `later` or what comes after it.
bool may_be_needed(const Story& story, Step earlier, Step later) {
  Uses up_to(story.steps);
  Uses from(story.steps);
  const auto sort_in = [&](Step step) {
    if (step == earlier || story.stamps.before(step, earlier)) up_to.add(step);
    if (step == later || story.stamps.before(later, step)) from.add(step);
  };
  for (TraceIndex i = 0; i < story.trace.operations.size(); ++i) sort_in(Step::operation(i));
  for (TraceIndex i = 0; i < story.trace.calls.size(); ++i) sort_in(Step::call(i));
  return up_to.conflict_with(from);
}

}  // namespace

void add_false_dependencies(const Story& story, FindingList& list) {
  const Trace& trace = story.trace;
  std::map<std::pair<TraceIndex, TraceIndex>, bool> needed;  // by place: file and line of the later
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) {
    const Operation& operation = trace.operations[i];
    const bool legacy = operation.constraint == ConstraintKind::legacy_barrier;
    const bool queue = operation.constraint == ConstraintKind::queue_neighbour;
    const Step later = Step::operation(i);
    const Step earlier = operation.because;
    if ((!legacy && !queue) || !is_work(operation) || earlier.is_call ||
        !story.stamps.seen(earlier) || !story.stamps.seen(later)) {
      continue;
    }
    const TraceIndex origin = story.steps.origin_of(later);
    if (origin == none || needed.size() >= most_places) continue;
    const auto place = std::pair(trace.calls[origin].file, trace.calls[origin].line);
    const auto [known, is_new] = needed.try_emplace(place, false);
    if (is_new || !known->second) known->second = may_be_needed(story, earlier, later);
    if (known->second) continue;
    const Names& names = story.names;
    Finding finding;
    finding.kind = FindingKind::false_dependency;
    finding.object = names.stream(i);
    finding.first = names.site(earlier, "holds up");
    finding.second = names.site(later, "waits on");
    finding.explanation = names.with_place(later) + " waited for " + names.with_place(earlier) +
                          " on " + names.stream(earlier.index) +
                          (legacy ? ", because one of the two streams is the default stream"
                                  : ", which stood before it in a hardware queue that their "
                                    "streams share") +
                          "; nothing that comes after it needs anything from before that.";
    finding.fix = legacy ? "use a stream of its own, made non-blocking, instead of the default one"
                         : "use fewer streams, or more connections (CUDA_DEVICE_MAX_CONNECTIONS)";
    list.add(std::move(finding));
  }
}

namespace {

/// Whether the call can only have taken so long because it waited, although it need not.
bool may_happen_to_wait(CallKind kind) {
  switch (kind) {
    case CallKind::launch:
    case CallKind::copy:
    case CallKind::fill:
    case CallKind::allocate:
    case CallKind::free:
    case CallKind::malloc:
    case CallKind::host_free:
      return true;
    default:
      return false;
  }
}

/// The call of the second side's thread that waited until the first side was over.
TraceIndex waiting_call(const Story& story, const Operation& first, TraceIndex second) {
  const Trace& trace = story.trace;
  for (TraceIndex i = second + 1; i-- > 0;) {
    const HostCall& call = trace.calls[i];
    if (call.thread != trace.calls[second].thread || call.outcome != CallOutcome::success) continue;
    if (call.end_ns < first.end_ns) return none;  // and so did all before it
    const bool waited = call.begin_ns < first.end_ns && first.start_ns < call.end_ns;
    if (i < second && waited && may_happen_to_wait(call.kind)) return i;
  }
  return none;
}

}  // namespace

void add_undocumented_waits(const Story& story, const std::vector<Finding>& conflicts,
                            FindingList& list) {
  for (const Finding& conflict : conflicts) {
    const bool is_conflict =
        conflict.kind == FindingKind::race || conflict.kind == FindingKind::use_after_free;
    if (!is_conflict || conflict.first.step.is_call || !conflict.second.step.exists()) continue;
    const Operation& first = story.trace.operations[conflict.first.step.index];
    const TraceIndex second = story.names.call_of(conflict.second.step);
    if (second == none || first.end_ns < 0) continue;
    const TraceIndex call = waiting_call(story, first, second);
    if (call == none) continue;
    Finding finding = conflict;
    finding.kind = FindingKind::undocumented_wait;
    finding.count = 1;
    finding.explanation = story.names.label(Step::call(call)) + " happened to wait until " +
                          story.names.with_place(conflict.first.step) +
                          " had ended, and only that kept the two apart in this run. CUDA does "
                          "not promise it: another driver or device may not wait.";
    list.add(std::move(finding));
  }
}

}  // namespace millrace::checker
