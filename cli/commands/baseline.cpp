// SPDX-License-Identifier: Apache-2.0
#include "commands/baseline.hpp"

#include "input.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace millrace::cli {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Baseline::Entry Baseline::entry_of(const std::string& script, const Finding& finding) {
  return {script, std::string(to_string(finding.kind)), finding.object, finding.first.operation,
          finding.second.operation};
}

void Baseline::add(const std::string& line) {
  const Json json = Json::parse(line);
  const auto text = [&](const char* field) { return json.at(field).get<std::string>(); };
  entries_.emplace(text("file"), text("kind"), text("object"), text("first"), text("second"));
}

Baseline Baseline::load(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path + ": cannot be read; --update-baseline writes it");
  Baseline baseline;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    try {
      if (!line.empty()) baseline.add(line);
    } catch (const Json::exception&) {
      throw InputError(path + ":" + std::to_string(number) +
                       ": expected a known finding, as --update-baseline writes it: an object with "
                       "the texts file, kind, object, first and second");
    }
  }
  return baseline;
}

bool Baseline::knows(const std::string& script, const Finding& finding) const {
  return entries_.contains(entry_of(script, finding));
}

std::size_t Baseline::count(const std::string& script) const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [&](const Entry& entry) { return std::get<0>(entry) == script; }));
}

void Baseline::replace(const std::string& script, const std::vector<Finding>& findings) {
  std::erase_if(entries_, [&](const Entry& entry) { return std::get<0>(entry) == script; });
  for (const Finding& finding : findings) entries_.insert(entry_of(script, finding));
}

void Baseline::save(const std::string& path) const {
  std::ofstream file(path, std::ios::trunc);
  for (const auto& [script, kind, object, first, second] : entries_) {
    const Json json{
        {"file", script}, {"kind", kind}, {"object", object}, {"first", first}, {"second", second}};
    file << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  }
  if (!file.flush()) throw InputError(path + ": cannot be written");
}

}  // namespace millrace::cli
