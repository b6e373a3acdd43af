// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Where in the user's program a call stands. (clang 14 has no `std::source_location` with GCC 12's
/// library, hence the builtins, which every supported compiler has.)

#include <cstdint>

namespace millrace {

/// File and line of a call. `file` must outlive the process's use of it: a string literal, or the
/// text of an interned `Name`.
struct SourceLocation {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< 0 where it is not known

  /// The place of the call in whose argument list (or default argument) this stands.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          std::uint32_t line = __builtin_LINE()) {
    return SourceLocation{file, line, 0};
  }
};

}  // namespace millrace
