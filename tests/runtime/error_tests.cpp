// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <thread>

namespace millrace {
namespace {

TEST_CASE("an error says what was called, its code, why, and where") {
  const Error error(Errc::InvalidResourceHandle, "Event::record", "event 'done' is gone",
                    {"app.cpp", 31, 0});
  CHECK(std::string(error.what()) ==
        "Event::record: InvalidResourceHandle: event 'done' is gone (app.cpp:31)");
  CHECK(error.code() == Errc::InvalidResourceHandle);
  CHECK(error.call() == "Event::record");
  CHECK(error.where().line == 31);
}

TEST_CASE("codes have CUDA's names and numbers") {
  CHECK(static_cast<int>(Errc::NotReady) == 600);
  CHECK(to_string(Errc::IllegalAddress) == "IllegalAddress");
  CHECK(errc_from_name("StreamCaptureUnjoined") == Errc::StreamCaptureUnjoined);
  CHECK_FALSE(errc_from_name("cudaErrorNotReady"));
  CHECK(to_string(static_cast<Errc>(12345)) == "unrecognized error code");
}

TEST_CASE("reading the last error clears it, peeking does not") {
  const test::FakeRun run;
  const Error error(Errc::InvalidDevice, "f", "why", {});
  CHECK(peek_last_error() == Errc::InvalidDevice);
  CHECK(last_error() == Errc::InvalidDevice);
  CHECK(last_error() == Errc::Success);
}

TEST_CASE("NotReady never becomes the last error") {
  const test::FakeRun run;
  const Error first(Errc::InvalidValue, "f", "why", {});
  const Error second(Errc::NotReady, "f", "why", {});
  CHECK(last_error() == Errc::InvalidValue);
}

TEST_CASE("the last error is the thread's own") {
  const test::FakeRun run;
  const Error error(Errc::InvalidDevice, "f", "why", {});
  Errc elsewhere = Errc::Unknown;
  std::thread([&] { elsewhere = peek_last_error(); }).join();
  CHECK(elsewhere == Errc::Success);
  CHECK(last_error() == Errc::InvalidDevice);
}

}  // namespace
}  // namespace millrace
