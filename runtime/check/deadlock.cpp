// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace millrace::checker {
namespace {

/// The wait-for graph of a run that could not go on. Every step in it waits for at most one thing.
class WaitGraph {
 public:
  explicit WaitGraph(const Story& story) : story_(story), trace_(story.trace) {}

  /// A cycle among the steps, or the chain that ends where nobody can help.
  void search();
  [[nodiscard]] const std::vector<Step>& chain() const { return chain_; }
  [[nodiscard]] bool is_cycle() const { return is_cycle_; }
  /// Whether some step of the chain waits only for what it shares a hardware queue with.
  [[nodiscard]] bool is_in_queue() const {
    return std::any_of(chain_.begin(), chain_.end(), [&](Step s) { return waits_in_queue(s); });
  }
  /// "thread main waits for stream s1 (line 4)".
  [[nodiscard]] std::string sentence(Step step) const;

 private:
  [[nodiscard]] const Blocked* blocked(Step step) const;
  [[nodiscard]] Step next(Step step) const;
  [[nodiscard]] Step waited_for(const Blocked& blocked) const;
  [[nodiscard]] Step pending_set(TraceIndex flag) const;
  [[nodiscard]] Step pending_on(TraceIndex stream) const;
  [[nodiscard]] Step blocked_call_of(TraceIndex thread) const;
  [[nodiscard]] Step before_in_stream(TraceIndex operation) const;
  [[nodiscard]] Step owner_of(const Blocked& lock) const;
  [[nodiscard]] Step holder_or(Step behind) const;
  [[nodiscard]] bool is_stuck(TraceIndex operation) const;
  [[nodiscard]] bool waits_in_queue(Step step) const;
  void walk(Step from);

  const Story& story_;
  const Trace& trace_;
  std::vector<Step> chain_;
  bool is_cycle_ = false;
};

bool WaitGraph::is_stuck(TraceIndex index) const {
  const Operation& operation = trace_.operations[index];
  return operation.end_ns < 0 &&
         (operation.state == OperationState::pending || operation.state == OperationState::running);
}

bool WaitGraph::waits_in_queue(Step step) const {
  if (step.is_call || step.index >= trace_.operations.size()) return false;
  return trace_.operations[step.index].constraint == ConstraintKind::queue_neighbour &&
         is_stuck(step.index);
}

const Blocked* WaitGraph::blocked(Step step) const {
  const auto found = std::find_if(trace_.blocked.begin(), trace_.blocked.end(),
                                  [&](const Blocked& b) { return b.step == step; });
  return found == trace_.blocked.end() ? nullptr : &*found;
}

Step WaitGraph::pending_set(TraceIndex flag) const {
  for (TraceIndex i = 0; i < trace_.operations.size(); ++i) {
    const Operation& operation = trace_.operations[i];
    const bool sets = operation.kind == OperationKind::set_flag && operation.object == flag;
    if (sets && is_stuck(i)) return Step::operation(i);
  }
  return {};
}

Step WaitGraph::pending_on(TraceIndex stream) const {
  for (TraceIndex i = 0; i < trace_.operations.size(); ++i) {
    if (trace_.operations[i].stream == stream && is_stuck(i)) return Step::operation(i);
  }
  return {};
}

Step WaitGraph::before_in_stream(TraceIndex index) const {
  for (TraceIndex i = index; i-- > 0;) {
    if (trace_.operations[i].stream != trace_.operations[index].stream) continue;
    return is_stuck(i) ? Step::operation(i) : Step{};
  }
  return {};
}

Step WaitGraph::blocked_call_of(TraceIndex thread) const {
  for (const Blocked& b : trace_.blocked) {
    if (b.step.is_call && b.step.index < trace_.calls.size() &&
        trace_.calls[b.step.index].thread == thread) {
      return b.step;
    }
  }
  return {};
}

/// The blocked call of the thread that holds the mutex: the last one to lock it.
Step WaitGraph::owner_of(const Blocked& lock) const {
  for (TraceIndex i = static_cast<TraceIndex>(trace_.calls.size()); i-- > 0;) {
    const HostCall& call = trace_.calls[i];
    if (call.object_kind != ObjectKind::mutex || call.object != lock.object) continue;
    if (call.sequence == none) continue;
    if (takes_lock(call)) return blocked_call_of(call.thread);
    if (call.kind == CallKind::unlock) return {};
  }
  return {};
}

/// Behind a lock that was taken stands what its thread is blocked in; other steps stand for
/// themselves.
Step WaitGraph::holder_or(Step behind) const {
  const bool took = behind.is_call && behind.index < trace_.calls.size() &&
                    takes_lock(trace_.calls[behind.index]);
  return took ? blocked_call_of(trace_.calls[behind.index].thread) : behind;
}

Step WaitGraph::waited_for(const Blocked& b) const {
  switch (b.waits_for) {
    case ObjectKind::flag:
      return pending_set(b.object);
    case ObjectKind::stream:
      return pending_on(b.object);
    case ObjectKind::thread:
      return blocked_call_of(b.object);
    case ObjectKind::mutex:
      return owner_of(b);
    default:
      return {};
  }
}

/// What this step waits for: what the trace says, or what can be told from the objects.
Step WaitGraph::next(Step step) const {
  const Blocked* b = blocked(step);
  if (b != nullptr && b->behind.exists()) return holder_or(b->behind);
  if (b != nullptr && b->waits_for != ObjectKind::nothing) return waited_for(*b);
  if (step.is_call) return {};
  // Not a head: something in front of it in its stream, or what its dependencies say.
  const Step before = before_in_stream(step.index);
  if (before.exists()) return before;
  for (const Dependency& d : trace_.dependencies) {
    if (d.to == step && !d.from.is_call && is_stuck(d.from.index)) return d.from;
  }
  return {};
}

void WaitGraph::walk(Step from) {
  chain_.clear();
  for (Step step = from; step.exists(); step = next(step)) {
    const auto seen = std::find(chain_.begin(), chain_.end(), step);
    is_cycle_ = seen != chain_.end();
    if (is_cycle_) {
      chain_.erase(chain_.begin(), seen);
      return;
    }
    chain_.push_back(step);
  }
}

void WaitGraph::search() {
  for (const Blocked& b : trace_.blocked) {
    walk(b.step);
    if (is_cycle_) return;
  }
  if (!trace_.blocked.empty()) walk(trace_.blocked.front().step);
}

std::string WaitGraph::sentence(Step step) const {
  const Names& names = story_.names;
  const Blocked* b = blocked(step);
  const std::string who = step.is_call
                              ? "thread " + names.thread(step.index) + " in " + names.label(step)
                              : names.with_place(step) + " on " + names.stream(step.index);
  if (b != nullptr && b->waits_for != ObjectKind::nothing) {
    return who + " waits for " + names.object(b->waits_for, b->object);
  }
  const Step behind = next(step);
  if (!behind.exists()) return who + " cannot go on";
  if (waits_in_queue(step) && !behind.is_call) {
    return who + " stands behind " + names.with_place(behind) + " of " +
           names.stream(behind.index) + ", which has the same hardware queue";
  }
  return who + " waits for " + names.with_place(behind);
}

/// Why nobody helps the last one of a chain that is no cycle.
std::string dead_end(const Story& story, const Blocked* last) {
  if (last == nullptr) return "";
  const Trace& trace = story.trace;
  const std::string what = story.names.object(last->waits_for, last->object);
  if (last->waits_for == ObjectKind::flag) {
    const bool was_set = std::any_of(
        trace.operations.begin(), trace.operations.end(), [&](const Operation& operation) {
          return operation.kind == OperationKind::set_flag && operation.object == last->object;
        });
    return was_set ? " No set of " + what + " that would satisfy it is left to run."
                   : " Nothing in the program ever sets " + what + ".";
  }
  if (last->waits_for == ObjectKind::signal) {
    return " Nobody is left who could raise " + what + ".";
  }
  if (last->waits_for == ObjectKind::mutex && last->behind.exists()) {
    return " Thread " + story.names.thread(last->behind.index) + " locked it in " +
           story.names.with_place(last->behind) + " and ended without an unlock.";
  }
  return "";
}

std::string cure_deadlock(const Story& story, const WaitGraph& graph) {
  const Names& names = story.names;
  if (graph.is_in_queue()) {
    return "the device has fewer hardware queues than the program has streams: enqueue what is "
           "waited for before what waits, use fewer streams, or raise "
           "CUDA_DEVICE_MAX_CONNECTIONS";
  }
  for (const Step step : graph.chain()) {
    if (!step.is_call) continue;
    return "let thread " + names.thread(step.index) + " issue what the others wait for before " +
           names.label(step);
  }
  if (graph.chain().empty()) return "";
  return "enqueue what " + names.with_place(graph.chain().front()) +
         " waits for in front of what waits for it, or on a stream of its own";
}

}  // namespace

void add_deadlock(Story& story, std::vector<Finding>& findings) {
  if (story.trace.blocked.empty()) return;
  WaitGraph graph(story);
  graph.search();
  Finding finding;
  finding.kind = FindingKind::deadlock;
  const auto side = [&](Step step) {
    const std::size_t size =
        step.is_call ? story.trace.calls.size() : story.trace.operations.size();
    return step.index < size ? story.names.site(step, "waits") : Site{};
  };
  if (!graph.chain().empty()) finding.first = side(graph.chain().front());
  if (graph.chain().size() > 1) finding.second = side(graph.chain()[1]);

  std::string text = graph.is_cycle() ? "A cycle: " : "Nothing can go on: ";
  std::string_view separator;
  const auto say = [&](Step step) {
    text += std::string(separator) + graph.sentence(step);
    separator = "; ";
  };
  for (const Step step : graph.chain()) say(step);
  for (const Blocked& b : story.trace.blocked) {
    const auto& chain = graph.chain();
    if (std::find(chain.begin(), chain.end(), b.step) == chain.end()) say(b.step);
  }
  text += ".";
  if (!graph.is_cycle() && !graph.chain().empty()) {
    const Step last = graph.chain().back();
    const auto found = std::find_if(story.trace.blocked.begin(), story.trace.blocked.end(),
                                    [&](const Blocked& b) { return b.step == last; });
    text += dead_end(story, found == story.trace.blocked.end() ? nullptr : &*found);
  }
  finding.explanation = std::move(text);
  finding.fix = cure_deadlock(story, graph);
  findings.push_back(std::move(finding));
}

}  // namespace millrace::checker
