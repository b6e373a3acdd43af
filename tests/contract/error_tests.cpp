// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace millrace::contract {
namespace {

void fail_once() {
  const std::string nowhere = std::string(world().type()) + ":99";
  CHECK(code_of([&] { set_device(Device{nowhere}); }) == Errc::InvalidDevice);
}

TEST_CASE("the last error is per thread; peeking keeps it, reading clears it") {
  on_every_backend([] {
    fail_once();
    Errc elsewhere = Errc::Unknown;
    world().start([&] { elsewhere = peek_last_error(); })();
    CHECK(elsewhere == Errc::Success);
    CHECK(peek_last_error() == Errc::InvalidDevice);
    CHECK(last_error() == Errc::InvalidDevice);
    CHECK(last_error() == Errc::Success);
  });
}

TEST_CASE("a call that succeeds keeps the last error") {
  on_every_backend([] {
    fail_once();
    set_device(device(0));
    Stream{}.synchronize();
    CHECK(last_error() == Errc::InvalidDevice);
  });
}

TEST_CASE("an error says where the failing call stands") {
  on_every_backend([] {
    const Buffer<char> buffer(4);
    try {
      Stream{}.fill(buffer.range(0, 5), 0);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.call() == "Stream::fill");
      CHECK(error.where().line == __LINE__ - 4);
      CHECK(std::string(error.where().file).find("error_tests.cpp") != std::string::npos);
    }
  });
}

TEST_CASE("codes print as CUDA names them") {
  CHECK(to_string(Errc::NotReady) == "NotReady");
  CHECK(to_string(Errc::InvalidResourceHandle) == "InvalidResourceHandle");
  CHECK(to_string(static_cast<Errc>(12345)) == "unrecognized error code");
}

}  // namespace
}  // namespace millrace::contract
