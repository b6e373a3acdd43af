// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace millrace::script {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A number as it is written: sign, digits, digits behind the point, unit.
struct Parts {
  bool negative = false;
  std::string_view digits;
  std::string_view fraction;
  std::string_view unit;
};

std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

Parts split(std::string_view text) {
  Parts parts;
  if (text.starts_with('-')) {
    parts.negative = true;
    text.remove_prefix(1);
  }
  parts.digits = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  parts.unit = text;
  return parts;
}

/// Appends decimal digits to a number; false on overflow of `most`.
bool append_digits(std::string_view digits, std::uint64_t most, std::uint64_t& value) {
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (most - digit) / 10) return false;
    value = value * 10 + digit;
  }
  return true;
}

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array size_units{SizeUnit{"GiB", 1ULL << 30},
                                SizeUnit{"GB", 1'000'000'000},
                                SizeUnit{"MiB", 1ULL << 20},
                                SizeUnit{"MB", 1'000'000},
                                SizeUnit{"KiB", 1ULL << 10},
                                SizeUnit{"KB", 1'000},
                                SizeUnit{"B", 1}};

struct TimeUnit {
  std::string_view name;
  std::size_t decimals;  ///< that are whole nanoseconds
};
constexpr std::array time_units{TimeUnit{"ns", 0}, TimeUnit{"us", 3}, TimeUnit{"ms", 6},
                                TimeUnit{"s", 9}};

template <typename Units>
const typename Units::value_type* find_unit(const Units& units, std::string_view name) {
  for (const auto& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// The distance of two words in insertions, deletions, replacements and swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

Problem read_integer(std::string_view text, std::int64_t least, std::int64_t most,
                     std::int64_t& value) {
  const Parts parts = split(text);
  std::uint64_t magnitude = 0;
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  if (parts.unit.empty() && parts.fraction.empty() &&
      append_digits(parts.digits, limit, magnitude)) {
    value = static_cast<std::int64_t>(magnitude);
    if (parts.negative) value = -value;
    if (value >= least && value <= most) return std::nullopt;
  }
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

Problem read_size(std::string_view text, std::uint64_t& bytes) {
  const Parts parts = split(text);
  const SizeUnit* unit =
      parts.unit.empty() ? &size_units.back() : find_unit(size_units, parts.unit);
  if (unit == nullptr) return "a size in B, KiB, MiB, GiB, KB, MB or GB";
  if (parts.negative) return "a size, which is not negative";
  if (!parts.fraction.empty()) return "a size, which is a whole number with a unit";
  constexpr std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  bytes = 0;
  if (!append_digits(parts.digits, limit / unit->bytes, bytes)) {
    return "a size of less than 2^64 bytes";
  }
  bytes *= unit->bytes;
  return std::nullopt;
}

Problem read_duration(std::string_view text, bool may_be_negative, std::int64_t& ns) {
  const Parts parts = split(text);
  if (parts.unit.empty()) return "a duration, which has a unit: ns, us, ms or s";
  const TimeUnit* unit = find_unit(time_units, parts.unit);
  if (unit == nullptr) return "a duration in ns, us, ms or s";
  if (parts.negative && !may_be_negative) return "a duration, which is not negative";
  const std::string_view finer =
      parts.fraction.size() > unit->decimals ? parts.fraction.substr(unit->decimals) : "";
  if (finer.find_first_not_of('0') != std::string_view::npos) {
    return "a duration in whole nanoseconds";
  }
  const std::string_view fraction = parts.fraction.substr(0, unit->decimals);
  constexpr std::string_view nine_zeros = "000000000";
  const std::string_view zeros = nine_zeros.substr(0, unit->decimals - fraction.size());
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  std::uint64_t value = 0;
  if (!append_digits(parts.digits, limit, value) || !append_digits(fraction, limit, value) ||
      !append_digits(zeros, limit, value)) {
    return "a duration of at most 9223372036s";
  }
  ns = static_cast<std::int64_t>(value);
  if (parts.negative) ns = -ns;
  return std::nullopt;
}

bool is_unit(std::string_view word) {
  return find_unit(size_units, word) != nullptr || find_unit(time_units, word) != nullptr;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes != 0) {
    for (const SizeUnit& unit : size_units) {
      if (bytes % unit.bytes == 0)
        return std::to_string(bytes / unit.bytes) + std::string(unit.name);
    }
  }
  return std::to_string(bytes) + "B";
}

void Suggestion::consider(std::string_view candidate) {
  constexpr std::size_t longest = 64;
  if (word_.size() > longest || candidate.size() > longest || candidate.empty()) return;
  const std::size_t most = std::max<std::size_t>(1, std::min(word_.size(), candidate.size()) / 3);
  if (std::max(word_.size(), candidate.size()) - std::min(word_.size(), candidate.size()) > most) {
    return;
  }
  const std::size_t apart = distance(word_, candidate);
  if (apart <= most && apart < distance_) {
    distance_ = apart;
    best_ = candidate;
  }
}

std::string Suggestion::question() const {
  return best_.empty() ? std::string() : "; did you mean " + quoted(best_) + "?";
}

}  // namespace millrace::script
