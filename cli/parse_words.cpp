// SPDX-License-Identifier: Apache-2.0
#include "parse_words.hpp"

#include <CLI/Error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

namespace millrace::cli {

Duration parse_duration(const std::string& option, const std::string& text) {
  static const std::map<std::string_view, double> units{
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const auto unit = units.find(std::string_view(rest, static_cast<std::size_t>(end - rest)));
  const double ns = unit == units.end() ? -1 : number * unit->second;
  if (error != std::errc() || !(ns > 0)) {
    throw CLI::ValidationError(option, "'" + text +
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

std::string lint_names() {
  std::string names;
  for (const FindingKind lint : all_lints) {
    names.append(names.empty() ? "" : ", ").append(to_string(lint));
  }
  return names;
}

std::vector<FindingKind> parse_lints(const std::vector<std::string>& names) {
  std::vector<FindingKind> lints;
  for (const std::string& name : names) {
    if (name == "all") return {all_lints.begin(), all_lints.end()};
    const std::optional<FindingKind> lint = finding_kind(name);
    if (!lint || !is_lint(*lint)) {
      throw CLI::ValidationError("--lint", "'" + name + "' is no lint: all, " + lint_names());
    }
    lints.push_back(*lint);
  }
  return lints;
}

}  // namespace millrace::cli
