// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The text of a profile: lines `key = value` in `[sections]`, and values that know where they
/// stand, so that whatever is wrong with one is said with file and line.

#include "size_table.hpp"

#include <millrace/time.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::sim {

/// `section.key = text`. Every conversion throws Error{InvalidValue} naming file, line and what was
/// expected. Keeps views of the text that it was read from, and of `origin`.
struct ProfileValue {
  std::string key;
  std::string text;
  std::string_view origin;
  int line = 0;

  void to(Duration& duration) const;
  void to(SizeTable& table) const;  ///< `bytes:time bytes:time …`, sizes rising
  void to(bool& flag) const;        ///< yes, no
  void to(std::string& word) const;
  void to(std::uint32_t& number) const { number = static_cast<std::uint32_t>(whole(0xffff'ffff)); }
  void to(std::uint64_t& bytes) const;
  /// A factor not below 1 with up to three digits after the point, in thousandths.
  void to_per_mille(std::int64_t& factor) const;
  [[nodiscard]] std::uint64_t whole(std::uint64_t most) const;

  template <typename Policy>
  void to(Policy& policy,
          std::initializer_list<std::pair<std::string_view, Policy>> alternatives) const {
    std::string names;
    for (const auto& [name, value] : alternatives) {
      if (text == name) {
        policy = value;
        return;
      }
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    expected("one of " + names);
  }

  [[noreturn]] void expected(const std::string& what) const;
};

/// The values of a profile's text, in order. Throws for lines that are neither a section, a value
/// nor a comment, and for keys that come twice.
std::vector<ProfileValue> read_profile_text(std::string_view text, std::string_view origin);

[[noreturn]] void refuse_profile(std::string_view origin, int line, const std::string& reason);

}  // namespace millrace::sim
