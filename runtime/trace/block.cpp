// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include "checksum.hpp"

#include <millrace/trace_file.hpp>

#include <algorithm>

namespace millrace::mtrace {
namespace {

std::string title(const TableEntry& table, std::size_t block) {
  return "block " + std::to_string(block) + " of " + table.name;
}

std::string hex(std::uint32_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[(number >> shift) & 15];
  return text;
}

[[noreturn]] void fail(const TableEntry& table, std::size_t block, const std::string& what) {
  throw TraceFileError("damaged: " + title(table, block) + " " + what, table.blocks[block].offset);
}

bool has_text(const TableEntry& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const ColumnEntry& column) { return column.type == ElementType::text; });
}

}  // namespace

void check_block(std::span<const std::byte> file, const TableEntry& table, std::size_t block) {
  const BlockEntry& entry = table.blocks[block];
  const std::uint32_t found = crc32c(file.subspan(entry.offset, entry.bytes));
  if (found == entry.checksum) return;
  fail(table, block, "has checksum " + hex(found) + ", expected " + hex(entry.checksum));
}

BlockColumns::BlockColumns(std::span<const std::byte> file, const TableEntry& table,
                           std::size_t block)
    : rows_(table.rows_in(block)) {
  const BlockEntry& entry = table.blocks[block];
  const std::byte* begin = file.data() + entry.offset;
  std::uint64_t used = table.columns.size() * Packing::header_bytes;
  if (used + tail_bytes > entry.bytes) fail(table, block, "is too short for its columns");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Packing packing = load_packing(begin + i * Packing::header_bytes);
    if (!packing.is_valid()) fail(table, block, "has numbers of an impossible width");
    const std::uint64_t bytes = packing.data_bytes(rows_);
    if (bytes > entry.bytes - tail_bytes - used) fail(table, block, "is too short for its rows");
    columns_.emplace_back(begin + used, rows_, packing.base, packing.slope, packing.width);
    used += bytes;
  }
  const std::uint64_t rest = entry.bytes - tail_bytes - used;
  if (has_text(table)) {
    text_ = {reinterpret_cast<const char*>(begin + used), rest};
  } else if (rest != 0) {
    fail(table, block, "is longer than its columns");
  }
}

VerifiedBlocks::~VerifiedBlocks() {
  for (const std::atomic<const BlockColumns*>& block : blocks_) delete block.load();
}

const BlockColumns& VerifiedBlocks::keep(std::size_t block,
                                         std::unique_ptr<const BlockColumns> columns) {
  const BlockColumns* expected = nullptr;
  if (!blocks_[block].compare_exchange_strong(expected, columns.get(), std::memory_order_acq_rel)) {
    return *expected;
  }
  return *columns.release();
}

}  // namespace millrace::mtrace
