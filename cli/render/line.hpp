// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// One line of the terminal, drawn cell by cell.

#include "render/look.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace millrace::cli {

/// A row of cells; what lies outside of it is not drawn.
class Line {
 public:
  explicit Line(int width) : cells_(static_cast<std::size_t>(width)) {}

  [[nodiscard]] int width() const { return static_cast<int>(cells_.size()); }
  /// One character of one column.
  void put(int column, std::string_view glyph, const Paint& paint = {});
  /// The same character in the columns [begin, end).
  void fill(int begin, int end, std::string_view glyph, const Paint& paint = {});
  /// Text from a column on, a column a character (two for wide ones).
  void write(int column, std::string_view text, const Paint& paint = {});
  [[nodiscard]] bool is_free(int column) const;
  /// The first column from `column` on that is not free; the width if all are.
  [[nodiscard]] int free_until(int column) const;
  /// The line without blanks at its end.
  [[nodiscard]] std::string to_string(const Look& look) const;

 private:
  struct Cell {
    std::string glyph;  // empty: nothing drawn
    Paint paint;
    bool covered = false;  // by the wide character before
  };
  [[nodiscard]] bool is_inside(int column) const { return column >= 0 && column < width(); }
  Cell& cell(int column) { return cells_[static_cast<std::size_t>(column)]; }

  std::vector<Cell> cells_;
};

}  // namespace millrace::cli
