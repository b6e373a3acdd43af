// SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include "rules.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace millrace::mtrace {
namespace {

template <typename T>
constexpr FieldType number_type() {
  if constexpr (sizeof(T) == 1) return FieldType::u8;
  if constexpr (sizeof(T) == 2) return FieldType::u16;
  if constexpr (std::is_same_v<T, std::int32_t>) return FieldType::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return FieldType::u32;
  if constexpr (std::is_same_v<T, std::int64_t>) return FieldType::i64;
  return FieldType::u64;
}

template <typename T>
constexpr Field number(std::string_view name, std::size_t offset) {
  using Limits = std::numeric_limits<T>;
  return {.name = name,
          .offset = offset,
          .type = number_type<T>(),
          .least = std::is_signed_v<T> ? static_cast<std::int64_t>(Limits::min()) : 0,
          .greatest = static_cast<std::uint64_t>(Limits::max())};
}

constexpr Field time(std::string_view name, std::size_t offset, std::int64_t least) {
  return {.name = name,
          .offset = offset,
          .type = FieldType::i64,
          .least = least,
          .greatest = static_cast<std::uint64_t>(time_limit_ns)};
}

template <typename T>
constexpr Field choice(std::string_view name, std::size_t offset, T last) {
  static_assert(sizeof(T) == 1);
  return {.name = name,
          .offset = offset,
          .type = FieldType::u8,
          .greatest = static_cast<std::uint64_t>(last)};
}

constexpr Field index(std::string_view name, std::size_t offset, TableId target, bool optional) {
  return {.name = name,
          .offset = offset,
          .type = FieldType::index,
          .target = target,
          .optional = optional};
}

constexpr Field step(std::string_view name, std::size_t offset) {
  return {.name = name, .offset = offset, .type = FieldType::step, .optional = true};
}

// The columns are named like the members.
#define NUMBER(Row, member) number<decltype(Row::member)>(#member, offsetof(Row, member))
#define TIME(Row, member) time(#member, offsetof(Row, member), -time_limit_ns)
#define TIME_OR_NEVER(Row, member) time(#member, offsetof(Row, member), -1)
#define CHOICE(Row, member, last) \
  choice(#member, offsetof(Row, member), decltype(Row::member)::last)
#define FLAG(Row, member) choice(#member, offsetof(Row, member), true)
#define INDEX(Row, member, target) index(#member, offsetof(Row, member), TableId::target, false)
#define INDEX_OR_NONE(Row, member, target) \
  index(#member, offsetof(Row, member), TableId::target, true)
#define STEP(Row, member) step(#member, offsetof(Row, member))

constexpr std::array run_fields{
    TIME(RunRow, end_ns),
    NUMBER(RunRow, steps),
    FLAG(RunRow, has_dependencies),
};
constexpr std::array device_fields{INDEX(TraceDevice, name, strings)};
constexpr std::array stream_fields{
    INDEX(TraceStream, name, strings),
    INDEX(TraceStream, device, devices),
    INDEX_OR_NONE(TraceStream, thread, threads),
    NUMBER(TraceStream, priority),
    CHOICE(TraceStream, kind, per_thread),
    FLAG(TraceStream, blocking),
    INDEX_OR_NONE(TraceStream, created_by, calls),
};
constexpr std::array event_fields{
    INDEX(TraceEvent, name, strings),
    INDEX_OR_NONE(TraceEvent, device, devices),
    FLAG(TraceEvent, timing),
    INDEX_OR_NONE(TraceEvent, created_by, calls),
};
constexpr std::array memory_fields{
    INDEX(TraceMemory, name, strings),
    INDEX_OR_NONE(TraceMemory, device, devices),
    NUMBER(TraceMemory, bytes),
    CHOICE(TraceMemory, kind, managed),
    INDEX_OR_NONE(TraceMemory, created_by, calls),
};
constexpr std::array thread_fields{INDEX(TraceThread, name, strings)};
constexpr std::array object_fields{INDEX(TraceObject, name, strings)};
constexpr std::array operation_fields{
    TIME(Operation, enqueue_ns),
    TIME_OR_NEVER(Operation, start_ns),
    TIME_OR_NEVER(Operation, end_ns),
    NUMBER(Operation, bytes),
    INDEX(Operation, name, strings),
    INDEX(Operation, stream, streams),
    INDEX_OR_NONE(Operation, call, calls),
    INDEX_OR_NONE(Operation, sequence, steps),
    INDEX_OR_NONE(Operation, object, by_kind),
    NUMBER(Operation, first_access),
    STEP(Operation, because),
    NUMBER(Operation, access_count),
    CHOICE(Operation, kind, graph_node),
    CHOICE(Operation, state, cancelled),
    CHOICE(Operation, constraint, unknown),
};
constexpr std::array call_fields{
    TIME(HostCall, begin_ns),
    TIME(HostCall, end_ns),
    INDEX(HostCall, thread, threads),
    INDEX(HostCall, file, strings),
    NUMBER(HostCall, line),
    INDEX_OR_NONE(HostCall, object, by_kind),
    INDEX_OR_NONE(HostCall, sequence, steps),
    INDEX_OR_NONE(HostCall, operation, operations),
    NUMBER(HostCall, first_access),
    NUMBER(HostCall, access_count),
    NUMBER(HostCall, error),
    CHOICE(HostCall, kind, unlock),
    CHOICE(HostCall, outcome, blocked),
    CHOICE(HostCall, object_kind, graph),
    FLAG(HostCall, used_destroyed),
    FLAG(HostCall, unrecorded),
};
constexpr std::array access_fields{
    NUMBER(TraceAccess, begin),
    NUMBER(TraceAccess, end),
    NUMBER(TraceAccess, pitch),
    NUMBER(TraceAccess, width),
    INDEX(TraceAccess, memory, memories),
    CHOICE(TraceAccess, mode, free),
    CHOICE(TraceAccess, order, until_return),
};
constexpr std::array dependency_fields{
    STEP(Dependency, from),
    STEP(Dependency, to),
    CHOICE(Dependency, kind, memory_reuse),
    CHOICE(Dependency, state, unresolved),
};
constexpr std::array blocked_fields{
    STEP(Blocked, step),
    CHOICE(Blocked, waits_for, graph),
    INDEX_OR_NONE(Blocked, object, by_kind),
    STEP(Blocked, behind),
};

constexpr std::array resource_fields{
    INDEX(TraceResource, name, strings),
    INDEX(TraceResource, device, devices),
    NUMBER(TraceResource, capacity),
    CHOICE(TraceResource, kind, multiprocessors),
};
constexpr std::array use_fields{
    TIME(ResourceUse, begin_ns),
    TIME_OR_NEVER(ResourceUse, end_ns),
    INDEX(ResourceUse, resource, resources),
    INDEX(ResourceUse, operation, operations),
    NUMBER(ResourceUse, amount),
};

#undef NUMBER
#undef TIME
#undef TIME_OR_NEVER
#undef CHOICE
#undef FLAG
#undef INDEX
#undef INDEX_OR_NONE
#undef STEP

template <typename Row>
BrokenRule check_as(const std::byte* row, const Sizes& sizes) {
  return check_row(*static_cast<const Row*>(static_cast<const void*>(row)), sizes);
}

template <typename Row>
Schema make_schema(std::span<const Field> fields) {
  static const Row row{};
  Schema schema{.row_bytes = sizeof(Row),
                .fields = fields,
                .default_row = reinterpret_cast<const std::byte*>(&row)};
  if constexpr (requires(const Sizes& sizes) { check_row(row, sizes); }) {
    schema.check = &check_as<Row>;
  }
  return schema;
}

// By TableId; the last two only for messages.
constexpr std::array<std::string_view, table_count + 2> table_names{
    "run",      "producer",     "strings", "devices",   "streams", "events",     "memories",
    "threads",  "signals",      "mutexes", "flags",     "graphs",  "operations", "calls",
    "accesses", "dependencies", "blocked", "resources", "uses",    "steps",      "objects"};

}  // namespace

std::string_view name_of(TableId id) { return table_names[static_cast<std::size_t>(id)]; }

bool is_table_name(std::string_view name) {
  const auto end = table_names.begin() + table_count;
  return std::find(table_names.begin(), end, name) != end;
}

std::uint64_t Sizes::of(ObjectKind kind) const {
  switch (kind) {
    case ObjectKind::device:
      return (*this)[TableId::devices];
    case ObjectKind::stream:
      return (*this)[TableId::streams];
    case ObjectKind::event:
      return (*this)[TableId::events];
    case ObjectKind::memory:
      return (*this)[TableId::memories];
    case ObjectKind::thread:
      return (*this)[TableId::threads];
    case ObjectKind::signal:
      return (*this)[TableId::signals];
    case ObjectKind::mutex:
      return (*this)[TableId::mutexes];
    case ObjectKind::flag:
      return (*this)[TableId::flags];
    case ObjectKind::graph:
      return (*this)[TableId::graphs];
    case ObjectKind::nothing:
      break;
  }
  return 0;
}

const Field& Schema::field_at(std::size_t offset) const {
  return *std::find_if(fields.begin(), fields.end(),
                       [offset](const Field& field) { return field.offset == offset; });
}

template <>
const Schema& schema_of<RunRow>() {
  static const Schema schema = make_schema<RunRow>(run_fields);
  return schema;
}
template <>
const Schema& schema_of<TraceDevice>() {
  static const Schema schema = make_schema<TraceDevice>(device_fields);
  return schema;
}
template <>
const Schema& schema_of<TraceStream>() {
  static const Schema schema = make_schema<TraceStream>(stream_fields);
  return schema;
}
template <>
const Schema& schema_of<TraceEvent>() {
  static const Schema schema = make_schema<TraceEvent>(event_fields);
  return schema;
}
template <>
const Schema& schema_of<TraceMemory>() {
  static const Schema schema = make_schema<TraceMemory>(memory_fields);
  return schema;
}
template <>
const Schema& schema_of<TraceThread>() {
  static const Schema schema = make_schema<TraceThread>(thread_fields);
  return schema;
}
template <>
const Schema& schema_of<TraceObject>() {
  static const Schema schema = make_schema<TraceObject>(object_fields);
  return schema;
}
template <>
const Schema& schema_of<Operation>() {
  static const Schema schema = make_schema<Operation>(operation_fields);
  return schema;
}
template <>
const Schema& schema_of<HostCall>() {
  static const Schema schema = make_schema<HostCall>(call_fields);
  return schema;
}
template <>
const Schema& schema_of<TraceAccess>() {
  static const Schema schema = make_schema<TraceAccess>(access_fields);
  return schema;
}
template <>
const Schema& schema_of<Dependency>() {
  static const Schema schema = make_schema<Dependency>(dependency_fields);
  return schema;
}
template <>
const Schema& schema_of<Blocked>() {
  static const Schema schema = make_schema<Blocked>(blocked_fields);
  return schema;
}
template <>
const Schema& schema_of<TraceResource>() {
  static const Schema schema = make_schema<TraceResource>(resource_fields);
  return schema;
}
template <>
const Schema& schema_of<ResourceUse>() {
  static const Schema schema = make_schema<ResourceUse>(use_fields);
  return schema;
}

}  // namespace millrace::mtrace
