// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"
#include "moment.hpp"

#include <millrace/time.hpp>

#include <algorithm>

namespace millrace::checker {

Story::Story(const Steps& steps_, const Stamps& stamps_)
    : trace(steps_.trace()),
      steps(steps_),
      stamps(stamps_),
      names(steps_),
      accidents(steps_, stamps_) {
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) {
    if (trace.calls[i].unrecorded) unrecorded.push_back(i);
  }
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) {
    if (trace.operations[i].kind != OperationKind::record) continue;
    first_records.try_emplace({trace.operations[i].object, trace.operations[i].stream}, i);
  }
}

TraceIndex useless_wait(const Story& story, const Pair& pair) {
  const auto& records = story.first_records;
  for (auto it = story.unrecorded.rbegin(); it != story.unrecorded.rend(); ++it) {
    if (pair.earlier_call == none || pair.later_call == none || *it > pair.later_call) continue;
    const TraceIndex event = story.trace.calls[*it].object;
    const auto recorded_on_stream_of = [&](const Party& party) {
      return !party.step.is_call &&
             records.contains({event, story.steps.stream_of(party.step.index)});
    };
    if (recorded_on_stream_of(pair.earlier) || recorded_on_stream_of(pair.later)) return *it;
    const auto first = records.lower_bound({event, 0});
    const bool never_recorded = first == records.end() || first->first.first != event;
    if (never_recorded && *it > pair.earlier_call) return *it;
  }
  return none;
}

namespace {

std::int64_t end_of(const Trace& trace, Step step) {
  return step.is_call ? trace.calls[step.index].end_ns : trace.operations[step.index].end_ns;
}

std::int64_t start_of(const Trace& trace, Step step) {
  return step.is_call ? trace.calls[step.index].begin_ns : trace.operations[step.index].start_ns;
}

/// What it would cost here to let `later` begin only when `earlier` has ended.
std::string cost(const Story& story, const Pair& pair) {
  const std::int64_t end = end_of(story.trace, pair.earlier.step);
  const std::int64_t start = start_of(story.trace, pair.later.step);
  if (end < 0 || start < 0) return "";
  const Names& names = story.names;
  if (end <= start) return "; in this run that would delay nothing";
  return "; in this run " + names.label(pair.later.step) + " would come " +
         to_string(Duration{end - start}) + " later";
}

/// An event that is recorded behind the earlier operation already, and still holds that record when
/// the later one is enqueued: a wait is all that is missing.
TraceIndex usable_record(const Story& story, const Pair& pair) {
  constexpr TraceIndex looked_at = 10'000;
  const std::vector<Operation>& operations = story.trace.operations;
  const TraceIndex stream = operations[pair.earlier.step.index].stream;
  const auto until = static_cast<TraceIndex>(
      std::min<std::size_t>(operations.size(), std::size_t{pair.earlier.step.index} + looked_at));
  TraceIndex found = none;
  for (TraceIndex i = pair.earlier.step.index + 1; i < until; ++i) {
    if (story.steps.call_of(i) == none || story.steps.call_of(i) > pair.later_call) break;
    if (operations[i].kind != OperationKind::record) continue;
    if (found != none && operations[i].object == operations[found].object) found = none;
    if (found == none && operations[i].stream == stream) found = i;
  }
  return found;
}

std::string event_edge(const Story& story, const Pair& pair, const std::string& before) {
  const Names& names = story.names;
  const std::string to = names.stream(pair.later.step.index);
  const TraceIndex record = usable_record(story, pair);
  if (record != none) {
    return "let " + to + " wait for " + names.event(story.trace.operations[record].object) +
           ", which is recorded after " + names.label(pair.earlier.step) + " (" +
           names.place(Step::operation(record)) + "), before " + before;
  }
  return "record an event on " + names.stream(pair.earlier.step.index) + " after " +
         names.with_place(pair.earlier.step) + " and let " + to + " wait for it before " + before;
}

std::string host_edge(const Story& story, const Pair& pair) {
  const Names& names = story.names;
  if (pair.earlier.step.is_call) {
    return "signal from thread " + names.thread(pair.earlier_call) + " after " +
           names.label(pair.earlier.step) + " and await it in thread " +
           names.thread(pair.later_call) + " before " + names.with_place(pair.later.step);
  }
  return "synchronize " + names.stream(pair.earlier.step.index) + ", or an event recorded on it " +
         "after " + names.label(pair.earlier.step) + ", before " + names.label(pair.later.step);
}

/// Two nodes of one launch: only the graph can order them.
bool in_one_graph(const Story& story, const Pair& pair) {
  if (pair.later.step.is_call || pair.earlier.step.is_call) return false;
  const TraceIndex call = story.steps.call_of(pair.later.step.index);
  return story.steps.is_graph_node(pair.later.step.index) &&
         call == story.steps.call_of(pair.earlier.step.index);
}

std::string graph_edge(const Story& story, const Pair& pair) {
  const Names& names = story.names;
  return "let node " + names.with_place(pair.later.step) + " come after node " +
         names.with_place(pair.earlier.step) +
         ": by Graph::add_dependency, or where the graph is captured by an event that is recorded "
         "behind the one and waited for before the other";
}

/// Makes the later one wait for the earlier one.
std::string edge(Story& story, const Pair& pair) {
  const Names& names = story.names;
  if (in_one_graph(story, pair)) return graph_edge(story, pair);
  if (pair.later.step.is_call || pair.earlier.step.is_call) return host_edge(story, pair);
  std::string text = event_edge(story, pair, names.with_place(pair.later.step));
  if (!story.accidents.host_ordered(pair.earlier_call, pair.later_call)) {
    text += ", with a signal from thread " + names.thread(pair.earlier_call) + " to thread " +
            names.thread(pair.later_call) + " so that the record comes first";
  }
  return text;
}

std::string cure_from_call(const Story& story, const Pair& pair) {
  const std::string memory = story.trace.object_name(ObjectKind::memory, pair.conflict->memory);
  std::string text = "allocate " + memory + " as pinned memory, which copies read in stream order";
  if (pair.earlier.step.is_call) return text;
  return text + ", or synchronize " + story.names.stream(pair.earlier.step.index) +
         " before the copy is called";
}

std::string cure_free(Story& story, const Pair& pair) {
  const Names& names = story.names;
  if (pair.earlier.mode == AccessMode::free) {
    return "free the memory after its last use, " + names.with_place(pair.later.step) +
           ", not by " + names.with_place(pair.earlier.step);
  }
  if (pair.later.step.is_call || pair.earlier.step.is_call) return edge(story, pair);
  return "free it on " + names.stream(pair.earlier.step.index) + ", the stream of that use, or " +
         edge(story, pair);
}

}  // namespace

std::string cure(Story& story, const Pair& pair) {
  const bool life = pair.conflict->kind == FindingKind::use_after_free;
  if (life && (pair.earlier.mode == AccessMode::free || pair.later.mode == AccessMode::free)) {
    std::string text = cure_free(story, pair);
    if (pair.earlier.mode != AccessMode::free) text += cost(story, pair);
    return text;
  }
  if (life && pair.later.mode == AccessMode::allocate) {
    return "allocate the memory before " + story.names.with_place(pair.earlier.step);
  }
  if (pair.later.order == AccessOrder::from_call) return cure_from_call(story, pair);
  const TraceIndex wait = useless_wait(story, pair);
  if (wait != none && !pair.later.step.is_call && !pair.earlier.step.is_call) {
    return "record " + story.names.event(story.trace.calls[wait].object) +
           " before it is waited for (" + story.names.place(Step::call(wait)) + ")";
  }
  return edge(story, pair) + cost(story, pair);
}

}  // namespace millrace::checker
