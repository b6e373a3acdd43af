// SPDX-License-Identifier: Apache-2.0
// Profiles: what their text may say, and what is answered where it says something else.

#include "profile.hpp"

#include <millrace/error.hpp>
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

using namespace millrace;
using namespace millrace::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string complaint(const std::string& text) {
  try {
    static_cast<void>(parse_profile(text, "my.profile"));
  } catch (const Error& error) {
    CHECK(error.code() == Errc::InvalidValue);
    return error.what();
  }
  return "none";
}

const std::string head = "[profile]\nversion = 1\n";

}  // namespace

TEST_CASE("The profiles that Millrace comes with are found by name", "[h200]") {
  CHECK(find_profile("ideal").name == "ideal");
  CHECK_FALSE(find_profile("ideal").device_model);
  CHECK(find_profile("ideal").default_operation == Duration{10'000});
  const Profile h200 = find_profile("h200");
  CHECK(h200.device_model);
  CHECK(h200.host.of(CallKind::launch) == Duration{4'340});
  CHECK(h200.queues.count == 8);
  CHECK(h200.event_clock == Duration{32});
}

TEST_CASE("A profile is a file that users may copy and change", "[h200]") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "millrace_profile_test.profile";
  for (const BuiltInProfile& profile : built_in_profiles()) {
    if (profile.name == "h200") std::ofstream(path) << profile.text;
  }
  CHECK(find_profile(path.string()).multiprocessors.grids == 128);
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(find_profile(path.string()), ContainsSubstring("cannot be read"));
}

TEST_CASE("Copies between devices take their own link where a profile has one", "[h200]") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "millrace_link_test.profile";
  std::ofstream(path) << head << "device_model = yes\n[copy]\nbetween_devices = 1:1us 1000:1ms\n";
  const sim::Options options{.profile = path.string(), .devices = 2};
  sim::run(options, [] {
    const Device here("sim:0");
    const Device there("sim:1");
    const Stream out({.device = here});
    const Stream second({.device = here});
    const Stream back({.device = there});
    const Buffer<char> source(1000, {.device = here});
    const Buffer<char> target(1000, {.device = there});
    const auto taken = [&](const std::function<void()>& copies) {
      const Time begin = sim::now();
      copies();
      here.synchronize();
      there.synchronize();
      return (sim::now() - begin).ns;
    };
    CHECK(taken([&] { out.copy(target, source); }) == 1'000'000);
    CHECK(taken([&] {  // one engine for what leaves a device, and another device has its own
            out.copy(target.range(0, 1), source.range(0, 1));
            second.copy(target.range(1, 1), source.range(1, 1));
            back.copy(source.range(2, 1), target.range(2, 1));
          }) == 2'000);
  });
  std::filesystem::remove(path);
}

TEST_CASE("An unknown profile's message names those that there are", "[h200]") {
  CHECK_THROWS_WITH(find_profile("h100"), ContainsSubstring("h200") && ContainsSubstring("ideal") &&
                                              ContainsSubstring("'h100'"));
}

TEST_CASE("CUDA's variable sets the number of hardware queues if it is one from 1 to 32",
          "[h200]") {
  const auto queues = [](const char* value) {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", value, 1);
    const std::uint32_t count = find_profile("h200").queues.count;
    const std::uint32_t in_ideal = find_profile("ideal").queues.count;
    unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    CHECK(in_ideal == 0);
    return count;
  };
  CHECK(queues("1") == 1);
  CHECK(queues("32") == 32);
  for (const char* const nothing : {"0", "33", "", "many", "4x", "-1"}) CHECK(queues(nothing) == 8);
}

TEST_CASE("Durations, factors, tables and policies are read as they stand", "[h200]") {
  const Profile profile = parse_profile(head + R"(
# a comment
[host]
launch = 4.5us   # and one behind a value
[copy]
to_device = 1:1ns
    4KiB:2us     # a value goes on in indented lines
    1MiB:1.25ms
both_directions = 1.094
[queues]
members = kernels
)",
                                        "my");
  CHECK(profile.host.of(CallKind::launch) == Duration{4'500});
  CHECK(profile.transfers.to_device.paired.rows().size() == 3);
  CHECK(profile.transfers.to_device.paired.at(1U << 20U) == Duration{1'250'000});
  CHECK(profile.transfers.both_directions == 1094);
  CHECK(profile.queues.members == QueueMembers::kernels);
  CHECK(profile.queues.assignment == QueueAssignment::created);  // as it was
}

TEST_CASE("What a profile cannot say is refused with file and line", "[h200]") {
  CHECK_THAT(complaint(""), ContainsSubstring("version = 1"));
  CHECK_THAT(complaint("[host]\nlaunch = 1us\n"), ContainsSubstring("version = 1"));
  CHECK_THAT(complaint("[profile]\nversion = 2\n"),
             ContainsSubstring("my.profile:2") && ContainsSubstring("version 2"));
  CHECK_THAT(complaint(head + "[host]\nlunch = 1us\n"),
             ContainsSubstring("my.profile:4") && ContainsSubstring("'host.lunch'"));
  CHECK_THAT(complaint(head + "[host]\nlaunch = soon\n"),
             ContainsSubstring("my.profile:4") && ContainsSubstring("a duration"));
  CHECK_THAT(complaint(head + "[host]\nlaunch = 0.5ns\n"), ContainsSubstring("a duration"));
  CHECK_THAT(complaint(head + "[host]\nlaunch = 99999999999999999999s\n"),
             ContainsSubstring("a duration"));
  CHECK_THAT(complaint(head + "[host]\nlaunch = 3601s\n"), ContainsSubstring("up to an hour"));
  CHECK_THAT(complaint(head + "[queues]\nmembers = some\n"),
             ContainsSubstring("one of compute, kernels, everything"));
  CHECK_THAT(complaint(head + "[copy]\nto_host = 4KiB:1us 1KiB:2us\n"),
             ContainsSubstring("sizes that rise"));
  CHECK_THAT(complaint(head + "[copy]\nto_host = 4KiB\n"), ContainsSubstring("entries such as"));
  CHECK_THAT(complaint(head + "[copy]\nboth_directions = 0.5\n"), ContainsSubstring("a factor"));
  CHECK_THAT(complaint(head + "[host]\nlaunch = 1us\nlaunch = 2us\n"),
             ContainsSubstring("my.profile:5") && ContainsSubstring("already"));
  CHECK_THAT(complaint(head + "what is this\n"), ContainsSubstring("my.profile:3"));
  CHECK_THAT(complaint(head + "[sm]\ncount = 0\n"), ContainsSubstring("sm.count"));
  CHECK_THAT(complaint(head + "[queues]\ncount = -1\n"), ContainsSubstring("a whole number"));
}
