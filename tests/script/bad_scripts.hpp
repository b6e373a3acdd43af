// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Scripts that cannot be read, and where and how the parser says so.

#include <millrace/script.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace millrace::test {

/// What stands before each of the scripts: five lines that make some things to speak of.
inline constexpr std::string_view preamble =
    "buffer A B 64KiB\n"
    "buffer h 64KiB pinned\n"
    "stream s1 s2\n"
    "event e1 e2\n"
    "flag f\n";

struct BadScript {
  const char* text;
  std::uint32_t line;  ///< behind the preamble, from 1
  std::uint32_t column;
  const char* message;
};

/// Each of them fails at its place with its message.
void check_bad(std::initializer_list<BadScript> scripts);

}  // namespace millrace::test
