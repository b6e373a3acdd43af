// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"
#include "packing.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace millrace::mtrace {

/// Throws TraceFileError unless the block's bytes have the checksum that the directory gives.
void check_block(std::span<const std::byte> file, const TableEntry& table, std::size_t block);

/// The columns of one block, which the constructor makes sure fill it exactly.
class BlockColumns {
 public:
  BlockColumns(std::span<const std::byte> file, const TableEntry& table, std::size_t block);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const PackedColumn& operator[](std::size_t column) const {
    return columns_[column];
  }
  /// What lies behind the columns; empty in a table without a column of text.
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::size_t rows_;
  std::vector<PackedColumn> columns_;
  std::string_view text_;
};

/// The blocks of a table that have been verified. Two threads may verify the same one, and then one
/// of the two equal answers is kept.
class VerifiedBlocks {
 public:
  explicit VerifiedBlocks(std::size_t count) : blocks_(count) {}
  VerifiedBlocks(VerifiedBlocks&&) = default;
  VerifiedBlocks& operator=(VerifiedBlocks&&) = delete;
  ~VerifiedBlocks();

  /// Null if it has not been verified.
  [[nodiscard]] const BlockColumns* find(std::size_t block) const {
    return blocks_[block].load(std::memory_order_acquire);
  }
  const BlockColumns& keep(std::size_t block, std::unique_ptr<const BlockColumns> columns);

 private:
  std::vector<std::atomic<const BlockColumns*>> blocks_;
};

}  // namespace millrace::mtrace
