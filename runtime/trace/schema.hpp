// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <millrace/trace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace millrace::mtrace {

/// The tables of a file, where they are known by their names. The last two are none: they let
/// an index point to a sequence number, and to what another field of the row says.
enum class TableId : std::uint8_t {
  run,
  producer,
  strings,
  devices,
  streams,
  events,
  memories,
  threads,
  signals,
  mutexes,
  flags,
  graphs,
  operations,
  calls,
  accesses,
  dependencies,
  blocked,
  resources,
  uses,
  steps,
  by_kind
};
inline constexpr std::size_t table_count = 19;  // without the last two

/// How many rows each table has, and how many steps there are.
class Sizes {
 public:
  Sizes() { (*this)[TableId::by_kind] = none; }

  std::uint64_t& operator[](TableId id) { return sizes_[static_cast<std::size_t>(id)]; }
  std::uint64_t operator[](TableId id) const { return sizes_[static_cast<std::size_t>(id)]; }
  /// Of the table of such objects; 0 for `nothing`.
  [[nodiscard]] std::uint64_t of(ObjectKind kind) const;

 private:
  std::array<std::uint64_t, table_count + 2> sizes_{};
};

/// What a column holds, as the file says it.
enum class ElementType : std::uint8_t {
  unsigned_number = 1,
  signed_number = 2,
  index = 3,  ///< plus 1: 0 is `none`
  step = 4,   ///< its index as above, shifted left by one, plus 1 for a call
  text = 5,   ///< where each string ends in the text behind the block's columns
};

/// How a field lies in memory.
enum class FieldType : std::uint8_t { u8, u16, u32, u64, i32, i64, index, step };

/// A member of a row.
struct Field {
  std::string_view name;
  std::size_t offset = 0;
  FieldType type = FieldType::u64;
  std::int64_t least = 0;             ///< for numbers
  std::uint64_t greatest = 0;         ///< for numbers
  TableId target = TableId::strings;  ///< for an index
  bool optional = false;              ///< an index that may be `none`
};

/// Times are within this of 0, so that no difference of two overflows.
inline constexpr std::int64_t time_limit_ns = Time::latest().ns;

/// A field that breaks a rule of the model, and which. Empty where all is well.
struct Violation {
  std::size_t row = 0;
  std::string_view field{};
  std::string text{};
};

/// The same where the rule is about one row. Both are null where all is well.
struct BrokenRule {
  const char* field = nullptr;
  const char* text = nullptr;
};

/// A table's rows as the format's code handles them: without their type.
struct Schema {
  std::size_t row_bytes = 0;
  std::span<const Field> fields;
  const std::byte* default_row = nullptr;
  /// What ranges alone cannot say, for one row; null where there is nothing.
  BrokenRule (*check)(const std::byte* row, const Sizes& sizes) = nullptr;

  /// The field at that offset; it must exist.
  [[nodiscard]] const Field& field_at(std::size_t offset) const;
};

/// What there is once in a trace.
struct RunRow {
  std::int64_t end_ns = 0;
  TraceIndex steps = 0;
  bool has_dependencies = true;
};

/// The schema of RunRow and of each row type of trace.hpp (TraceObject has that of the signals).
template <typename Row>
const Schema& schema_of();

/// Name of a table in the file.
std::string_view name_of(TableId id);
bool is_table_name(std::string_view name);

/// Calls `function(TableId, rows)` for each table of rows but `run`.
template <typename SomeTrace, typename Function>
void for_each_table(SomeTrace& trace, Function function) {
  function(TableId::devices, trace.devices);
  function(TableId::streams, trace.streams);
  function(TableId::events, trace.events);
  function(TableId::memories, trace.memories);
  function(TableId::threads, trace.threads);
  function(TableId::signals, trace.signals);
  function(TableId::mutexes, trace.mutexes);
  function(TableId::flags, trace.flags);
  function(TableId::graphs, trace.graphs);
  function(TableId::operations, trace.operations);
  function(TableId::calls, trace.calls);
  function(TableId::accesses, trace.accesses);
  function(TableId::dependencies, trace.dependencies);
  function(TableId::blocked, trace.blocked);
  function(TableId::resources, trace.resources);
  function(TableId::uses, trace.uses);
}

}  // namespace millrace::mtrace
