// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/stream.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <optional>
#include <sstream>

namespace millrace {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using test::FakeRun;

std::string text_of(const Stream& stream) {
  std::ostringstream text;
  text << stream;
  return text.str();
}

TEST_CASE("a stream is made as described, at the place that its errors will name") {
  const FakeRun run(2);
  const Stream plain;
  CHECK(run->last().what == "create_stream");
  CHECK(run->last().line == __LINE__ - 2);
  CHECK_FALSE(run->streams.at(plain.handle()).blocking);
  const Stream stream(StreamOptions{
      .device = Device{"fake:1"}, .priority = -9, .blocking = true, .name = "upload"});
  const StreamDescription& description = run->streams.at(stream.handle());
  CHECK(description.device == 1);
  CHECK(description.priority == -9);
  CHECK(description.blocking);
  CHECK(description.name == Name("upload"));
  CHECK(stream.device() == Device{"fake:1"});
  CHECK(stream.priority() == -5);
}

TEST_CASE("each stream is a new one; copies are the same and the last one destroys it") {
  const FakeRun run;
  std::optional<Stream> stream{Stream{}};
  const Stream other;
  CHECK_FALSE(*stream == other);
  std::optional<Stream> copy = stream;
  CHECK(*copy == *stream);
  CHECK(std::hash<Stream>{}(*copy) == std::hash<Stream>{}(*stream));
  const Handle handle = stream->handle();
  stream.reset();
  CHECK(copy->handle() == handle);
  CHECK(run->count("destroy_stream") == 0);
  copy.reset();
  CHECK(run->last().what == "destroy_stream");
  CHECK(run->last().object == handle);
  CHECK(run->last().public_call == "~Stream");
}

TEST_CASE("a moved-from stream is still the stream") {
  const FakeRun run;
  Stream stream;
  const Stream moved = std::move(stream);  // NOLINT(performance-move-const-arg)
  CHECK(stream == moved);                  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("default streams are never destroyed and differ between devices") {
  const FakeRun run(2);
  {
    const Stream first = default_stream("fake:0");
    const Stream second = default_stream("fake:1");
    CHECK_FALSE(first == second);
    CHECK(first == default_stream());
    CHECK_FALSE(per_thread_stream() == first);
    CHECK(first.native_handle() == nullptr);
  }
  CHECK(run->count("destroy_stream") == 0);
}

TEST_CASE("an external stream is the stream that it wraps and owns nothing") {
  const FakeRun run(2);
  const Stream stream{"fake:1"};
  {
    const ExternalStream external(stream.native_handle(), "fake:1");
    CHECK(external == stream);
    CHECK(external.device() == stream.device());
  }
  CHECK(run->count("destroy_stream") == 0);
  CHECK(ExternalStream(nullptr, "fake:1") == default_stream("fake:1"));
  CHECK(ExternalStream(reinterpret_cast<void*>(2), "fake:0") == per_thread_stream("fake:0"));
  CHECK_THROWS_AS(ExternalStream(reinterpret_cast<void*>(77), "fake:0"), Error);
}

TEST_CASE("setting a stream sets its device, and nothing else of the other devices") {
  const FakeRun run(3);
  const Stream on_1{"fake:1"};
  const Stream on_2{"fake:2"};
  set_stream(on_1);
  set_stream(on_2);
  CHECK(current_device() == Device{"fake:2"});
  CHECK(current_stream() == on_2);
  CHECK(current_stream("fake:1") == on_1);
  CHECK(current_stream("fake:0") == default_stream("fake:0"));
  set_stream(current_stream("fake:1"));
  CHECK(current_device() == Device{"fake:1"});
}

TEST_CASE("a current stream lives as long as it is current") {
  const FakeRun run;
  set_stream(Stream{});
  CHECK(run->streams.size() == 1);
  set_stream(default_stream());
  CHECK(run->streams.empty());
}

TEST_CASE("each call reaches the backend with its name and place") {
  const FakeRun run;
  const Stream stream;
  const Access region{1, 0, 8};
  int ran = 0;
  stream.launch("k", {}, [&] { ++ran; });
  CHECK(run->last().public_call == "Stream::launch");
  CHECK(run->last().line == __LINE__ - 2);
  stream.call("f", [&] { ++ran; });
  CHECK(run->last().public_call == "Stream::call");
  CHECK(run->last().line == __LINE__ - 2);
  stream.copy(region, region);
  CHECK(run->last().public_call == "Stream::copy");
  stream.fill(region, 0);
  CHECK(run->last().public_call == "Stream::fill");
  stream.synchronize();
  CHECK(run->last().public_call == "Stream::synchronize");
  CHECK_FALSE(stream.is_capturing());
  CHECK(ran == 2);
}

TEST_CASE("a stream prints its name, device and native handle") {
  const FakeRun run;
  const Stream stream(StreamOptions{.name = "upload"});
  CHECK(text_of(stream) == "<Stream 'upload' device=fake:0 handle=0xa>");
  CHECK(run->last().silent);
  CHECK(text_of(default_stream()) == "<Stream device=fake:0 handle=0x0>");
}

TEST_CASE("a stream that outlives its run says so when used and goes in silence") {
  const auto leftover = [] {
    const FakeRun run;
    Stream stream;
    run->gone = true;
    return stream;
  };
  {
    const Stream stream = leftover();
    CHECK_THROWS_MATCHES(
        stream.launch("k"), Error,
        MessageMatches(ContainsSubstring("Stream::launch: InvalidResourceHandle")));
    last_error();
    CHECK(text_of(stream) == "<Stream device=fake:0 handle=gone>");
  }
  CHECK(last_error() == Errc::Success);
}

}  // namespace
}  // namespace millrace
