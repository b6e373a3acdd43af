// SPDX-License-Identifier: Apache-2.0
#include "size_table.hpp"

#include <algorithm>

namespace millrace::sim {
namespace {

/// What sizes far beyond a table that rises steeply take at most: 1000 hours.
constexpr std::int64_t longest = std::int64_t{3'600'000} * 1'000'000'000;

/// time * part / whole, at most `longest`, without overflow in the middle: part is split at whole,
/// and the rest is small.
std::int64_t scale(std::int64_t time, std::uint64_t part, std::uint64_t whole) {
  constexpr std::uint64_t precision = 1U << 20U;
  const auto wholes = static_cast<std::int64_t>(part / whole);
  const std::uint64_t rest = part % whole;
  // Sizes of up to 2^43 bytes scale exactly; beyond, the rest counts in millionths.
  const std::int64_t fraction = rest < (std::uint64_t{1} << 43U)
                                    ? static_cast<std::int64_t>(rest * precision / whole)
                                    : static_cast<std::int64_t>(rest / (whole / precision + 1));
  if (time > 0 && wholes >= longest / time) return longest;
  if (time < 0 && wholes >= longest / -time) return -longest;
  return time * wholes + time * fraction / static_cast<std::int64_t>(precision);
}

}  // namespace

Duration SizeTable::at(std::uint64_t bytes) const {
  if (rows_.empty()) return {};
  if (rows_.size() == 1 || bytes <= rows_.front().bytes) return rows_.front().time;
  const auto above = std::ranges::lower_bound(rows_, bytes, {}, &Row::bytes);
  const auto upper = above == rows_.end() ? above - 1 : above;
  const auto lower = upper - 1;
  const std::int64_t rise = upper->time.ns - lower->time.ns;
  const std::int64_t more = scale(rise, bytes - lower->bytes, upper->bytes - lower->bytes);
  return Duration{std::max<std::int64_t>(lower->time.ns + more, 0)};
}

Duration SizeTable::least() const {
  if (rows_.empty()) return {};
  return std::ranges::min_element(rows_, {}, &Row::time)->time;
}

}  // namespace millrace::sim
