// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"

#include "moment.hpp"
#include "walk.hpp"

#include <algorithm>

namespace millrace::checker {

Pair::Pair(const Story& story, const Conflict& c)
    : conflict(&c),
      earlier(c.first),
      later(c.second),
      earlier_call(story.names.call_of(c.first.step)),
      later_call(story.names.call_of(c.second.step)) {
  const auto issued = [](TraceIndex call, Step step) { return std::pair(call, step.index); };
  if (issued(later_call, later.step) < issued(earlier_call, earlier.step)) {
    std::swap(earlier, later);
    std::swap(earlier_call, later_call);
  }
}

namespace {

/// Of long traces, how far back a reason is looked for.
constexpr TraceIndex looked_back = 10'000;

/// A wait that looks as if it ordered the two, and is bound to an earlier record.
std::string because_of_waits(const Story& story, const Pair& pair) {
  const TraceIndex from = story.steps.stream_of(pair.earlier.step.index);
  const TraceIndex to = story.steps.stream_of(pair.later.step.index);
  const Names& names = story.names;
  const TraceIndex end = pair.later.step.index;
  for (TraceIndex i = end; i-- > end - std::min(end, looked_back);) {
    const Operation& wait = story.trace.operations[i];
    if (wait.kind != OperationKind::wait || wait.stream != to) continue;
    for (const Incoming& in : story.steps.incoming(Step::operation(i))) {
      if (in.from.is_call || in.kind != DependencyKind::record_wait) continue;
      if (story.steps.stream_of(in.from.index) != from) continue;
      return "the wait for " + names.event(wait.object) + " (" + names.place(Step::operation(i)) +
             ") is bound to the record at " + names.place(in.from) + ", which comes before " +
             names.label(pair.earlier.step);
    }
  }
  return "";
}

/// A query between the two that looks as if it ordered them.
std::string because_of_query(const Story& story, const Pair& pair) {
  if (pair.earlier_call == none || pair.later_call == none) return "";
  const TraceIndex between = pair.later_call - pair.earlier_call;
  for (TraceIndex i = pair.later_call; i-- > pair.later_call - std::min(between, looked_back);) {
    const HostCall& call = story.trace.calls[i];
    const bool asked = call.kind == CallKind::query_event || call.kind == CallKind::query_stream;
    if (!asked || call.outcome != CallOutcome::not_ready) continue;
    return story.names.label(Step::call(i)) +
           " answered that it was not ready, which orders nothing";
  }
  return "";
}

std::string because_of_unrecorded(const Story& story, const Pair& pair) {
  const TraceIndex wait = useless_wait(story, pair);
  if (wait == none) return "";
  return "the wait for " + story.names.event(story.trace.calls[wait].object) + " at " +
         story.names.place(Step::call(wait)) + " found no record and orders nothing";
}

std::string because_of_default_stream(const Story& story, const Pair& pair) {
  const TraceStream& a = story.trace.streams[story.steps.stream_of(pair.earlier.step.index)];
  const TraceStream& b = story.trace.streams[story.steps.stream_of(pair.later.step.index)];
  const bool legacy = a.kind == StreamKind::legacy || b.kind == StreamKind::legacy;
  if (!legacy || a.device != b.device) return "";
  const Step other = a.kind == StreamKind::legacy ? pair.later.step : pair.earlier.step;
  return story.names.stream(other.index) +
         " is a non-blocking stream, which the legacy default stream does not hold back";
}

std::string with_reason(std::string sentence, const std::string& reason) {
  if (!reason.empty()) sentence += ": " + reason;
  return sentence + ".";
}

std::string why_streams(const Story& story, const Pair& pair) {
  const Names& names = story.names;
  const std::string sentence = "Nothing makes " + names.label(pair.later.step) + " on " +
                               names.stream(pair.later.step.index) + " wait for " +
                               names.label(pair.earlier.step) + " on " +
                               names.stream(pair.earlier.step.index);
  std::string reason = because_of_unrecorded(story, pair);
  if (reason.empty()) reason = because_of_waits(story, pair);
  if (reason.empty()) reason = because_of_default_stream(story, pair);
  return with_reason(sentence, reason);
}

std::string why_from_call(const Story& story, const Party& copy, const Party& other) {
  return story.names.label(copy.step) + " may read its pageable source from its call on (" +
         story.names.place(copy.step) + "), without regard to the stream's earlier work: nothing " +
         "makes that call wait for " + story.names.label(other.step) + ".";
}

std::string why_host(const Story& story, const Pair& pair) {
  const Names& names = story.names;
  if (pair.earlier.step.is_call) {
    return "Nothing makes " + names.label(pair.later.step) + ", enqueued by thread " +
           names.thread(pair.later_call) + ", wait for " + names.label(pair.earlier.step) +
           " by thread " + names.thread(pair.earlier_call) + ".";
  }
  const TraceIndex memory = pair.conflict->memory;
  std::string reason = because_of_query(story, pair);
  if (reason.empty() && story.trace.memories[memory].kind == MemoryKind::pageable &&
      story.trace.operations[pair.earlier.step.index].kind == OperationKind::copy) {
    reason = "an asynchronous copy may still be under way when its call returns";
  }
  return with_reason("The host does not wait for " + names.label(pair.earlier.step) + " on " +
                         names.stream(pair.earlier.step.index) + " before " +
                         names.label(pair.later.step),
                     reason);
}

std::string why_race(const Story& story, const Pair& pair) {
  if (pair.later.order == AccessOrder::from_call) {
    return why_from_call(story, pair.later, pair.earlier);
  }
  if (pair.later.step.is_call || pair.earlier.step.is_call) return why_host(story, pair);
  return why_streams(story, pair);
}

std::string why_free(const Story& story, const Party& use, const Party& free) {
  const Names& names = story.names;
  if (story.stamps.before(free.step, use.step)) {
    return names.label(use.step) + " comes after the memory was freed by " +
           names.with_place(free.step) + ".";
  }
  if (free.step.is_call) {
    return "A plain free waits for nothing by contract, and nothing else makes " +
           names.label(free.step) + " wait for " + names.label(use.step) + ".";
  }
  return names.label(free.step) + " takes its place in the order of " +
         names.stream(free.step.index) + ", which does not wait for " + names.label(use.step) +
         (use.step.is_call ? "." : " on " + names.stream(use.step.index) + ".");
}

std::string why_life(const Story& story, const Pair& pair) {
  const auto is = [](const Party& party, AccessMode mode) { return party.mode == mode; };
  const Party& allocation = is(pair.earlier, AccessMode::allocate) ? pair.earlier : pair.later;
  const Party& other = is(pair.earlier, AccessMode::allocate) ? pair.later : pair.earlier;
  const Names& names = story.names;
  if (is(allocation, AccessMode::allocate)) {
    return "Nothing makes " + names.label(other.step) + " wait for " +
           names.with_place(allocation.step) + ": it may run before the memory exists.";
  }
  const bool earlier_frees = is(pair.earlier, AccessMode::free);
  if (earlier_frees && is(pair.later, AccessMode::free)) {
    return "Both free the memory and nothing orders the two: each may come after it was freed.";
  }
  return earlier_frees ? why_free(story, pair.later, pair.earlier)
                       : why_free(story, pair.earlier, pair.later);
}

}  // namespace

std::string why(Story& story, const Pair& pair) {
  std::string text =
      pair.conflict->kind == FindingKind::race ? why_race(story, pair) : why_life(story, pair);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z' && text.starts_with("the ")) {
    text.front() = 'T';
  }
  return text;
}

// Where their orders part -----------------------------------------------------------------------

Partings::Partings(const Story& story) : story_(story), chains_(story.stamps.chains) {
  Walk walk(story.trace);
  for (Step step = walk.next(); step.exists(); step = walk.next()) {
    if (!story.stamps.seen(step)) continue;
    const Epoch at = story.stamps.over(step);
    chains_[at.chain].push_back({at.position, step});
  }
}

Step Partings::at_or_before(ChainId chain, Position position) const {
  const auto& steps = chains_[chain];
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), position,
                       [](Position p, const auto& entry) { return p < entry.first; });
  return after == steps.begin() ? Step{} : std::prev(after)->second;
}

Step Partings::last_common(Step a, Step b) const {
  const ClockStore& clocks = story_.stamps.clocks;
  const Stamp of_a = story_.stamps.stamp(a);
  const Stamp of_b = story_.stamps.stamp(b);
  Step last;
  for (ChainId chain = 0; chain < chains_.size(); ++chain) {
    const Position both = std::min(clocks.at(of_a, chain), clocks.at(of_b, chain));
    const Step step = both == 0 ? Step{} : at_or_before(chain, both);
    if (!step.exists() || step == a || step == b) continue;
    if (!last.exists() || story_.steps.sequence(last) < story_.steps.sequence(step)) last = step;
  }
  return last;
}

std::string Partings::describe(const Pair& pair) const {
  const Names& names = story_.names;
  if (story_.stamps.before(pair.earlier.step, pair.later.step) ||
      story_.stamps.before(pair.later.step, pair.earlier.step)) {
    return "";
  }
  const Step last = last_common(pair.earlier.step, pair.later.step);
  if (!last.exists()) return " Nothing comes before both of them.";
  if (last == Step::call(pair.earlier_call)) {
    return " Their orders part where thread " + names.thread(last.index) + " enqueues " +
           names.label(pair.earlier.step) + " (" + names.place(last) + ") and goes on.";
  }
  return " Their orders part after " + names.with_place(last) +
         (last.is_call ? " by thread " + names.thread(last.index)
                       : " on " + names.stream(last.index)) +
         ", the last that comes before both.";
}

Finding finding_of(Story& story, const Partings& partings, const Conflict& conflict) {
  const Pair pair(story, conflict);
  Finding finding;
  finding.kind = conflict.kind;
  finding.object = story.trace.object_name(ObjectKind::memory, conflict.memory);
  finding.begin = conflict.bytes.begin;
  finding.end = conflict.bytes.end;
  finding.first = story.names.site(conflict.first.step, verb(conflict.first.mode));
  finding.second = story.names.site(conflict.second.step, verb(conflict.second.mode));
  finding.explanation = why(story, pair) + partings.describe(pair);
  finding.fix = cure(story, pair);
  finding.count = conflict.count;
  finding.schedule_dependent = story.accidents.may_order(conflict.first.step, conflict.second.step);
  return finding;
}

}  // namespace millrace::checker
