// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <optional>

namespace millrace::contract {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a destroyed stream used through another's wrapper is an error that tells both places") {
  check_on_every_backend(
      [] {
        std::optional<Stream> owner{Stream(StreamOptions{.name = "upload"}, {"app.cpp", 5, 0})};
        const ExternalStream wrapper(owner->native_handle(), device(0));
        owner.reset();
        const std::string message = message_of([&] { wrapper.synchronize(); });
        CHECK_THAT(message, ContainsSubstring("Stream::synchronize: InvalidResourceHandle: "));
        CHECK_THAT(message, ContainsSubstring("'upload' (made at app.cpp:5)"));
      },
      [](const std::vector<Finding>& findings) {
        REQUIRE(findings.size() == 1);
        CHECK(findings.front().kind == FindingKind::use_after_destroy);
        CHECK(findings.front().object == "upload");
      });
}

TEST_CASE("what outlives its run answers InvalidResourceHandle, and goes in silence") {
  for (World* const in : worlds()) {
    std::optional<Stream> stream;
    std::optional<Event> event;
    std::optional<Buffer<int>> buffer;
    in->run(1, [&] {
      stream.emplace();
      event = stream->record_event();
      buffer.emplace(4, MemoryKind::pinned);
    });
    last_error();
    CHECK(code_of([&] { stream->launch("k"); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { static_cast<void>(stream->query()); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { stream->synchronize(); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { static_cast<void>(event->query()); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { event->synchronize(); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { static_cast<void>(buffer->read()); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { Stream{stream->device()}; }) == Errc::InvalidResourceHandle);
    CHECK_THAT(message_of([&] { stream->launch("k"); }), ContainsSubstring("run"));
    last_error();
    stream.reset();
    event.reset();
    buffer.reset();
    CHECK(last_error() == Errc::Success);
  }
}

TEST_CASE("streams and events of one run are not those of the next") {
  for (World* const in : worlds()) {
    std::optional<Stream> stream;
    std::optional<Event> event;
    in->run(1, [&] {
      stream.emplace();
      event = stream->record_event();
    });
    in->run(1, [&] {
      const Stream fresh;
      CHECK_FALSE(fresh == *stream);
      CHECK(code_of([&] { fresh.wait_event(*event); }) == Errc::InvalidResourceHandle);
      CHECK(code_of([&] { fresh.wait_stream(*stream); }) == Errc::InvalidResourceHandle);
      fresh.synchronize();
    });
  }
}

TEST_CASE("a stream kept current by its thread ends with the run") {
  on_every_backend([] { set_stream(Stream{}); });
  CHECK(last_error() == Errc::Success);
}

}  // namespace
}  // namespace millrace::contract
