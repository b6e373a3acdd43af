// SPDX-License-Identifier: Apache-2.0
#include <millrace/testing.hpp>

#include <ostream>

namespace millrace::expect {
namespace {

/// The name as a regular expression that matches it; CMake's know no other special characters.
std::string literal_pattern(std::string_view name) {
  constexpr std::string_view special = R"(\^$.|?*+()[])";
  std::string pattern;
  for (const char c : name) {
    if (special.find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string quoted_for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string replay_line(std::string_view token, std::string_view test) {
  return "MILLRACE_REPLAY=" + std::string(token) + " ctest -R " +
         quoted_for_shell(literal_pattern(test));
}

std::string Outcome::message(std::string_view test) const {
  if (ok) return "";
  std::string text = difference;
  if (!text.ends_with('\n')) text += '\n';
  if (replay.empty()) return text;
  text += "replay: ";
  text += test.empty() ? "MILLRACE_REPLAY=" + replay + " and this test" : replay_line(replay, test);
  return text + '\n';
}

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << (outcome.ok ? std::string("as expected") : outcome.message());
}

}  // namespace millrace::expect
