// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace millrace::contract {
namespace {

TEST_CASE("a machine has the devices that it was given, and the first is current") {
  on_every_backend(3, [] {
    CHECK(device_count(world().type()) >= 3);
    CHECK(current_device() == device(0));
    CHECK(Device{world().type()} == device(0));
  });
}

TEST_CASE("a device that does not exist is InvalidDevice and the current one stays") {
  on_every_backend([] {
    const std::string type(world().type());
    CHECK(code_of([&] { set_device(Device{type + ":99"}); }) == Errc::InvalidDevice);
    CHECK(code_of([&] { set_device(Device{type + ":-1"}); }) == Errc::InvalidDevice);
    CHECK(code_of([&] { Stream{Device{type + ":99"}}; }) == Errc::InvalidDevice);
    CHECK(code_of([] { Stream{Device{"cpu"}}; }) == Errc::InvalidDevice);
    CHECK(current_device() == device(0));
  });
}

TEST_CASE("a device knows its name and text") {
  on_every_backend([] {
    CHECK_FALSE(current_device().properties().name.empty());
    CHECK(current_device().to_string() == std::string(world().type()) + ":0");
  });
}

TEST_CASE("synchronizing a device leaves the current one, and waits for that device only") {
  on_every_backend(2, [] {
    const Stream here{device(0)};
    const Stream there{device(1)};
    bool ran = false;
    Gate gate{here};
    there.launch("k", {}, [&] { ran = true; });
    device(1).synchronize();
    CHECK(ran);
    CHECK_FALSE(gate.is_open());
    CHECK(current_device() == device(0));
  });
}

TEST_CASE("after a reset the device works, and handles from before say InvalidResourceHandle") {
  on_every_backend([] {
    const Stream before;
    bool ran = false;
    before.launch("k", {.cost = 1s}, [&] { ran = true; });
    current_device().reset();
    CHECK_FALSE(ran);
    CHECK(code_of([&] { before.launch("k"); }) == Errc::InvalidResourceHandle);
    const Stream after;
    after.launch("k", {}, [&] { ran = true; });
    after.synchronize();
    CHECK(ran);
  });
}

}  // namespace
}  // namespace millrace::contract
