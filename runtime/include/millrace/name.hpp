// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Interned names: a name is a 32-bit number, so that giving one to a launch costs no allocation.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace millrace {

/// An interned string. Equal texts give equal names within a process; the number itself depends on
/// the order of first use and therefore never reaches a trace or a decision.
/// Converting from text looks it up (tens of nanoseconds); keep a `Name` where that matters.
/// Safe from any thread. The texts live as long as the process.
class Name {
 public:
  constexpr Name() = default;  ///< the empty name
  // NOLINTBEGIN(google-explicit-constructor): text is meant to be a name
  Name(std::string_view text);
  Name(const char* text) : Name(std::string_view(text)) {}
  Name(const std::string& text) : Name(std::string_view(text)) {}
  // NOLINTEND(google-explicit-constructor)

  /// The text; null-terminated, valid for the life of the process.
  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] constexpr bool empty() const { return id_ == 0; }
  [[nodiscard]] constexpr std::uint32_t id() const { return id_; }

  friend constexpr bool operator==(Name, Name) = default;

 private:
  std::uint32_t id_ = 0;
};

}  // namespace millrace
