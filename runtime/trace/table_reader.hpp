// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block.hpp"
#include "layout.hpp"
#include "schema.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace millrace::mtrace {

/// Reads rows of a known type from a file that may have more columns or fewer, or no such table.
/// Verifies each block when something in it is first used.
class TableReader {
 public:
  /// `sizes` is only looked at when rows are read.
  TableReader(std::span<const std::byte> file, const Directory& directory, TableId id,
              const Schema& schema, const Sizes& sizes);

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] const Schema& schema() const { return *schema_; }
  /// Copies rows to `rows`, an array of the schema's row type.
  void read(std::size_t first, std::size_t count, std::byte* rows) const;
  /// The numbers of a field in one block.
  [[nodiscard]] PackedColumn numbers(const Field& field, std::size_t block) const;
  /// Throws TraceFileError for a broken rule, naming the place in the file.
  [[noreturn]] void fail(const Violation& violation) const;

 private:
  void find_columns(const Directory& directory);
  /// The block, verified now if it was not before.
  const BlockColumns& verified(std::size_t block) const;
  /// Verifies a block and leaves its rows in `rows`.
  const BlockColumns& verify(std::size_t block, std::byte* rows) const;
  /// Copies rows of one block.
  void copy(const BlockColumns& columns, std::size_t first, std::size_t count,
            std::byte* rows) const;
  [[nodiscard]] PackedColumn column_of(const BlockColumns& columns, std::size_t field) const;

  std::span<const std::byte> file_;
  const TableEntry* entry_;
  TableId id_;
  const Schema* schema_;
  const Sizes* sizes_;
  std::vector<std::size_t> columns_;  ///< by field: its column in the file, or `absent`
  mutable VerifiedBlocks blocks_;
};

/// Reads a table of strings.
class TextReader {
 public:
  TextReader(std::span<const std::byte> file, const Directory& directory, TableId id);

  [[nodiscard]] std::size_t rows() const { return entry_ == nullptr ? 0 : entry_->rows; }
  /// A string, in the file itself.
  [[nodiscard]] std::string_view operator[](std::size_t row) const;

 private:
  const BlockColumns& verified(std::size_t block) const;

  std::span<const std::byte> file_;
  const TableEntry* entry_;
  std::size_t column_ = 0;
  mutable VerifiedBlocks blocks_;
};

}  // namespace millrace::mtrace
