// SPDX-License-Identifier: Apache-2.0
#include <millrace/trace.hpp>

namespace millrace {
namespace {

std::string numbered(std::string_view what, TraceIndex index) {
  return std::string(what) + " " + std::to_string(index);
}

/// The index of the name of an object, 0 (the empty string) where the object is not in its table.
template <typename Table>
TraceIndex name_in(const Table& table, TraceIndex index) {
  return index < table.size() ? table[index].name : 0;
}

TraceIndex name_of(const Trace& trace, ObjectKind kind, TraceIndex index) {
  switch (kind) {
    case ObjectKind::device:
      return name_in(trace.devices, index);
    case ObjectKind::stream:
      return name_in(trace.streams, index);
    case ObjectKind::event:
      return name_in(trace.events, index);
    case ObjectKind::memory:
      return name_in(trace.memories, index);
    case ObjectKind::thread:
      return name_in(trace.threads, index);
    case ObjectKind::signal:
      return name_in(trace.signals, index);
    case ObjectKind::mutex:
      return name_in(trace.mutexes, index);
    case ObjectKind::flag:
      return name_in(trace.flags, index);
    case ObjectKind::graph:
      return name_in(trace.graphs, index);
    case ObjectKind::nothing:
      break;
  }
  return 0;
}

}  // namespace

ObjectKind object_kind(OperationKind kind) {
  switch (kind) {
    case OperationKind::record:
    case OperationKind::wait:
      return ObjectKind::event;
    case OperationKind::copy:
    case OperationKind::fill:
    case OperationKind::allocate:
    case OperationKind::free:
      return ObjectKind::memory;
    case OperationKind::set_flag:
    case OperationKind::await_flag:
      return ObjectKind::flag;
    case OperationKind::graph_node:
      return ObjectKind::graph;
    case OperationKind::kernel:
    case OperationKind::host_function:
      break;
  }
  return ObjectKind::nothing;
}

std::string Trace::describe(TraceIndex operation) const {
  const Operation& o = operations[operation];
  if (o.name != 0) return std::string(string(o.name));
  const std::string kind(to_string(o.kind));
  if (o.object == none) return numbered(kind, operation);
  return kind + " " + object_name(object_kind(o.kind), o.object);
}

TraceIndex Trace::find_operation(std::string_view name, std::size_t k) const {
  TraceIndex found = none;
  for (TraceIndex i = 0; i < operations.size(); ++i) {
    if (string(operations[i].name) != name) continue;
    found = i;
    if (k == 1) return found;
    if (k != 0) --k;
  }
  return k == 0 ? found : none;
}

std::string Trace::object_name(ObjectKind kind, TraceIndex index) const {
  if (kind == ObjectKind::nothing || index == none) return std::string(to_string(kind));
  const std::string_view name = string(name_of(*this, kind, index));
  return name.empty() ? numbered(to_string(kind), index) : std::string(name);
}

}  // namespace millrace
