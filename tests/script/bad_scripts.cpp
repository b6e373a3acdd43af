// SPDX-License-Identifier: Apache-2.0
#include "bad_scripts.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

namespace millrace::test {

void check_bad(std::initializer_list<BadScript> scripts) {
  const auto preamble_lines =
      static_cast<std::uint32_t>(std::count(preamble.begin(), preamble.end(), '\n'));
  for (const BadScript& bad : scripts) {
    INFO(bad.text);
    try {
      static_cast<void>(Script::parse(std::string(preamble) + bad.text + "\n", "bad.mill"));
      FAIL_CHECK("was read");
    } catch (const ScriptError& error) {
      CHECK(error.message() == bad.message);
      CHECK(error.line() == bad.line + preamble_lines);
      CHECK(error.column() == bad.column);
      CHECK(error.what() == "bad.mill:" + std::to_string(bad.line + preamble_lines) + ":" +
                                std::to_string(bad.column) + ": " + bad.message);
    }
  }
}

}  // namespace millrace::test
