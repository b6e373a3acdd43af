// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A native trace file, all numbers little-endian:
///
///     header     8 bytes magic, u32 version, u32 checksum of the 12 bytes before
///     blocks     of one table after the other, without gaps
///     directory  which tables there are, their columns by name and type, their blocks
///     footer     u64 offset and u64 size of the directory, u32 its checksum,
///                u32 checksum of the 20 bytes before, 8 bytes magic
///
/// A block has up to `trace_block_rows` rows: a Packing for each column, then the data of each
/// column, then the text if the table has a column of text, then 8 zeros. Each byte of the file is
/// under some checksum (CRC-32C) or a magic.
///
/// A reader takes the tables and columns that it knows by their names, passes over others, and
/// gives columns that are absent their default: so files of before and after can be read unless
/// the version says that what is known has changed.

#include "little_endian.hpp"
#include "schema.hpp"

#include <millrace/mapped_trace.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::mtrace {

inline constexpr std::uint32_t format_version = 1;
inline constexpr std::size_t header_bytes = 16;
inline constexpr std::size_t footer_bytes = 32;
inline constexpr std::string_view header_magic{"\x89MTRACE\n", 8};
inline constexpr std::string_view footer_magic{"MTRACE.\n", 8};

struct ColumnEntry {
  std::string name;
  ElementType type = ElementType::unsigned_number;
};

struct BlockEntry {
  std::uint64_t offset = 0;  ///< in the file; not written, as there are no gaps
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;
};

struct TableEntry {
  std::string name;
  std::uint64_t rows = 0;
  std::vector<ColumnEntry> columns;
  std::vector<BlockEntry> blocks;  ///< each but the last one full

  /// How many rows that block has.
  [[nodiscard]] std::size_t rows_in(std::size_t block) const;
};

/// How many blocks so many rows take.
constexpr std::uint64_t blocks_for(std::uint64_t rows) {
  return (rows + trace_block_rows - 1) / trace_block_rows;
}

struct Directory {
  std::uint64_t offset = 0;  ///< of the directory itself, when read
  std::vector<TableEntry> tables;

  /// Null if there is no such table.
  [[nodiscard]] const TableEntry* find(std::string_view name) const;
};

Bytes encode_header();
/// The directory and the footer of a file whose blocks end at `offset`.
Bytes encode_directory(const Directory& directory, std::uint64_t offset);

/// Reads a file's directory and checks header, footer and directory, but no block.
/// Throws TraceFileError: for files that are no trace, saying what they look like.
Directory read_directory(std::span<const std::byte> file);

/// What a file that is not a trace seems to be, e.g. "JSON".
std::string guess_kind(std::span<const std::byte> file);

}  // namespace millrace::mtrace
