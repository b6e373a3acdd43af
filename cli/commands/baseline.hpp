// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Findings that are known and should not fail a check until somebody gets to them.

#include <millrace/check.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::cli {

/// A set of findings, each known by its script, kind, object and two operations: not by its line,
/// which an edit elsewhere in the script would change.
///
/// Its file has a JSON object a line, sorted, so that changes to it can be reviewed.
class Baseline {
 public:
  /// Throws InputError for a file that cannot be read, or is no baseline.
  static Baseline load(const std::string& path);

  [[nodiscard]] bool knows(const std::string& script, const Finding& finding) const;
  /// How many findings of the script it knows.
  [[nodiscard]] std::size_t count(const std::string& script) const;
  /// What it knows of the script from now on.
  void replace(const std::string& script, const std::vector<Finding>& findings);
  /// Throws InputError for a file that cannot be written.
  void save(const std::string& path) const;

 private:
  // Script, kind, object, first and second operation.
  using Entry = std::tuple<std::string, std::string, std::string, std::string, std::string>;

  void add(const std::string& line);
  static Entry entry_of(const std::string& script, const Finding& finding);

  std::set<Entry> entries_;
};

}  // namespace millrace::cli
