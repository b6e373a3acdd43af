// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A few rows of a long table, numbered.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::checker {

/// A set of rows that is filled, then sealed, then asked. Takes two bits a row of the table,
/// so that tables of what only few rows have need not be as long as the run.
class RowSet {
 public:
  explicit RowSet(std::size_t rows) : words_(rows / bits + 1) {}

  void insert(std::size_t row) { words_[row / bits].rows |= bit(row); }
  void seal() {
    std::uint32_t before = 0;
    for (Word& word : words_) {
      word.before = before;
      before += static_cast<std::uint32_t>(std::popcount(word.rows));
    }
    size_ = before;
  }

  [[nodiscard]] bool contains(std::size_t row) const {
    return (words_[row / bits].rows & bit(row)) != 0;
  }
  /// How many rows of the set stand before this one: the number of a row that it contains.
  [[nodiscard]] std::size_t number(std::size_t row) const {
    const Word& word = words_[row / bits];
    return word.before + static_cast<std::size_t>(std::popcount(word.rows & (bit(row) - 1)));
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t bits = 32;
  struct Word {
    std::uint32_t rows = 0;
    std::uint32_t before = 0;
  };

  static constexpr std::uint32_t bit(std::size_t row) { return std::uint32_t{1} << (row % bits); }

  std::vector<Word> words_;
  std::size_t size_ = 0;
};

}  // namespace millrace::checker
