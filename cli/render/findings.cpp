// SPDX-License-Identifier: Apache-2.0
#include "render/findings.hpp"

#include "render/text.hpp"

#include <cstddef>
#include <map>

namespace millrace::cli {
namespace {

/// The lines of a text, without the break at the end of the last.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// A long line goes on two columns further in than it began.
std::vector<std::string> wrap_indented(const std::string& line, int width) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string first(indent, ' ');
  std::vector<std::string> lines;
  for (const std::string& piece : wrap(line.substr(indent), width - static_cast<int>(indent) - 2)) {
    lines.push_back(first);
    lines.back().append(lines.size() == 1 ? "" : "  ").append(piece);
  }
  return lines;
}

std::string block(const std::string& text, const Paint& head, const Look& look) {
  std::string out;
  for (const std::string& line : lines_of(printable(text, look.ascii))) {
    for (const std::string& piece : wrap_indented(line, look.width - 2)) {
      out += "  " + painted(piece, out.empty() ? head : paints::plain, look) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string render_findings(const std::vector<Finding>& findings, const Look& look) {
  std::string text;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::string number = findings.size() > 1 ? std::to_string(i + 1) + ". " : "";
    text += (i == 0 ? "" : "\n") + block(number + describe(findings[i]), paints::bad, look);
  }
  return text;
}

std::string render_verdict(const Verdict& verdict, const Look& look) {
  if (verdict.ok) return painted("as the script expects", paints::good, look) + "\n";
  std::string text = painted("not as the script expects", paints::bad, look) + "\n";
  for (const std::string& difference : verdict.differences) {
    text += block(difference, paints::bad, look);
  }
  return text;
}

std::string count_findings(const std::vector<Finding>& findings) {
  if (findings.empty()) return "none";
  std::map<FindingKind, std::size_t> counts;
  for (const Finding& finding : findings) ++counts[finding.kind];
  std::string text;
  for (const auto& [kind, n] : counts) {
    const std::string word(to_string(kind));
    text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + word;
    if (n > 1) text += "s";
  }
  return text;
}

}  // namespace millrace::cli
