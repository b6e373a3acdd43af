// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <cstddef>
#include <optional>

namespace millrace::script {
namespace {

constexpr std::string_view blanks = " \t\r";

/// Takes the first word off the line; empty when there is none.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return line = {};
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

std::optional<Allowed> allowed_by(std::string_view line) {
  std::string_view sign = take_word(line);
  if (!sign.starts_with('#')) return std::nullopt;
  const std::string_view verb = sign == "#" ? take_word(line) : sign.substr(1);
  if (verb != "allow") return std::nullopt;
  const std::optional<FindingKind> kind = finding_kind(take_word(line));
  const std::string_view object = take_word(line);
  const bool names_object = !object.empty();
  if (!kind || names_object == (*kind == FindingKind::deadlock)) return std::nullopt;
  if (!take_word(line).empty()) return std::nullopt;
  return Allowed{*kind, std::string(object)};
}

}  // namespace

std::vector<Allowed> allowed_by_comments(std::string_view text) {
  std::vector<Allowed> all;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (const auto allowed = allowed_by(text.substr(0, end))) all.push_back(*allowed);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return all;
}

}  // namespace millrace::script
