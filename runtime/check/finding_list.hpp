// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Findings, those of one kind, object and pair of places as one.

#include <millrace/check.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace millrace::checker {

class FindingList {
 public:
  explicit FindingList(std::vector<Finding>& findings) : findings_(findings) {}

  void add(Finding finding) {
    const Key key{
        finding.kind,        finding.object,      finding.first.file,      finding.first.line,
        finding.second.file, finding.second.line, finding.second.operation};
    const auto [found, is_new] = ids_.try_emplace(key, findings_.size());
    if (is_new) {
      findings_.push_back(std::move(finding));
    } else {
      ++findings_[found->second].count;
    }
  }

 private:
  using Key = std::tuple<FindingKind, std::string, std::string, std::uint32_t, std::string,
                         std::uint32_t, std::string>;

  std::vector<Finding>& findings_;
  std::map<Key, std::size_t> ids_;
};

}  // namespace millrace::checker
