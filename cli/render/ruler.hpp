// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// From time to columns, and the ticks above them.

#include "render/line.hpp"

#include <cstdint>
#include <vector>

namespace millrace::cli {

/// The columns that show the time from 0 to `end`, and behind them `for_ever` columns more for what
/// never ends.
class Ruler {
 public:
  Ruler(std::int64_t end, int columns, int for_ever)
      : end_(end), columns_(columns), for_ever_(for_ever) {}

  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int width() const { return columns_ + for_ever_; }
  /// The boundary nearest to a moment: 0 is before the first column, columns() behind the last.
  [[nodiscard]] int boundary(std::int64_t at) const;
  /// The column that holds a moment.
  [[nodiscard]] int column(std::int64_t at) const;
  /// Where a column begins, in nanoseconds and parts of them.
  [[nodiscard]] double begin_of(int column) const { return column * ns_per_column(); }
  [[nodiscard]] double ns_per_column() const;

  /// Round times, far enough apart for their texts.
  [[nodiscard]] std::vector<std::int64_t> ticks() const;
  /// The texts of the ticks, and the line with their places; both begin at column `left`.
  void draw(Line& texts, Line& line, int left, const Look& look) const;

 private:
  std::int64_t end_;
  int columns_;
  int for_ever_;
};

}  // namespace millrace::cli
