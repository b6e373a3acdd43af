// SPDX-License-Identifier: Apache-2.0
#include "naive_checker.hpp"

#include <algorithm>
#include <map>

namespace millrace::test {

NaiveChecker::NaiveChecker(const Trace& trace) : trace_(trace) {
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) steps_.push_back(Step::operation(i));
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) steps_.push_back(Step::call(i));
  std::erase_if(steps_, [&](Step step) { return !happened(step); });
  std::sort(steps_.begin(), steps_.end(),
            [&](Step a, Step b) { return sequence(a) < sequence(b); });
  add_plain_edges();
  add_dependencies();
  past_ = pass(nullptr);
  while (possible_) {
    Relation next = pass(&past_);
    const bool same = next == past_;
    past_ = std::move(next);
    if (same) break;
  }
  for (const Step step : steps_) collect_accesses(step);
}

std::size_t NaiveChecker::begin(Step step) const {
  return 2 * (step.is_call ? trace_.operations.size() + step.index : step.index);
}

TraceIndex NaiveChecker::sequence(Step step) const {
  return step.is_call ? trace_.calls[step.index].sequence : trace_.operations[step.index].sequence;
}

bool NaiveChecker::happened(Step step) const { return sequence(step) != none; }

// The graph -------------------------------------------------------------------------------------

void NaiveChecker::add_plain_edges() {
  for (const Step step : steps_) edge(begin(step), end(step));
  for (TraceIndex i = 0; i < trace_.calls.size(); ++i) {
    for (TraceIndex j = i; j-- > 0;) {
      if (trace_.calls[j].thread != trace_.calls[i].thread || !happened(Step::call(j))) continue;
      edge(end(Step::call(j)), begin(Step::call(i)));
      break;
    }
  }
  for (TraceIndex i = 0; i < trace_.operations.size(); ++i) {
    if (!happened(Step::operation(i))) continue;
    const Step call = Step::call(trace_.operations[i].call);
    edge(begin(call), begin(Step::operation(i)));
    for (TraceIndex a = 0; a < trace_.operations[i].access_count; ++a) {
      // A host side that is over when the call returns began in stream order.
      const TraceAccess& access = trace_.accesses[trace_.operations[i].first_access + a];
      const bool staged = access.order == AccessOrder::until_return && happened(call) &&
                          sequence(call) > sequence(Step::operation(i));
      if (staged) edge(begin(Step::operation(i)), end(call));
    }
    add_stream_edges(i);
  }
}

void NaiveChecker::add_stream_edges(TraceIndex index) {
  const Operation& later = trace_.operations[index];
  const bool graph = trace_.calls[later.call].kind == CallKind::launch_graph;
  for (TraceIndex i = 0; i < index; ++i) {
    const Operation& earlier = trace_.operations[i];
    if (earlier.stream != later.stream || !happened(Step::operation(i))) continue;
    if (graph && earlier.call == later.call) continue;
    edge(end(Step::operation(i)), begin(Step::operation(index)));
  }
}

void NaiveChecker::add_dependencies() {
  for (const Dependency& d : trace_.dependencies) {
    if (!happened(d.from)) continue;
    if (d.kind == DependencyKind::signal || d.kind == DependencyKind::flag) continue;
    const bool starts =
        d.kind == DependencyKind::thread_start || d.kind == DependencyKind::thread_join;
    edge(end(d.from), d.to.is_call && !starts ? end(d.to) : begin(d.to));
  }
}

NaiveChecker::Relation NaiveChecker::closure(
    const std::vector<std::pair<std::size_t, std::size_t>>& more) const {
  const std::size_t nodes = 2 * (trace_.operations.size() + trace_.calls.size());
  Relation past(nodes);
  for (const auto& [from, to] : edges_) past[to].set(from);
  for (const auto& [from, to] : more) past[to].set(from);
  for (std::size_t middle = 0; middle < nodes; ++middle) {
    for (std::size_t node = 0; node < nodes; ++node) {
      if (past[node][middle]) past[node] |= past[middle];
    }
  }
  return past;
}

// Awaits ----------------------------------------------------------------------------------------

bool NaiveChecker::is_guaranteed(Step await) const {
  return await.is_call ? trace_.calls[await.index].kind == CallKind::await
                       : trace_.operations[await.index].kind == OperationKind::await_flag;
}

NaiveChecker::Relation NaiveChecker::pass(const Relation* previous) const {
  std::vector<std::pair<std::size_t, std::size_t>> more;
  Relation past = closure(more);
  for (const Step step : steps_) {
    if (!is_guaranteed(step)) continue;
    const Nodes known = guarantee(step, past, previous);
    for (std::size_t node = 0; node < past.size(); ++node) {
      if (known[node]) more.push_back({node, comes_in(step)});
    }
    past = closure(more);
  }
  return past;
}

bool NaiveChecker::satisfies(std::uint64_t value, Step await) const {
  const std::uint64_t word = trace_.operations[await.index].bytes;
  const std::uint64_t wanted = word & 0xffff'ffffU;
  if (word >> 32U == 1) return value == wanted;
  if (word >> 32U == 2) return (value & wanted) != 0;
  return ((value - wanted) & 0x8000'0000U) == 0;
}

/// All that has happened once `source` is over; nothing when it can only come after the await.
std::optional<NaiveChecker::Nodes> NaiveChecker::knows(Step await, Step source, const Relation& now,
                                                       const Relation* previous) const {
  const bool later = sequence(source) > sequence(await);
  if (later && previous == nullptr) return std::nullopt;
  const Relation& past = later ? *previous : now;
  if (later && past[comes_in(source)][goes_out(await)]) return std::nullopt;
  Nodes known = past[end(source)];
  known.set(end(source));
  return known;
}

NaiveChecker::Nodes NaiveChecker::matched(Step await, const Relation& now) const {
  Nodes known;
  for (const Dependency& d : trace_.dependencies) {
    const bool fits = d.kind == DependencyKind::signal || d.kind == DependencyKind::flag;
    if (!(d.to == await) || !fits || !happened(d.from)) continue;
    if (sequence(d.from) > sequence(await)) continue;
    known |= now[end(d.from)];
    known.set(end(d.from));
  }
  return known;
}

NaiveChecker::Nodes NaiveChecker::guarantee(Step await, const Relation& now,
                                            const Relation* previous) const {
  const Nodes mine = now[begin(await)];
  const TraceIndex object =
      await.is_call ? trace_.calls[await.index].object : trace_.operations[await.index].object;
  std::vector<Nodes> candidates;
  std::size_t k = 1;
  std::vector<Step> sources;
  for (const Step step : steps_) {
    if (step.is_call != await.is_call) continue;
    if (step.is_call) {
      const HostCall& call = trace_.calls[step.index];
      if (call.object_kind != ObjectKind::signal || call.object != object) continue;
      if (call.kind == CallKind::await && mine[end(step)]) ++k;
      if (call.kind == CallKind::raise) sources.push_back(step);
    } else {
      const Operation& operation = trace_.operations[step.index];
      if (operation.kind != OperationKind::set_flag || operation.object != object) continue;
      sources.push_back(step);
    }
  }
  const auto is_known = [&](Step source) { return mine[end(source)]; };
  if (!await.is_call && satisfies(0, await) &&
      std::none_of(sources.begin(), sources.end(), is_known)) {
    return {};
  }
  for (const Step source : sources) {
    if (!await.is_call) {
      if (!satisfies(trace_.operations[source.index].bytes, await)) continue;
      const auto overwrites = [&](Step other) {
        return is_known(other) && now[begin(other)][end(source)];
      };
      if (std::any_of(sources.begin(), sources.end(), overwrites)) continue;
    }
    if (const auto known = knows(await, source, now, previous)) candidates.push_back(*known);
  }
  if (candidates.size() < k) {
    possible_ = false;
    return matched(await, now);
  }
  Nodes sure;
  for (std::size_t node = 0; node < now.size(); ++node) {
    std::size_t without = 0;
    for (const Nodes& known : candidates) without += known[node] ? 0U : 1U;
    if (without < k) sure.set(node);
  }
  return sure;
}

bool NaiveChecker::before(Step a, Step b) const {
  return !(a == b) && happened(a) && happened(b) && past_[comes_in(b)][goes_out(a)];
}

// Accesses --------------------------------------------------------------------------------------

void NaiveChecker::collect_accesses(Step step) {
  std::map<std::pair<TraceIndex, AccessOrder>, Access> by_memory;
  const auto visit = [&](const auto& owner) {
    for (TraceIndex i = 0; i < owner.access_count; ++i) {
      const TraceAccess& one = trace_.accesses[owner.first_access + i];
      Access& access = by_memory[{one.memory, step.is_call ? AccessOrder::in_order : one.order}];
      access.allocates |= one.mode == AccessMode::allocate;
      access.frees |= one.mode == AccessMode::free;
      if (one.mode == AccessMode::allocate || one.mode == AccessMode::free) continue;
      for (std::uint64_t byte = one.begin; byte < one.end; ++byte) {
        if (one.pitch != 0 && (byte - one.begin) % one.pitch >= one.width) continue;
        if (one.mode != AccessMode::write) access.reads.set(byte);
        if (one.mode != AccessMode::read) access.writes.set(byte);
      }
    }
  };
  if (step.is_call) {
    visit(trace_.calls[step.index]);
  } else {
    visit(trace_.operations[step.index]);
  }
  for (auto& [key, access] : by_memory) {
    access.step = step;
    access.memory = key.first;
    access.start = comes_in(step);
    access.over = {goes_out(step)};
    const Step call = step.is_call ? step : Step::call(trace_.operations[step.index].call);
    if (key.second == AccessOrder::from_call) access.start = begin(call);
    if (key.second == AccessOrder::until_return) access.over.push_back(end(call));
    if (access.allocates || access.frees || (access.reads | access.writes).any()) {
      accesses_.push_back(access);
    }
  }
}

bool NaiveChecker::ordered(const Access& a, const Access& b) const {
  return std::any_of(a.over.begin(), a.over.end(),
                     [&](std::size_t over) { return over == b.start || past_[b.start][over]; });
}

std::optional<FindingKind> NaiveChecker::judge(const Access& a, const Access& b) const {
  if (a.step == b.step || a.memory != b.memory) return std::nullopt;
  const bool apart = !ordered(a, b) && !ordered(b, a);
  const auto bounds = [](const Access& x) { return x.allocates || x.frees; };
  if (a.allocates) return ordered(a, b) ? std::nullopt : std::optional(FindingKind::use_after_free);
  if (b.allocates) return judge(b, a);
  if (a.frees && b.frees) return apart ? std::optional(FindingKind::use_after_free) : std::nullopt;
  if (b.frees) return ordered(a, b) ? std::nullopt : std::optional(FindingKind::use_after_free);
  if (bounds(a)) return judge(b, a);
  if (!apart || (a.step.is_call && b.step.is_call)) return std::nullopt;
  const bool conflict = common(a, b, FindingKind::race).any();
  return conflict ? std::optional(FindingKind::race) : std::nullopt;
}

NaiveChecker::Bytes NaiveChecker::common(const Access& a, const Access& b, FindingKind kind) {
  if (kind == FindingKind::race) {
    return (a.writes & (b.reads | b.writes)) | (a.reads & b.writes);
  }
  return a.reads | a.writes | b.reads | b.writes;
}

std::string NaiveChecker::place(Step step) const {
  const HostCall& call =
      trace_.calls[step.is_call ? step.index : trace_.operations[step.index].call];
  const std::string line = std::to_string(call.line);
  if (step.is_call) return "call " + line + " " + std::to_string(static_cast<int>(call.kind));
  const Operation& operation = trace_.operations[step.index];
  return "operation " + line + " " + std::to_string(static_cast<int>(operation.kind)) + " " +
         std::to_string(operation.name);
}

std::set<NaiveFinding> NaiveChecker::conflicts() const {
  using Key = std::tuple<FindingKind, std::string, std::string, std::string>;
  std::map<Key, NaiveFinding> found;
  std::map<Key, std::pair<TraceIndex, TraceIndex>> first_at;  // of a group, the one shown
  for (std::size_t j = 0; j < accesses_.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const Access& a = accesses_[i];
      const Access& b = accesses_[j];
      const auto kind = judge(a, b);
      if (!kind) continue;
      const std::string object(trace_.string(trace_.memories[a.memory].name));
      auto [one, other] = std::pair(place(a.step), place(b.step));
      if (other < one) std::swap(one, other);
      const Key key{*kind, object, one, other};
      NaiveFinding& finding = found[key];
      const auto at = std::pair(sequence(b.step), sequence(a.step));
      if (++finding.count > 1 && first_at[key] <= at) continue;
      first_at[key] = at;
      finding.kind = *kind;
      finding.object = object;
      finding.first = {a.step.is_call, a.step.index};
      finding.second = {b.step.is_call, b.step.index};
      const Bytes bytes = common(a, b, *kind);
      finding.begin = 0;
      finding.end = trace_.memories[a.memory].bytes;
      if (bytes.none()) continue;
      for (finding.begin = 0; !bytes[finding.begin];) ++finding.begin;
      for (finding.end = 64; !bytes[finding.end - 1];) --finding.end;
    }
  }
  std::set<NaiveFinding> findings;
  for (const auto& [key, finding] : found) findings.insert(finding);
  return findings;
}

}  // namespace millrace::test
