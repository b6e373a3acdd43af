// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Numbers with and without units, read exactly and written back.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::script {

/// Why a number cannot be read, or nothing.
using Problem = std::optional<std::string>;

/// A whole number from `least` to `most`.
Problem read_integer(std::string_view text, std::int64_t least, std::int64_t most,
                     std::int64_t& value);
/// Bytes: a whole number, with a unit of either system or none.
Problem read_size(std::string_view text, std::uint64_t& bytes);
/// A number with its unit, to the nanosecond exactly.
Problem read_duration(std::string_view text, bool may_be_negative, std::int64_t& ns);

/// Whether this is a unit of sizes or durations.
bool is_unit(std::string_view word);

/// In the largest unit that is exact.
std::string size_text(std::uint64_t bytes);

/// Of `candidates`, that which `word` was probably meant to be; empty when none is near.
class Suggestion {
 public:
  explicit Suggestion(std::string_view word) : word_(word) {}
  void consider(std::string_view candidate);
  [[nodiscard]] const std::string& best() const { return best_; }
  /// "; did you mean 'best'?", or nothing.
  [[nodiscard]] std::string question() const;

 private:
  std::string_view word_;
  std::string best_;
  std::size_t distance_ = ~std::size_t{0};
};

}  // namespace millrace::script
