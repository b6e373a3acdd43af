// SPDX-License-Identifier: Apache-2.0
//
// What one process alone is answered; tests/ipc has those between two.
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cstddef>

namespace millrace::contract {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("only an interprocess event has a handle for other processes, of 64 bytes") {
  on_every_backend([] {
    const Event plain(EventOptions{.device = device(0), .name = "plain"});
    CHECK(code_of([&] { static_cast<void>(plain.ipc_handle()); }) == Errc::InvalidResourceHandle);
    CHECK_THAT(message_of([&] { static_cast<void>(plain.ipc_handle()); }),
               ContainsSubstring("'plain'"));
    Event shared(EventOptions{.interprocess = true});
    CHECK(shared.ipc_handle().size() == 64);
    CHECK(shared.device() == current_device());
    shared.record(Stream{});
    static_cast<void>(shared.ipc_handle());
    shared.synchronize();
  });
}

TEST_CASE("a handle that is garbage, too short, or of the process itself cannot be opened") {
  on_every_backend([] {
    const auto open = [](std::span<const std::byte> handle) {
      return code_of([&] { Event::from_ipc_handle(device(0), handle); });
    };
    std::array<std::byte, 64> garbage{};
    garbage.fill(std::byte{0xAB});
    CHECK(open(garbage) == Errc::MapBufferObjectFailed);
    garbage.fill(std::byte{0});
    CHECK(open(garbage) == Errc::MapBufferObjectFailed);
    CHECK(open({}) == Errc::InvalidValue);
    CHECK_THAT(message_of([&] { Event::from_ipc_handle(device(0), {}); }),
               ContainsSubstring("64 bytes, not 0"));
    const Event own(EventOptions{.device = device(0), .interprocess = true});
    CHECK(open(own.ipc_handle()) == Errc::DeviceUninitialized);
  });
}

}  // namespace
}  // namespace millrace::contract
