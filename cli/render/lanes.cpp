// SPDX-License-Identifier: Apache-2.0
#include "render/lanes.hpp"

#include <algorithm>

namespace millrace::cli {

Shape shape_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::kernel:
      return Shape::kernel;
    case OperationKind::copy:
      return Shape::copy;
    case OperationKind::fill:
      return Shape::fill;
    case OperationKind::host_function:
      return Shape::host_function;
    default:
      return Shape::other;
  }
}

namespace {

Shape shape_of_call(const Trace& trace, const HostCall& call) {
  if (call.kind == CallKind::work) return Shape::host_work;
  return can_wait(trace, call) ? Shape::waiting : Shape::host_call;
}

bool is_query(CallKind kind) {
  return kind == CallKind::query_stream || kind == CallKind::query_event;
}

/// Fills the lanes of streams, going through the operations in order of issue.
class StreamFiller {
 public:
  StreamFiller(const Trace& trace, Lanes& lanes)
      : trace_(trace), lanes_(lanes), free_at_(lanes.streams.size()) {}

  void add(TraceIndex index) {
    const Operation& o = trace_.operations[index];
    if (o.stream >= lanes_.streams.size()) return;
    Lane& lane = lanes_.streams[o.stream];
    ++lane.operations;
    if (o.state == OperationState::cancelled && o.start_ns < 0) return;
    const bool never_started = o.start_ns < 0;
    std::int64_t& free_at = free_at_[o.stream];
    const std::int64_t could_start = std::max(o.enqueue_ns, free_at);
    const std::int64_t start = never_started ? lanes_.end : o.start_ns;
    const bool waits = start > could_start || (never_started && free_at != stuck);
    if (waits && free_at != stuck) {
      lane.spans.push_back({.begin = could_start,
                            .end = start,
                            .step = Step::operation(index),
                            .shape = Shape::waiting,
                            .for_ever = never_started});
    }
    if (never_started) {
      lanes_.has_for_ever = true;
      free_at = stuck;
      return;
    }
    add_run(lane, index, waits);
    free_at = o.end_ns < 0 ? lanes_.end : o.end_ns;
  }

 private:
  static constexpr std::int64_t stuck = Time::never().ns;

  void add_run(Lane& lane, TraceIndex index, bool waited) {
    const Operation& o = trace_.operations[index];
    const std::int64_t end = o.end_ns < 0 ? lanes_.end : o.end_ns;
    const bool is_event = o.kind == OperationKind::record || o.kind == OperationKind::wait;
    if (is_event || end == o.start_ns) {
      if (o.kind == OperationKind::wait && waited) return;  // the end of its gap says it
      const MarkKind kind = o.kind == OperationKind::record ? MarkKind::record
                            : o.kind == OperationKind::wait ? MarkKind::wait
                                                            : MarkKind::instant;
      lane.marks.push_back({end, Step::operation(index), kind});
      return;
    }
    lane.busy_ns += end - o.start_ns;
    lane.spans.push_back(
        {.begin = o.start_ns,
         .end = end,
         .step = Step::operation(index),
         .shape = shape_of(o.kind),
         .failed = o.state == OperationState::failed || o.state == OperationState::cancelled});
  }

  const Trace& trace_;
  Lanes& lanes_;
  std::vector<std::int64_t> free_at_;  // of each stream; `stuck` once it can never go on
};

/// Fills the lanes of host threads, going through the calls in order of issue.
class HostFiller {
 public:
  HostFiller(const Trace& trace, Lanes& lanes)
      : trace_(trace), lanes_(lanes), last_(lanes.hosts.size(), none) {}

  void add(TraceIndex index) {
    const HostCall& call = trace_.calls[index];
    if (call.thread >= lanes_.hosts.size()) return;
    Lane& lane = lanes_.hosts[call.thread];
    add_polling(lane, last_[call.thread], index);
    last_[call.thread] = index;
    const bool for_ever = call.outcome == CallOutcome::blocked;
    const std::int64_t end = for_ever ? lanes_.end : call.end_ns;
    if (end == call.begin_ns && !for_ever) {
      lane.marks.push_back({call.begin_ns, Step::call(index), MarkKind::call});
      return;
    }
    lanes_.has_for_ever = lanes_.has_for_ever || for_ever;
    const Shape shape = shape_of_call(trace_, call);
    if (shape != Shape::waiting) lane.busy_ns += end - call.begin_ns;
    lane.spans.push_back({.begin = call.begin_ns,
                          .end = end,
                          .step = Step::call(index),
                          .shape = shape,
                          .for_ever = for_ever});
  }

 private:
  /// A query that was not ready, and the same one again later: between them the thread polled.
  void add_polling(Lane& lane, TraceIndex before, TraceIndex now) {
    if (before == none) return;
    const HostCall& first = trace_.calls[before];
    const HostCall& second = trace_.calls[now];
    const bool again = is_query(first.kind) && first.kind == second.kind &&
                       first.object == second.object && first.outcome == CallOutcome::not_ready;
    if (!again || second.begin_ns <= first.end_ns) return;
    lane.spans.push_back({.begin = first.end_ns,
                          .end = second.begin_ns,
                          .step = Step::call(before),
                          .shape = Shape::waiting});
  }

  const Trace& trace_;
  Lanes& lanes_;
  std::vector<TraceIndex> last_;  // call of each thread
};

void sort_by_device(const Trace& trace, std::vector<Lane>& streams) {
  std::stable_sort(streams.begin(), streams.end(), [&trace](const Lane& a, const Lane& b) {
    return trace.streams[a.index].device < trace.streams[b.index].device;
  });
}

}  // namespace

Lanes find_lanes(const Trace& trace) {
  Lanes lanes;
  lanes.end = trace.end_ns;
  for (TraceIndex i = 0; i < trace.threads.size(); ++i) {
    lanes.hosts.push_back({.is_host = true, .index = i, .spans = {}, .marks = {}});
  }
  for (TraceIndex i = 0; i < trace.streams.size(); ++i) {
    lanes.streams.push_back({.is_host = false, .index = i, .spans = {}, .marks = {}});
  }
  StreamFiller streams(trace, lanes);
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) streams.add(i);
  HostFiller hosts(trace, lanes);
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) hosts.add(i);
  sort_by_device(trace, lanes.streams);
  return lanes;
}

namespace {

std::string blocked_object(const Words& words, const Blocked& blocked) {
  if (blocked.waits_for != ObjectKind::nothing && blocked.object != none) {
    const std::string kind(to_string(blocked.waits_for));
    const std::string name = words.object(blocked.waits_for, blocked.object);
    return name.starts_with(kind) ? name : kind + " " + name;  // unnamed ones carry their kind
  }
  if (blocked.behind.exists() && !blocked.behind.is_call) {
    return words.operation_in_stream(blocked.behind.index);
  }
  return {};
}

std::string constraint_object(const Words& words, const Operation& o) {
  switch (o.constraint) {
    case ConstraintKind::record_wait:
    case ConstraintKind::flag:
      return words.object(object_kind(o.kind), o.object);
    case ConstraintKind::enqueue:
    case ConstraintKind::unknown:
      return {};
    case ConstraintKind::legacy_barrier:
      return words.trace().streams[o.stream].kind == StreamKind::legacy ? "blocking streams"
                                                                        : "legacy";
    case ConstraintKind::host_server:
      return "host function server";
    default:
      return std::string(to_string(o.constraint));
  }
}

}  // namespace

std::string waited_object(const Words& words, Step step) {
  for (const Blocked& blocked : words.trace().blocked) {
    if (blocked.step == step) return blocked_object(words, blocked);
  }
  if (step.is_call) return words.call(words.trace().calls[step.index]);
  return constraint_object(words, words.trace().operations[step.index]);
}

std::vector<std::string> labels(const Words& words, const Span& span) {
  const Trace& trace = words.trace();
  if (span.shape != Shape::waiting) {
    if (!span.step.is_call) {
      const std::string name = words.operation(span.step.index);
      return {span.behind == 0 ? name : name + " +" + std::to_string(span.behind)};
    }
    return {words.call(trace.calls[span.step.index])};
  }
  if (span.step.is_call) {
    const std::string call = words.call(trace.calls[span.step.index]);
    return {call, call.substr(0, call.find(' '))};
  }
  std::string object = waited_object(words, span.step);
  if (object.empty()) return {};
  return {"waits for " + object, object};
}

std::string label(const Words& words, const Mark& mark) {
  const Trace& trace = words.trace();
  if (mark.step.is_call) return words.call(trace.calls[mark.step.index]);
  const Operation& o = trace.operations[mark.step.index];
  if (mark.kind == MarkKind::instant || o.object == none) return words.operation(mark.step.index);
  return words.object(object_kind(o.kind), o.object);
}

}  // namespace millrace::cli
