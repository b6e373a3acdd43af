// SPDX-License-Identifier: Apache-2.0
#include "profile.hpp"

#include "profile_text.hpp"

#include <millrace/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace millrace::sim {
namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(Errc::InvalidValue, "sim::run", reason, {});
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) refuse("the profile " + path + " cannot be read");
  return text;
}

/// As CUDA reads it: what is no number from 1 to 32 counts for nothing.
void heed_environment(Profile& profile) {
  const char* const wanted = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  if (wanted == nullptr || profile.queues.count == 0) return;
  const std::string_view text(wanted);
  std::uint32_t count = 0;
  const auto [next, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (problem != std::errc{} || next != text.data() + text.size()) return;
  if (count >= 1 && count <= 32) profile.queues.count = count;
}

Profile read_profile(const std::string& name) {
  if (name.ends_with(".profile")) return parse_profile(read_file(name), name);
  const auto& known = built_in_profiles();
  const auto found = std::ranges::find(known, std::string_view(name), &BuiltInProfile::name);
  if (found != known.end()) return parse_profile(found->text, name);
  std::string names;
  for (const BuiltInProfile& profile : known) names += " " + std::string(profile.name);
  refuse("there is no profile '" + name + "'; known are" + names +
         ", and files that end in .profile");
}

}  // namespace

Duration TransferTime::of(std::uint64_t bytes, Duration otherwise) const {
  if (paired.empty()) return otherwise;
  return std::max(paired.at(bytes) - overhead, Duration{0});
}

Duration TransferTime::fixed() const { return std::max(paired.least() - overhead, Duration{0}); }

Profile find_profile(const std::string& name) {
  Profile profile = read_profile(name);
  heed_environment(profile);
  return profile;
}

}  // namespace millrace::sim
