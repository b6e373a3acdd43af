// SPDX-License-Identifier: Apache-2.0
#include "table_reader.hpp"

#include "rows.hpp"
#include "rules.hpp"

#include <millrace/trace_file.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace millrace::mtrace {
namespace {

constexpr std::size_t absent = ~std::size_t{0};
constexpr std::size_t chunk_rows = 1024;  // a chunk of numbers stays in the nearest cache

std::size_t count_blocks(const TableEntry* entry) {
  return entry == nullptr ? 0 : entry->blocks.size();
}

std::size_t find_column(const TableEntry& entry, std::string_view name) {
  for (std::size_t i = 0; i < entry.columns.size(); ++i) {
    if (entry.columns[i].name == name) return i;
  }
  return absent;
}

[[noreturn]] void fail_type(const Directory& directory, const TableEntry& entry,
                            std::string_view column, ElementType found, ElementType expected) {
  throw TraceFileError("column " + std::string(column) + " of " + entry.name +
                           " has elements of type " + std::to_string(static_cast<int>(found)) +
                           ", expected type " + std::to_string(static_cast<int>(expected)),
                       directory.offset);
}

/// Some rows of a block, and where they go.
struct Chunk {
  std::size_t first;
  std::size_t count;
  std::byte* rows;
};

/// Calls `function` for the rows in parts that stay in the nearest cache.
template <typename Function>
void for_each_chunk(const Chunk& all, std::size_t row_bytes, Function function) {
  for (std::size_t done = 0; done < all.count; done += chunk_rows) {
    function(Chunk{all.first + done, std::min(chunk_rows, all.count - done),
                   all.rows + done * row_bytes});
  }
}

}  // namespace

TableReader::TableReader(std::span<const std::byte> file, const Directory& directory, TableId id,
                         const Schema& schema, const Sizes& sizes)
    : file_(file),
      entry_(directory.find(name_of(id))),
      id_(id),
      schema_(&schema),
      sizes_(&sizes),
      columns_(schema.fields.size(), absent),
      blocks_(count_blocks(entry_)) {
  if (entry_ != nullptr) find_columns(directory);
}

void TableReader::find_columns(const Directory& directory) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Field& field = schema_->fields[i];
    columns_[i] = find_column(*entry_, field.name);
    if (columns_[i] == absent) continue;
    const ElementType found = entry_->columns[columns_[i]].type;
    const ElementType expected = element_type(field.type);
    if (found != expected) fail_type(directory, *entry_, field.name, found, expected);
  }
}

std::size_t TableReader::rows() const { return entry_ == nullptr ? 0 : entry_->rows; }

PackedColumn TableReader::column_of(const BlockColumns& columns, std::size_t field) const {
  if (columns_[field] != absent) return columns[columns_[field]];
  std::uint64_t number = 0;
  gather(schema_->fields[field], schema_->default_row, schema_->row_bytes, {&number, 1});
  return PackedColumn(nullptr, columns.rows(), number, 0, 0);
}

const BlockColumns& TableReader::verify(std::size_t block, std::byte* rows) const {
  check_block(file_, *entry_, block);
  auto columns = std::make_unique<const BlockColumns>(file_, *entry_, block);
  std::array<std::uint64_t, chunk_rows> buffer;
  const auto check = [&](Violation violation, std::size_t first) {
    if (violation.text.empty()) return;
    violation.row += block * trace_block_rows + first;
    fail(violation);
  };
  for_each_chunk({0, columns->rows(), rows}, schema_->row_bytes, [&](const Chunk& chunk) {
    const std::span numbers(buffer.data(), chunk.count);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Field& field = schema_->fields[i];
      unpack(column_of(*columns, i), chunk.first, numbers);
      check(check_range(field, numbers, *sizes_), chunk.first);
      scatter(field, numbers, chunk.rows, schema_->row_bytes);
    }
    check(check_rows(*schema_, chunk.rows, chunk.count, *sizes_), chunk.first);
  });
  return blocks_.keep(block, std::move(columns));
}

const BlockColumns& TableReader::verified(std::size_t block) const {
  if (const BlockColumns* columns = blocks_.find(block)) return *columns;
  std::vector<std::byte> rows(entry_->rows_in(block) * schema_->row_bytes);
  return verify(block, rows.data());
}

void TableReader::read(std::size_t first, std::size_t count, std::byte* rows) const {
  if (first > this->rows() || count > this->rows() - first) {
    throw std::out_of_range("rows of a trace's " + std::string(name_of(id_)) +
                            " that do not exist were asked for");
  }
  while (count != 0) {
    const std::size_t block = first / trace_block_rows;
    const std::size_t begin = first % trace_block_rows;
    const std::size_t here = std::min(count, entry_->rows_in(block) - begin);
    if (here == entry_->rows_in(block) && blocks_.find(block) == nullptr) {
      verify(block, rows);
    } else {
      copy(verified(block), begin, here, rows);
    }
    first += here;
    count -= here;
    rows += here * schema_->row_bytes;
  }
}

void TableReader::copy(const BlockColumns& columns, std::size_t first, std::size_t count,
                       std::byte* rows) const {
  std::array<std::uint64_t, chunk_rows> buffer;
  for_each_chunk({first, count, rows}, schema_->row_bytes, [&](const Chunk& chunk) {
    const std::span numbers(buffer.data(), chunk.count);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      unpack(column_of(columns, i), chunk.first, numbers);
      scatter(schema_->fields[i], numbers, chunk.rows, schema_->row_bytes);
    }
  });
}

PackedColumn TableReader::numbers(const Field& field, std::size_t block) const {
  return column_of(verified(block), static_cast<std::size_t>(&field - schema_->fields.data()));
}

void TableReader::fail(const Violation& violation) const {
  std::uint64_t offset = 0;
  if (violation.row < rows()) {
    const std::size_t block = violation.row / trace_block_rows;
    offset = entry_->blocks[block].offset;
    const std::size_t column = find_column(*entry_, violation.field);
    if (column != absent) {
      const BlockColumns columns(file_, *entry_, block);
      const std::byte* at = columns[column].address(violation.row % trace_block_rows);
      offset = static_cast<std::uint64_t>(at - file_.data());
    }
  }
  throw TraceFileError("damaged: " + describe(TraceViolation{id_, violation}), offset);
}

}  // namespace millrace::mtrace
