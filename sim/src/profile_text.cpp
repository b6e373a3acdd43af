// SPDX-License-Identifier: Apache-2.0
#include "profile_text.hpp"

#include <millrace/error.hpp>

#include <array>
#include <charconv>
#include <limits>
#include <set>

namespace millrace::sim {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

bool is_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string_view::npos;
}

/// A decimal number in units of 1/scale (a power of ten); false where it is none, or too large, or
/// finer than the unit.
bool decimal(std::string_view text, std::int64_t scale, std::int64_t& result) {
  std::uint64_t whole = 0;
  const char* const end = text.data() + text.size();
  auto [next, problem] = std::from_chars(text.data(), end, whole);
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 2);
  if (problem != std::errc{} || whole > most / static_cast<std::uint64_t>(scale)) return false;
  result = static_cast<std::int64_t>(whole) * scale;
  if (next == end) return true;
  if (*next++ != '.' || next == end) return false;
  for (; next != end; ++next) {
    if (*next < '0' || *next > '9') return false;
    scale /= 10;
    if (scale == 0 && *next != '0') return false;
    result += (*next - '0') * scale;
  }
  return true;
}

/// So that sums of times do not overflow.
constexpr Duration longest{std::int64_t{3600} * 1'000'000'000};

bool duration(std::string_view text, Duration& result) {
  struct Unit {
    std::string_view name;
    std::int64_t ns;
  };
  constexpr std::array<Unit, 4> units{
      {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  for (const Unit& unit : units) {
    if (text.ends_with(unit.name) &&
        decimal(text.substr(0, text.size() - unit.name.size()), unit.ns, result.ns)) {
      return result <= longest;
    }
  }
  return false;
}

bool bytes(std::string_view text, std::uint64_t& result) {
  std::uint64_t unit = 1;
  for (const auto& [name, factor] : {std::pair<std::string_view, std::uint64_t>{"KiB", 1U << 10U},
                                     {"MiB", 1U << 20U},
                                     {"GiB", 1U << 30U}}) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    unit = factor;
    break;
  }
  const char* const end = text.data() + text.size();
  const auto [next, problem] = std::from_chars(text.data(), end, result);
  if (problem != std::errc{} || next != end) return false;
  if (result > std::numeric_limits<std::uint64_t>::max() / unit) return false;
  result *= unit;
  return true;
}

}  // namespace

void refuse_profile(std::string_view origin, int line, const std::string& reason) {
  std::string place(origin);
  if (line > 0) place += ":" + std::to_string(line);
  throw Error(Errc::InvalidValue, "sim::run", place + ": " + reason, {});
}

void ProfileValue::expected(const std::string& what) const {
  refuse_profile(origin, line, "expected " + what + " for '" + key + "', found '" + text + "'");
}

void ProfileValue::to(Duration& result) const {
  if (!duration(text, result)) expected("a duration up to an hour such as 1.5us");
}

void ProfileValue::to(SizeTable& table) const {
  std::vector<SizeTable::Row> rows;
  std::string_view rest = text;
  while (!(rest = trimmed(rest)).empty()) {
    const std::string_view entry = rest.substr(0, rest.find_first_of(blanks));
    const auto colon = entry.find(':');
    SizeTable::Row row;
    if (colon == std::string_view::npos || !bytes(entry.substr(0, colon), row.bytes) ||
        !duration(entry.substr(colon + 1), row.time)) {
      expected("entries such as 4KiB:4.16us");
    }
    if (!rows.empty() && row.bytes <= rows.back().bytes) expected("sizes that rise");
    rows.push_back(row);
    rest.remove_prefix(entry.size());
  }
  table = SizeTable(std::move(rows));
}

void ProfileValue::to(bool& flag) const { to<bool>(flag, {{"yes", true}, {"no", false}}); }

void ProfileValue::to(std::string& word) const {
  if (text.empty()) expected("a name");
  word = text;
}

std::uint64_t ProfileValue::whole(std::uint64_t most) const {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [next, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || next != end || number > most) {
    expected("a whole number up to " + std::to_string(most));
  }
  return number;
}

void ProfileValue::to(std::uint64_t& result) const {
  if (!bytes(text, result)) expected("a size such as 4KiB");
}

void ProfileValue::to_per_mille(std::int64_t& factor) const {
  if (!decimal(text, 1000, factor) || factor < 1000 || factor > 1'000'000) {
    expected("a factor from 1 to 1000 such as 1.094");
  }
}

std::vector<ProfileValue> read_profile_text(std::string_view text, std::string_view origin) {
  std::vector<ProfileValue> values;
  std::set<std::string, std::less<>> known;
  std::string section;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view content = trimmed(without_comment(line));
    if (content.empty()) continue;
    const bool indented = blanks.find(line.front()) != std::string_view::npos;
    if (indented && !values.empty()) {  // the value before goes on
      values.back().text += " " + std::string(content);
      continue;
    }
    if (content.front() == '[' && content.back() == ']') {
      section = trimmed(content.substr(1, content.size() - 2));
      if (!is_name(section)) refuse_profile(origin, number, "expected a section such as [host]");
      continue;
    }
    const auto equals = content.find('=');
    const std::string_view key = trimmed(content.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(key) || section.empty()) {
      refuse_profile(origin, number, "expected '[section]', 'key = value' in one, or a comment");
    }
    ProfileValue value{section + "." + std::string(key),
                       std::string(trimmed(content.substr(equals + 1))), origin, number};
    if (!known.insert(value.key).second) {
      refuse_profile(origin, number, "'" + value.key + "' is there already");
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace millrace::sim
