// SPDX-License-Identifier: Apache-2.0
#include "commands/check_reports.hpp"
#include "input.hpp"
#include "render/text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

namespace millrace::cli {
namespace {

/// The text as XML takes it, inside of elements and attributes. Characters that XML cannot hold
/// become `?`.
std::string escaped(std::string_view text) {
  const std::string clean = printable(text, false);
  std::string out;
  for (std::size_t i = 0; i < clean.size();) {
    const Character next = character_at(clean, i);
    i += next.bytes.size();
    switch (next.code) {
      case U'&':
        out += "&amp;";
        break;
      case U'<':
        out += "&lt;";
        break;
      case U'>':
        out += "&gt;";
        break;
      case U'"':
        out += "&quot;";
        break;
      case U'\ufffe':
      case U'\uffff':
        out += '?';
        break;
      default:
        out += next.bytes;
    }
  }
  return out;
}

/// A script's folder and name, as tools group and show test cases.
std::string_view folder_of(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string_view::npos ? "." : file.substr(0, slash);
}
std::string_view name_of(std::string_view file) { return file.substr(file.rfind('/') + 1); }

std::string what_is_wrong(const Checked& script) {
  if (script.is_ok()) return "";
  std::string findings;
  for (const Finding& finding : script.unexpected) findings += "\n" + describe(finding);
  const std::string_view element = script.ran ? "failure" : "error";
  const std::string_view type = script.ran ? "expectation" : "could not be run";
  const std::string place = script.line == 0 ? "" : fmt::format("line {}: ", script.line);
  return fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{1}{3}</{0}>\n", element,
                     escaped(place + script.problem), type, escaped(findings));
}

std::string test_case(const Checked& script) {
  const std::string file = shown_name(script.file);
  return fmt::format(
      "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" time=\"{:.6f}\">\n{}    "
      "</testcase>\n",
      escaped(name_of(file)), escaped(folder_of(file)), escaped(file), script.seconds,
      what_is_wrong(script));
}

}  // namespace

std::string junit_xml(const std::vector<Checked>& scripts) {
  std::size_t failures = 0;
  std::size_t errors = 0;
  double seconds = 0;
  std::string cases;
  for (const Checked& script : scripts) {
    failures += script.ran && !script.is_ok() ? 1U : 0U;
    errors += script.ran ? 0U : 1U;
    seconds += script.seconds;
    cases += test_case(script);
  }
  const std::string totals = fmt::format(
      "name=\"millrace check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"0\" time=\"{:.6f}\"",
      scripts.size(), failures, errors, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite {0}>\n{1}"
      "  </testsuite>\n</testsuites>\n",
      totals, cases);
}

}  // namespace millrace::cli
