// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

namespace millrace::checker {

std::string_view verb(AccessMode mode) {
  switch (mode) {
    case AccessMode::read:
      return "reads";
    case AccessMode::write:
      return "writes";
    case AccessMode::update:
      return "updates";
    case AccessMode::allocate:
      return "allocates";
    case AccessMode::free:
      return "frees";
  }
  return "uses";
}

Names::Names(const Steps& steps) : steps_(steps), trace_(steps.trace()) {
  TraceIndex file = none;
  for (const HostCall& call : trace_.calls) {
    if (call.line == 0) continue;
    if (file == none) file = call.file;
    several_files_ = several_files_ || call.file != file;
  }
  totals_.assign(trace_.strings.size(), 0);
  instances_.reserve(trace_.operations.size());
  for (const Operation& operation : trace_.operations) {
    const bool named = operation.name != 0 && operation.name < totals_.size();
    instances_.push_back(named ? ++totals_[operation.name] : 0);
  }
}

TraceIndex Names::call_of(Step step) const {
  return step.is_call ? step.index : steps_.call_of(step.index);
}

std::string Names::stream(TraceIndex operation) const {
  const TraceIndex stream = steps_.stream_of(operation);
  return stream == none ? "an unknown stream" : trace_.object_name(ObjectKind::stream, stream);
}

std::string Names::thread(TraceIndex call) const {
  if (call == none || steps_.thread_of(call) == none) return "an unknown thread";
  return trace_.object_name(ObjectKind::thread, steps_.thread_of(call));
}

std::string Names::event(TraceIndex event) const {
  return trace_.object_name(ObjectKind::event, event);
}

std::string Names::object(ObjectKind kind, TraceIndex index) const {
  const std::string what(to_string(kind));
  std::string name = trace_.object_name(kind, index);
  return name.starts_with(what) ? name : what + " " + name;
}

std::string Names::place(Step step) const {
  const TraceIndex call = steps_.origin_of(step);
  if (call == none || trace_.calls[call].line == 0) return "";
  const std::string line = std::to_string(trace_.calls[call].line);
  if (!several_files_) return "line " + line;
  return std::string(trace_.string(trace_.calls[call].file)) + ":" + line;
}

std::string Names::label(Step step) const {
  if (!step.is_call) {
    const TraceIndex name = trace_.operations[step.index].name;
    std::string text = trace_.describe(step.index);
    if (name != 0 && totals_[name] > 1) text += "#" + std::to_string(instances_[step.index]);
    return text;
  }
  const std::string at = place(step);
  return "the " + std::string(to_string(trace_.calls[step.index].kind)) +
         (at.empty() ? " call" : " at " + at);
}

std::string Names::with_place(Step step) const {
  const std::string at = step.is_call ? "" : place(step);
  return at.empty() ? label(step) : label(step) + " (" + at + ")";
}

Site Names::site(Step step, std::string_view does) const {
  Site site;
  site.step = step;
  site.does = does;
  site.operation = step.is_call ? std::string(to_string(trace_.calls[step.index].kind))
                                : trace_.describe(step.index);
  site.stream = step.is_call ? "host" : stream(step.index);
  const TraceIndex origin = steps_.origin_of(step);
  if (origin == none) return site;
  site.thread = thread(call_of(step));
  site.file = trace_.string(trace_.calls[origin].file);
  site.line = trace_.calls[origin].line;
  return site;
}

}  // namespace millrace::checker
