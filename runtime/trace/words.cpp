// SPDX-License-Identifier: Apache-2.0
#include <millrace/trace.hpp>

#include <array>
#include <cstddef>

namespace millrace {
namespace {

/// The word of each enumerator, in their order; `last` makes sure that none was forgotten.
template <auto last, std::size_t n>
std::string_view word(const std::array<std::string_view, n>& words, decltype(last) value) {
  static_assert(n == static_cast<std::size_t>(last) + 1);
  const auto index = static_cast<std::size_t>(value);
  return index < n ? words[index] : "unknown";
}

template <typename... Words>
constexpr auto list(Words... words) {
  return std::array<std::string_view, sizeof...(words)>{words...};
}

constexpr auto operation_kinds = list("kernel", "copy", "fill", "host function", "record", "wait",
                                      "allocate", "free", "set flag", "await flag", "graph node");
constexpr auto call_kinds = list(
    "launch", "copy", "fill", "host function", "record", "wait", "allocate", "free", "set flag",
    "await flag", "begin capture", "end capture", "launch graph", "synchronize stream",
    "synchronize event", "synchronize device", "query stream", "query event", "elapsed time",
    "create stream", "destroy stream", "create event", "destroy event", "create graph",
    "destroy graph", "malloc", "host free", "reset device", "set device", "read", "write", "work",
    "start thread", "join thread", "raise", "await", "lock", "unlock", "try lock");
constexpr auto dependency_kinds =
    list("stream order", "record wait", "legacy barrier", "synchronize", "query ready",
         "call return", "thread start", "thread join", "signal", "lock", "flag", "host function",
         "graph edge", "graph launch", "memory reuse");
constexpr auto constraint_kinds =
    list("enqueue", "stream order", "record wait", "legacy barrier", "host server", "flag",
         "engine", "multiprocessors", "grid limit", "queue neighbour", "launch ring", "graph edge",
         "graph launch", "unknown", "memory reuse");
constexpr auto object_kinds = list("nothing", "device", "stream", "event", "memory", "thread",
                                   "signal", "mutex", "flag", "graph");
constexpr auto memory_kinds = list("device", "pinned", "pageable", "managed");
constexpr auto access_modes = list("read", "write", "update", "allocate", "free");
constexpr auto access_orders = list("in order", "from call", "until return");
constexpr auto stream_kinds = list("created", "legacy", "per thread");
constexpr auto operation_states = list("pending", "running", "completed", "failed", "cancelled");
constexpr auto call_outcomes = list("success", "not ready", "error", "blocked");
constexpr auto resource_kinds = list("copy engine", "hardware queue", "multiprocessors");
constexpr auto dependency_states = list("exact", "inferred", "unresolved");

}  // namespace

std::string_view to_string(OperationKind kind) {
  return word<OperationKind::graph_node>(operation_kinds, kind);
}
std::string_view to_string(CallKind kind) { return word<CallKind::try_lock>(call_kinds, kind); }
std::string_view to_string(DependencyKind kind) {
  return word<DependencyKind::memory_reuse>(dependency_kinds, kind);
}
std::string_view to_string(ConstraintKind kind) {
  return word<ConstraintKind::memory_reuse>(constraint_kinds, kind);
}
std::string_view to_string(MemoryKind kind) {
  return word<MemoryKind::managed>(memory_kinds, kind);
}
std::string_view to_string(AccessMode mode) { return word<AccessMode::free>(access_modes, mode); }
std::string_view to_string(ObjectKind kind) { return word<ObjectKind::graph>(object_kinds, kind); }
std::string_view to_string(StreamKind kind) {
  return word<StreamKind::per_thread>(stream_kinds, kind);
}
std::string_view to_string(OperationState state) {
  return word<OperationState::cancelled>(operation_states, state);
}
std::string_view to_string(CallOutcome outcome) {
  return word<CallOutcome::blocked>(call_outcomes, outcome);
}
std::string_view to_string(DependencyState state) {
  return word<DependencyState::unresolved>(dependency_states, state);
}
std::string_view to_string(AccessOrder order) {
  return word<AccessOrder::until_return>(access_orders, order);
}
std::string_view to_string(ResourceKind kind) {
  return word<ResourceKind::multiprocessors>(resource_kinds, kind);
}

}  // namespace millrace
