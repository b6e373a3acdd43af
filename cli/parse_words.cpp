// SPDX-License-Identifier: Apache-2.0
#include "parse_words.hpp"

#include <CLI/Error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

namespace millrace::cli {

Duration parse_duration(const std::string& text) {
  static const std::map<std::string_view, double> units{
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const auto unit = units.find(std::string_view(rest, static_cast<std::size_t>(end - rest)));
  const double ns = unit == units.end() ? -1 : number * unit->second;
  if (error != std::errc() || !(ns > 0)) {
    throw CLI::ValidationError("--max-time", "'" + text +
                                                 "' is no duration above 0: a number and ns, us, "
                                                 "ms or s");
  }
  const auto latest = static_cast<double>(Time::latest().ns);
  return Duration{std::llround(std::min(ns, latest))};
}

std::uint64_t parse_count(const std::string& option, const std::string& text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && rest == end) return count;
  throw CLI::ValidationError(option, "'" + text + "' is no whole number from 0 to 2^64-1");
}

void parse_injection(const std::string& text, sim::Injection& to) {
  try {
    sim::add_injection(text, to);
  } catch (const Error& error) {
    std::string_view reason = error.what();
    const std::size_t fault = reason.find("fault '");
    if (fault != std::string_view::npos) reason.remove_prefix(fault);
    throw CLI::ValidationError("--inject", std::string(reason));
  }
}

}  // namespace millrace::cli
