// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace millrace::cli {
namespace {

/// Letters to insert, delete, change or swap with their neighbour on the way from `a` to `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_before(b.size() + 1);
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], two_before[j - 2] + 1);
    }
    std::swap(two_before, before);
    std::swap(before, now);
  }
  return before[b.size()];
}

}  // namespace

std::string closest(std::string_view typed, const std::vector<std::string>& words) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : words) {
    const bool is_begun = typed.size() >= 3 && word.starts_with(typed);
    const std::size_t far = is_begun ? 1 : distance(typed, word);
    if (far < least) {
      least = far;
      best = word;
    }
  }
  return best;
}

}  // namespace millrace::cli
