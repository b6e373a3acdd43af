// SPDX-License-Identifier: Apache-2.0
#include "render/words.hpp"

#include "render/text.hpp"

#include <string_view>

namespace millrace::cli {

Words::Words(const Trace& trace, bool ascii) : trace_(trace), ascii_(ascii) {
  TraceIndex file = none;
  for (const HostCall& call : trace.calls) {
    if (call.line == 0) continue;
    if (file == none) file = call.file;
    one_file_ = one_file_ && call.file == file;
  }
  count_instances();
}

void Words::count_instances() {
  std::vector<std::uint32_t> of_name(trace_.strings.size());
  instance_.resize(trace_.operations.size());
  for (std::size_t i = 0; i < instance_.size(); ++i) {
    const TraceIndex name = trace_.operations[i].name;
    if (name != 0) instance_[i] = ++of_name[name];
  }
  for (std::size_t i = 0; i < instance_.size(); ++i) {
    if (of_name[trace_.operations[i].name] < 2) instance_[i] = 0;
  }
}

std::string Words::clean(std::string_view text) const { return printable(text, ascii_); }

std::string Words::operation(TraceIndex index) const {
  const std::uint32_t instance = instance_[index];
  const std::string name = clean(trace_.describe(index));
  return instance == 0 ? name : name + "#" + std::to_string(instance);
}

std::string Words::operation_at(TraceIndex index) const {
  return operation(index) + at(trace_.operations[index].call);
}

std::string Words::operation_in_stream(TraceIndex index) const {
  const Operation& o = trace_.operations[index];
  return operation(index) + " in " + stream(o.stream) + at(o.call);
}

std::string Words::stream(TraceIndex index) const { return object(ObjectKind::stream, index); }
std::string Words::thread(TraceIndex index) const { return object(ObjectKind::thread, index); }
std::string Words::device(TraceIndex index) const { return object(ObjectKind::device, index); }

std::string Words::object(ObjectKind kind, TraceIndex index) const {
  return clean(trace_.object_name(kind, index));
}

namespace {

std::string_view verb(CallKind kind) {
  switch (kind) {
    case CallKind::synchronize_stream:
    case CallKind::synchronize_event:
      return "sync";
    case CallKind::synchronize_device:
      return "sync device";
    case CallKind::query_stream:
    case CallKind::query_event:
      return "query";
    case CallKind::host_function:
      return "call";
    case CallKind::start_thread:
      return "start";
    case CallKind::join_thread:
      return "join";
    case CallKind::host_free:
      return "free";
    default:
      return to_string(kind);
  }
}

}  // namespace

std::string Words::call(const HostCall& call) const {
  std::string what(verb(call.kind));
  if (call.operation != none) {
    const bool has_verb = call.kind == CallKind::launch || call.kind == CallKind::host_function;
    return (has_verb ? what + " " : "") + operation(call.operation);
  }
  if (call.object_kind == ObjectKind::nothing || call.object == none) {
    if (call.access_count == 0) return what;
    return what + " " + object(ObjectKind::memory, trace_.accesses[call.first_access].memory);
  }
  if (call.object_kind == ObjectKind::device && trace_.devices.size() == 1) return what;
  return what + " " + object(call.object_kind, call.object);
}

std::string Words::place(TraceIndex index) const {
  if (index == none || trace_.calls[index].line == 0) return {};
  const HostCall& call = trace_.calls[index];
  std::string line = std::to_string(call.line);
  if (one_file_) return line;
  const std::string_view path = trace_.string(call.file);
  return clean(path.substr(path.rfind('/') + 1)) + ":" + line;
}

std::string Words::place_in_words(TraceIndex index) const {
  const std::string where = place(index);
  return one_file_ && !where.empty() ? "line " + where : where;
}

std::string Words::at(TraceIndex index) const {
  const std::string where = place_in_words(index);
  return where.empty() ? where : " (" + where + ")";
}

std::string Words::place_of_operation(TraceIndex index) const {
  return place(trace_.operations[index].call);
}

Direction direction(const Trace& trace, const Operation& copy) {
  TraceIndex source = none;
  TraceIndex target = none;
  for (TraceIndex i = 0; i < copy.access_count; ++i) {
    const TraceAccess& access = trace.accesses[copy.first_access + i];
    (access.mode == AccessMode::read ? source : target) = access.memory;
  }
  if (source == none || target == none) return Direction::other;
  const TraceMemory& from = trace.memories[source];
  const TraceMemory& to = trace.memories[target];
  const auto is_host = [](const TraceMemory& memory) {
    return memory.kind == MemoryKind::pinned || memory.kind == MemoryKind::pageable;
  };
  if (is_host(from) && is_host(to)) return Direction::other;
  if (is_host(from)) return Direction::to_device;
  if (is_host(to)) return Direction::to_host;
  return from.device == to.device ? Direction::on_device : Direction::between_devices;
}

bool can_wait(const Trace& trace, const HostCall& call) {
  if (call.outcome == CallOutcome::blocked) return true;
  if (may_wait(call.kind)) return true;
  if (call.operation == none) return false;
  const Operation& made = trace.operations[call.operation];  // a synchronous one is done on return
  return made.end_ns > call.begin_ns && made.end_ns <= call.end_ns;
}

}  // namespace millrace::cli
