// SPDX-License-Identifier: Apache-2.0
#include "blocked_time.hpp"

#include <millrace/time.hpp>
#include <millrace/trace_summary.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

namespace millrace {
namespace {

using Count = TraceSummary::Count;

/// Counts enumerators; `last` is the last one.
template <auto last>
class Counter {
 public:
  void add(decltype(last) kind) { ++counts_[static_cast<std::size_t>(kind)]; }

  [[nodiscard]] std::vector<Count> nonzero() const {
    std::vector<Count> list;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] != 0) list.push_back({to_string(static_cast<decltype(last)>(i)), counts_[i]});
    }
    return list;
  }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(last) + 1> counts_{};
};

/// The length of spans together, which must come in the order of their begins.
class BusyTime {
 public:
  std::int64_t add(std::int64_t begin_ns, std::int64_t end_ns) {
    const std::int64_t from = std::max(begin_ns, until_ns_);
    until_ns_ = std::max(until_ns_, end_ns);
    return std::max<std::int64_t>(end_ns - from, 0);
  }

 private:
  std::int64_t until_ns_ = std::numeric_limits<std::int64_t>::min();
};

void add_streams(const Trace& trace, TraceSummary& summary) {
  for (TraceIndex i = 0; i < trace.streams.size(); ++i) {
    summary.streams.push_back({trace.object_name(ObjectKind::stream, i),
                               trace.object_name(ObjectKind::device, trace.streams[i].device)});
  }
}

void count_operations(const Trace& trace, TraceSummary& summary) {
  Counter<OperationKind::graph_node> kinds;
  BlockedTime blocked(trace);
  std::vector<BusyTime> busy(trace.streams.size());
  for (const Operation& operation : trace.operations) {
    kinds.add(operation.kind);
    summary.waits += operation.kind == OperationKind::wait ? 1U : 0U;
    summary.bytes += operation.bytes;
    TraceSummary::Stream& stream = summary.streams[operation.stream];
    ++stream.operations;
    if (operation.start_ns < 0) {
      ++summary.never_started;
      continue;
    }
    stream.blocked_ns += blocked.before(operation).length_ns();
    stream.busy_ns += busy[operation.stream].add(operation.start_ns, end_ns(trace, operation));
  }
  summary.operations = trace.operations.size();
  summary.operation_kinds = kinds.nonzero();
}

void count_calls(const Trace& trace, TraceSummary& summary) {
  Counter<CallKind::try_lock> kinds;
  for (TraceIndex i = 0; i < trace.threads.size(); ++i) {
    summary.threads.push_back({trace.object_name(ObjectKind::thread, i)});
  }
  std::vector<BusyTime> waiting(trace.threads.size());
  for (const HostCall& call : trace.calls) {
    kinds.add(call.kind);
    summary.failed_calls += call.outcome == CallOutcome::error ? 1U : 0U;
    summary.waits_unrecorded += call.unrecorded ? 1U : 0U;
    // A wait on an event that was never recorded may enqueue nothing.
    summary.waits += call.unrecorded && call.operation == none ? 1U : 0U;
    TraceSummary::Thread& thread = summary.threads[call.thread];
    ++thread.calls;
    if (!may_wait(call.kind)) continue;
    const bool returned = call.outcome != CallOutcome::blocked;
    const std::int64_t end = returned ? call.end_ns : trace.end_ns;
    thread.waiting_ns += waiting[call.thread].add(call.begin_ns, end);
  }
  summary.calls = trace.calls.size();
  summary.call_kinds = kinds.nonzero();
}

void count_edges(const Trace& trace, TraceSummary& summary) {
  for (const Dependency& dependency : trace.dependencies) {
    switch (dependency.state) {
      case DependencyState::exact:
        ++summary.edges_exact;
        break;
      case DependencyState::inferred:
        ++summary.edges_inferred;
        break;
      case DependencyState::unresolved:
        ++summary.edges_unresolved;
        break;
    }
  }
}

std::string list(const std::vector<Count>& counts) {
  std::string text;
  for (const Count& count : counts) {
    fmt::format_to(std::back_inserter(text), "{}{} {}", text.empty() ? ": " : ", ", count.word,
                   count.count);
  }
  return text;
}

/// "1 call", "2 calls"
std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string time(std::int64_t ns) { return to_string(Duration{ns}); }

/// Hundredths, rounded down; of a trace without length 0.
std::int64_t percent(std::int64_t part_ns, std::int64_t whole_ns) {
  if (whole_ns <= 0) return 0;
  const bool is_long = part_ns > std::numeric_limits<std::int64_t>::max() / 100;
  return is_long ? part_ns / (whole_ns / 100) : part_ns * 100 / whole_ns;
}

std::string describe_operations(const TraceSummary& s) {
  std::string text = fmt::format("operations    {}{}\n", s.operations, list(s.operation_kinds));
  if (s.never_started != 0) text += fmt::format("never started {}\n", s.never_started);
  if (s.bytes != 0) text += fmt::format("bytes moved   {}\n", s.bytes);
  for (const TraceSummary::Stream& stream : s.streams) {
    text += fmt::format("  {} on {}: {}, busy {} ({}%), blocked {}\n", stream.name, stream.device,
                        counted(stream.operations, "operation"), time(stream.busy_ns),
                        percent(stream.busy_ns, s.end_ns), time(stream.blocked_ns));
  }
  return text;
}

std::string describe_calls(const TraceSummary& s) {
  std::string text = fmt::format("host calls    {}{}\n", s.calls, list(s.call_kinds));
  if (s.failed_calls != 0) text += fmt::format("failed calls  {}\n", s.failed_calls);
  for (const TraceSummary::Thread& thread : s.threads) {
    text += fmt::format("  {}: {}, waiting {}\n", thread.name, counted(thread.calls, "call"),
                        time(thread.waiting_ns));
  }
  return text;
}

std::string describe_order(const TraceSummary& s) {
  std::string text = fmt::format("waits         {} on events", s.waits);
  if (s.waits_unrecorded != 0) {
    text += fmt::format(", {} of them never recorded", s.waits_unrecorded);
  }
  text += fmt::format("\ndependencies  {} exact, {} inferred, {} unresolved\n", s.edges_exact,
                      s.edges_inferred, s.edges_unresolved);
  if (!s.has_dependencies) text += "order         unknown: the producer did not record it\n";
  if (s.deadlocked != 0) {
    text +=
        fmt::format("deadlock      {} threads and operations could never go on\n", s.deadlocked);
  }
  return text;
}

}  // namespace

TraceSummary summarize(const Trace& trace) {
  TraceSummary summary;
  summary.producer = trace.producer;
  summary.end_ns = trace.end_ns;
  summary.has_dependencies = trace.has_dependencies;
  summary.accesses = trace.accesses.size();
  summary.deadlocked = trace.blocked.size();
  add_streams(trace, summary);
  count_operations(trace, summary);
  count_calls(trace, summary);
  count_edges(trace, summary);
  return summary;
}

std::string describe(const TraceSummary& summary) {
  return fmt::format("producer      {}\nends at       {}\n", summary.producer,
                     time(summary.end_ns)) +
         describe_operations(summary) + describe_calls(summary) + describe_order(summary);
}

}  // namespace millrace
