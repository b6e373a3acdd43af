// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include "grow.hpp"

namespace millrace::sim {

TraceIndex Recorder::string(Name name) {
  if (!enabled_) return none;
  if (name.id() >= strings_by_name_.size()) strings_by_name_.resize(name.id() + 1, none);
  TraceIndex& known = strings_by_name_[name.id()];
  if (known == none) known = string(name.text());
  return known;
}

TraceIndex Recorder::string(std::string_view text) {
  if (!enabled_) return none;
  if (text.empty()) return 0;
  const auto found = strings_.find(text);
  if (found != strings_.end()) return found->second;
  const auto index = static_cast<TraceIndex>(trace_.strings.size());
  trace_.strings.emplace_back(text);
  strings_.emplace(text, index);
  return index;
}

TraceIndex Recorder::file(const char* path) {
  if (path != last_path_) {
    last_file_ = string(std::string_view(path));
    last_path_ = path;
  }
  return last_file_;
}

namespace {

template <typename Object>
TraceIndex add(std::vector<Object>& table, const Object& object) {
  table.push_back(object);
  return static_cast<TraceIndex>(table.size() - 1);
}

}  // namespace

TraceIndex Recorder::add_thread(Name name) {
  return enabled_ ? add(trace_.threads, {.name = string(name)}) : none;
}

TraceIndex Recorder::add_signal(Name name) {
  return enabled_ ? add(trace_.signals, {.name = string(name)}) : none;
}

TraceIndex Recorder::add_mutex(Name name) {
  return enabled_ ? add(trace_.mutexes, {.name = string(name)}) : none;
}

TraceIndex Recorder::begin_call(CallKind kind, TraceIndex thread, const CallSite& site, Time begin,
                                ObjectKind object_kind, TraceIndex object) {
  if (!enabled_ || site.silent) return none;
  HostCall& call = grow(trace_.calls);
  call.begin_ns = call.end_ns = begin.ns;
  call.thread = thread;
  call.file = file(site.where.file);
  call.line = site.where.line;
  call.object = object;
  call.kind = kind;
  call.outcome = CallOutcome::blocked;  // until it returns
  call.object_kind = object_kind;
  return static_cast<TraceIndex>(trace_.calls.size() - 1);
}

void Recorder::end_call(TraceIndex index, Time end, CallOutcome outcome, Errc error) {
  if (index == none) return;
  HostCall& call = trace_.calls[index];
  call.end_ns = end.ns;
  call.sequence = next_step();
  call.outcome = outcome;
  call.error = static_cast<std::uint16_t>(error);
}

void Recorder::depend(Step from, Step to, DependencyKind kind) {
  if (!enabled_ || !from.exists() || !to.exists()) return;
  grow(trace_.dependencies, {.from = from, .to = to, .kind = kind});
}

TraceIndex Recorder::add_operation(const Operation& operation, Name name) {
  if (!enabled_) return none;
  Operation& added = grow(trace_.operations, operation);
  added.name = string(name);
  const auto index = static_cast<TraceIndex>(trace_.operations.size() - 1);
  if (HostCall* const from = call(operation.call); from != nullptr && from->operation == none) {
    from->operation = index;
  }
  return index;
}

void Recorder::access_of_operation(TraceIndex operation, const TraceAccess& access) {
  if (operation == none || access.memory == none) return;
  Operation& owner = trace_.operations[operation];
  if (owner.access_count == 0) owner.first_access = static_cast<TraceIndex>(trace_.accesses.size());
  grow(trace_.accesses, access);
  ++owner.access_count;
}

void Recorder::access_of_call(TraceIndex call, const TraceAccess& access) {
  if (call == none || access.memory == none) return;
  HostCall& owner = trace_.calls[call];
  if (owner.access_count == 0) owner.first_access = static_cast<TraceIndex>(trace_.accesses.size());
  grow(trace_.accesses, access);
  ++owner.access_count;
}

}  // namespace millrace::sim
