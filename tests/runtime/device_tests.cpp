// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/device.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdlib>
#include <sstream>
#include <thread>

namespace millrace {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using test::FakeBackend;
using test::FakeRun;

Errc code_of(std::string_view text) {
  try {
    const Device device{text};
    return Errc::Success;
  } catch (const Error& error) {
    return error.code();
  }
}

TEST_CASE("a device is written TYPE:INDEX") {
  const FakeRun run(2);
  const Device device{"fake:1"};
  CHECK(device.type() == "fake");
  CHECK(device.index() == 1);
  CHECK(&device.backend() == run.backend.get());
  std::ostringstream text;
  text << device;
  CHECK(text.str() == "fake:1");
  CHECK(device == Device(run.backend, 1));
  CHECK_FALSE(device == Device{"fake:0"});
}

TEST_CASE("text of another form is InvalidValue, a device that is not there InvalidDevice") {
  const FakeRun run(2);
  for (const char* text : {"", ":0", "fake:", "fake:x", "fake:1x", "fake: 1", "fake:1:1"}) {
    CAPTURE(text);
    CHECK(code_of(text) == Errc::InvalidValue);
  }
  for (const char* text : {"fake:2", "fake:-1", "fake:99999999999999", "tpu:0", "tpu"}) {
    CAPTURE(text);
    CHECK(code_of(text) == Errc::InvalidDevice);
  }
  CHECK(last_error() == Errc::InvalidDevice);
}

TEST_CASE("an error of a device says what there is") {
  const FakeRun run(2);
  CHECK_THROWS_MATCHES(
      Device("fake:7", SourceLocation{"app.cpp", 3, 0}), Error,
      MessageMatches(ContainsSubstring(
          "Device: InvalidDevice: device 'fake:7': fake has 2 devices (app.cpp:3)")));
}

TEST_CASE("the current device of a run is its first until one is set") {
  const FakeRun run(2);
  CHECK(current_device() == Device{"fake:0"});
  set_device("fake:1");
  CHECK(current_device() == Device{"fake:1"});
}

TEST_CASE("a bare type means the device of that type that was last current") {
  const FakeRun run(3);
  CHECK(Device{"fake"}.index() == 0);
  set_device("fake:2");
  set_device(Device(std::make_shared<FakeBackend>(1, "other"), 0));
  CHECK(current_device().type() == "other");
  CHECK(Device{"fake"}.index() == 2);
}

TEST_CASE("an invalid device leaves the current one") {
  const FakeRun run(2);
  set_device("fake:1");
  CHECK_THROWS_AS(set_device("fake:99"), Error);
  CHECK(current_device() == Device{"fake:1"});
}

TEST_CASE("a device that was moved from is still that device") {
  const FakeRun run;
  Device device{"fake:0"};
  const Device other = std::move(device);
  CHECK(device == other);  // NOLINT(bugprone-use-after-move)
  CHECK(device.to_string() == "fake:0");
}

TEST_CASE("synchronize and reset go to the device named") {
  const FakeRun run(2);
  Device{"fake:1"}.synchronize();
  CHECK(run->last().what == "synchronize_device");
  CHECK(run->last().object == 1);
  CHECK(run->last().public_call == "Device::synchronize");
  Device{"fake:0"}.reset();
  CHECK(run->last().what == "reset_device");
  CHECK(run->last().object == 0);
}

/// What current_device() is, or throws, on a new thread with that environment variable.
std::string default_device(const char* variable) {
  setenv("MILLRACE_DEVICE", variable, 1);
  std::string answer;
  std::thread([&] {
    try {
      answer = current_device(SourceLocation{"app.cpp", 5, 0}).to_string();
    } catch (const Error& error) {
      answer = error.what();
    }
  }).join();
  unsetenv("MILLRACE_DEVICE");
  return answer;
}

TEST_CASE("outside a run the default device is what MILLRACE_DEVICE says") {
  register_backend("plain", [] { return std::shared_ptr<Backend>(new FakeBackend(4, "plain")); });
  CHECK(default_device("plain:3") == "plain:3");
  CHECK(default_device("plain") == "plain:0");
}

TEST_CASE("a bad MILLRACE_DEVICE is an error that names it") {
  register_backend("plain", [] { return std::shared_ptr<Backend>(new FakeBackend(4, "plain")); });
  CHECK(default_device("plain:9") ==
        "current_device: InvalidDevice: environment variable MILLRACE_DEVICE: device 'plain:9': "
        "plain has 4 devices (app.cpp:5)");
  CHECK_THAT(default_device("tpu:0"),
             ContainsSubstring("MILLRACE_DEVICE: device 'tpu:0': no back"));
}

TEST_CASE("inside a run MILLRACE_DEVICE does not count") {
  setenv("MILLRACE_DEVICE", "tpu:9", 1);
  const FakeRun run;
  CHECK(current_device() == Device{"fake:0"});
  unsetenv("MILLRACE_DEVICE");
}

TEST_CASE("with nothing else said and no cuda the default device is sim:0, if it is linked") {
  CHECK_THAT(default_device(""), ContainsSubstring("device 'sim:0': no backend of type 'sim'"));
}

}  // namespace
}  // namespace millrace
