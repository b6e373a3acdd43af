// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Times measured at some sizes, and what follows for those between.

#include <millrace/time.hpp>

#include <cstdint>
#include <vector>

namespace millrace::sim {

class SizeTable {
 public:
  struct Row {
    std::uint64_t bytes = 0;
    Duration time{};
  };

  SizeTable() = default;
  /// Sizes must rise from row to row.
  explicit SizeTable(std::vector<Row> rows) : rows_(std::move(rows)) {}

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// Between two rows in proportion, below the first as the first, beyond the last as the last two
  /// rise. Zero when empty.
  [[nodiscard]] Duration at(std::uint64_t bytes) const;
  [[nodiscard]] Duration least() const;

 private:
  std::vector<Row> rows_;
};

}  // namespace millrace::sim
