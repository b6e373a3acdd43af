// SPDX-License-Identifier: Apache-2.0
#include "table_reader.hpp"

#include <millrace/trace_file.hpp>

namespace millrace::mtrace {
namespace {

constexpr std::string_view column_name = "text";

[[noreturn]] void fail_order(const TableEntry& entry, std::size_t block) {
  throw TraceFileError("damaged: the ends of the strings in block " + std::to_string(block) +
                           " of " + entry.name + " do not grow up to the end of the text",
                       entry.blocks[block].offset);
}

/// Every string must begin where the one before ends, and the last one end with the text.
void check_ends(const PackedColumn& ends, std::uint64_t size, const TableEntry& entry,
                std::size_t block) {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::uint64_t end = ends[i];
    if (end < before) fail_order(entry, block);
    before = end;
  }
  if (before != size) fail_order(entry, block);
}

}  // namespace

TextReader::TextReader(std::span<const std::byte> file, const Directory& directory, TableId id)
    : file_(file),
      entry_(directory.find(name_of(id))),
      blocks_(entry_ == nullptr ? 0 : entry_->blocks.size()) {
  if (entry_ == nullptr) return;
  const auto& columns = entry_->columns;
  while (column_ < columns.size() && columns[column_].name != column_name) ++column_;
  if (column_ < columns.size() && columns[column_].type == ElementType::text) return;
  throw TraceFileError("table " + entry_->name + " has no column of text", directory.offset);
}

const BlockColumns& TextReader::verified(std::size_t block) const {
  if (const BlockColumns* columns = blocks_.find(block)) return *columns;
  check_block(file_, *entry_, block);
  auto columns = std::make_unique<const BlockColumns>(file_, *entry_, block);
  check_ends((*columns)[column_], columns->text().size(), *entry_, block);
  return blocks_.keep(block, std::move(columns));
}

std::string_view TextReader::operator[](std::size_t row) const {
  const BlockColumns& columns = verified(row / trace_block_rows);
  const PackedColumn& ends = columns[column_];
  const std::size_t i = row % trace_block_rows;
  const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
  return columns.text().substr(begin, ends[i] - begin);
}

}  // namespace millrace::mtrace
