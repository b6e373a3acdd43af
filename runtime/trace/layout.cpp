// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include "byte_reader.hpp"
#include "checksum.hpp"

#include <millrace/trace_file.hpp>

#include <algorithm>

namespace millrace::mtrace {
namespace {

std::uint32_t get_checksum(std::span<const std::byte> file, std::size_t offset) {
  return load<std::uint32_t>(file.data() + offset);
}

bool has_magic(std::span<const std::byte> file, std::size_t offset, std::string_view magic) {
  return std::equal(magic.begin(), magic.end(), file.begin() + static_cast<std::ptrdiff_t>(offset),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

[[noreturn]] void fail_cut_off(std::uint64_t size) {
  throw TraceFileError(
      "the file ends early: there is no directory at its end (was it cut off, or is it still being "
      "written?)",
      size);
}

/// The file's first bytes as far as they go are those of a trace.
bool begins_like_a_trace(std::span<const std::byte> file) {
  const std::size_t size = std::min(file.size(), header_magic.size());
  return has_magic(file, 0, header_magic.substr(0, size));
}

void check_header(std::span<const std::byte> file) {
  if (file.empty()) throw TraceFileError("the file is empty; expected a Millrace trace", 0);
  if (!begins_like_a_trace(file)) {
    throw TraceFileError("not a Millrace trace: it looks like " + guess_kind(file), 0);
  }
  if (file.size() < header_bytes) fail_cut_off(file.size());
  if (crc32c(file.first(12)) != get_checksum(file, 12)) {
    throw TraceFileError("damaged: the header's checksum does not fit it", 0);
  }
  const auto version = load<std::uint32_t>(file.data() + 8);
  if (version > format_version) {
    throw TraceFileError("the trace has format version " + std::to_string(version) +
                             ", and this Millrace reads versions up to " +
                             std::to_string(format_version) + ": use a newer one",
                         8);
  }
  if (version == 0) throw TraceFileError("there is no format version 0", 8);
}

/// Checks the footer and returns where the directory lies.
std::span<const std::byte> locate_directory(std::span<const std::byte> file) {
  if (file.size() < header_bytes + footer_bytes) fail_cut_off(file.size());
  const std::size_t footer = file.size() - footer_bytes;
  if (!has_magic(file, footer + 24, footer_magic)) fail_cut_off(file.size());
  if (crc32c(file.subspan(footer, 20)) != get_checksum(file, footer + 20)) {
    throw TraceFileError("damaged: the footer's checksum does not fit it", footer);
  }
  const auto offset = load<std::uint64_t>(file.data() + footer);
  const auto size = load<std::uint64_t>(file.data() + footer + 8);
  if (offset < header_bytes || offset > footer || size != footer - offset) {
    throw TraceFileError("damaged: the directory does not lie between blocks and footer", footer);
  }
  const auto directory = file.subspan(offset, size);
  if (crc32c(directory) != get_checksum(file, footer + 16)) {
    throw TraceFileError("damaged: the directory's checksum does not fit it", offset);
  }
  return directory;
}

/// How many tables or columns follow. More than any version will have would only cost time.
std::size_t read_count(ByteReader& in) {
  const std::size_t count = in.number<std::uint16_t>();
  if (count > 1000) in.fail("more than a thousand tables or columns");
  return count;
}

std::vector<ColumnEntry> read_columns(ByteReader& in) {
  std::vector<ColumnEntry> columns;
  for (std::size_t left = read_count(in); left != 0; --left) {
    ColumnEntry column{in.text(), static_cast<ElementType>(in.number<std::uint8_t>())};
    for (const ColumnEntry& other : columns) {
      if (other.name == column.name) in.fail("a second column " + column.name);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Moves `offset` behind the blocks of this table.
std::vector<BlockEntry> read_blocks(ByteReader& in, std::uint64_t count, std::uint64_t& offset,
                                    std::uint64_t end) {
  constexpr std::size_t entry_bytes = 12;
  if (count > in.left() / entry_bytes) in.fail("more blocks than the directory describes");
  std::vector<BlockEntry> blocks(count);
  for (BlockEntry& block : blocks) {
    block.offset = offset;
    block.bytes = in.number<std::uint64_t>();
    block.checksum = in.number<std::uint32_t>();
    if (block.bytes > end - offset) in.fail("a block that ends behind the last one's end");
    offset += block.bytes;
  }
  return blocks;
}

TableEntry read_table(ByteReader& in, std::uint64_t& offset, std::uint64_t end) {
  TableEntry table;
  table.name = in.text();
  table.rows = in.number<std::uint64_t>();
  if (table.rows >= none) in.fail("more rows than a table can have");
  table.columns = read_columns(in);
  table.blocks = read_blocks(in, blocks_for(table.rows), offset, end);
  return table;
}

void append_text(Bytes& out, std::string_view text) {
  append(out, static_cast<std::uint16_t>(text.size()));
  append(out, text);
}

void append_table(Bytes& out, const TableEntry& table) {
  append_text(out, table.name);
  append(out, table.rows);
  append(out, static_cast<std::uint16_t>(table.columns.size()));
  for (const ColumnEntry& column : table.columns) {
    append_text(out, column.name);
    append(out, static_cast<std::uint8_t>(column.type));
  }
  for (const BlockEntry& block : table.blocks) {
    append(out, block.bytes);
    append(out, block.checksum);
  }
}

}  // namespace

std::size_t TableEntry::rows_in(std::size_t block) const {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(rows - block * trace_block_rows, trace_block_rows));
}

const TableEntry* Directory::find(std::string_view name) const {
  for (const TableEntry& table : tables) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

Bytes encode_header() {
  Bytes out;
  append(out, header_magic);
  append(out, format_version);
  append(out, crc32c(out));
  return out;
}

Bytes encode_directory(const Directory& directory, std::uint64_t offset) {
  Bytes out;
  append(out, static_cast<std::uint16_t>(directory.tables.size()));
  for (const TableEntry& table : directory.tables) append_table(out, table);
  Bytes footer;
  append(footer, offset);
  append(footer, std::uint64_t{out.size()});
  append(footer, crc32c(out));
  append(footer, crc32c(footer));
  append(footer, footer_magic);
  out.insert(out.end(), footer.begin(), footer.end());
  return out;
}

Directory read_directory(std::span<const std::byte> file) {
  check_header(file);
  const std::span<const std::byte> bytes = locate_directory(file);
  const auto end = static_cast<std::uint64_t>(bytes.data() - file.data());
  ByteReader in(bytes, end);
  Directory directory{.offset = end, .tables = {}};
  std::uint64_t offset = header_bytes;
  for (std::size_t left = read_count(in); left != 0; --left) {
    TableEntry table = read_table(in, offset, end);
    if (directory.find(table.name) != nullptr) in.fail("a second table " + table.name);
    directory.tables.push_back(std::move(table));
  }
  if (in.left() != 0) in.fail("bytes behind its last table");
  if (offset != end) in.fail("a gap between its blocks and itself");
  return directory;
}

}  // namespace millrace::mtrace
