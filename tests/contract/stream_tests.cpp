// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <optional>
#include <set>
#include <sstream>
#include <unordered_set>
#include <utility>

namespace millrace::contract {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

TEST_CASE("a stream is ready when idle, not ready when busy, and asking changes nothing") {
  on_every_backend([] {
    const Stream stream;
    CHECK(stream.query());
    Gate gate{stream};
    CHECK_FALSE(stream.query());
    gate.open();
    stream.device().synchronize();
    CHECK(stream.query());
  });
}

TEST_CASE("the default stream is ready after it was synchronized") {
  on_every_backend([] {
    const Stream stream = default_stream();
    stream.launch("k");
    stream.synchronize();
    CHECK(stream.query());
  });
}

TEST_CASE("every stream is a new one, and none is the default stream") {
  on_every_backend([] {
    std::unordered_set<Stream> seen{default_stream(), per_thread_stream()};
    std::vector<Stream> kept;
    std::set<void*> handles;
    for (int i = 0; i < 40; ++i) {
      kept.emplace_back();
      seen.insert(kept.back());
      handles.insert(kept.back().native_handle());
    }
    CHECK(seen.size() == 42);
    CHECK(handles.size() == 40);
    CHECK(handles.count(nullptr) == 0);
  });
}

TEST_CASE("the handle of the default stream is 0") {
  on_every_backend([] { CHECK(default_stream().native_handle() == nullptr); });
}

TEST_CASE("priorities are clamped to the device's range, 0 to -5 on an H200") {
  on_every_backend([] {
    const DeviceProperties range = current_device().properties();
    CHECK(range.least_priority == 0);
    CHECK(range.greatest_priority == -5);
    const auto made = [](int priority) {
      return Stream{StreamOptions{.priority = priority}}.priority();
    };
    CHECK(Stream{}.priority() == 0);
    CHECK(made(-1) == -1);
    CHECK(made(-5) == -5);
    CHECK(made(-100) == -5);
    CHECK(made(1) == 0);
  });
}

TEST_CASE("default streams have priority 0") {
  on_every_backend([] {
    CHECK(default_stream().priority() == 0);
    CHECK(per_thread_stream().priority() == 0);
  });
}

TEST_CASE("a stream is on the current device unless another is named") {
  on_every_backend(2, [] {
    CHECK(Stream{}.device() == device(0));
    set_device(device(1));
    CHECK(Stream{}.device() == device(1));
    CHECK(Stream{device(0)}.device() == device(0));
    CHECK(Stream{StreamOptions{.device = device(1), .priority = -1}}.device() == device(1));
  });
}

TEST_CASE("no stream is capturing outside a capture") {
  on_every_backend([] {
    CHECK_FALSE(Stream{}.is_capturing());
    CHECK_FALSE(default_stream().is_capturing());
  });
}

TEST_CASE("copies and moves keep device and handle after the source is gone") {
  on_every_backend([] {
    std::optional<Stream> source{Stream{}};
    const Stream copy = *source;
    const Stream moved = std::move(*source);
    source.reset();
    CHECK(copy == moved);
    CHECK(copy.device() == device(0));
    copy.launch("k");
    copy.synchronize();
    CHECK(moved.query());
  });
}

TEST_CASE("destroying a stream returns at once and its work completes") {
  on_every_backend([] {
    std::optional<Stream> stream{Stream{}};
    Gate gate{*stream};
    const Event event = stream->record_event();
    CHECK_FALSE(blocks(gate, [&] { stream.reset(); }));
    event.synchronize();
    CHECK(event.query());
  });
}

TEST_CASE("an external stream is the stream that it wraps, whose handle and device it keeps") {
  on_every_backend([] {
    const Stream stream;
    const ExternalStream external(stream.native_handle(), stream.device());
    CHECK(external == stream);
    CHECK(external.native_handle() == stream.native_handle());
    CHECK(external.device() == stream.device());
    CHECK(external.priority() == stream.priority());
    CHECK(external.query());
    const Gate gate{external};
    CHECK_FALSE(stream.query());
  });
}

TEST_CASE("external handles 0 and 1 are the default stream, 2 the thread's own") {
  on_every_backend([] {
    const auto wrap = [](std::uintptr_t value) {
      return ExternalStream(reinterpret_cast<void*>(value), device(0));  // NOLINT
    };
    CHECK(wrap(0) == default_stream());
    CHECK(wrap(1) == default_stream());
    CHECK(wrap(2) == per_thread_stream());
    CHECK(wrap(0).query());
  });
}

TEST_CASE("a stream prints its name, device and handle") {
  on_every_backend([] {
    std::ostringstream text;
    text << Stream{StreamOptions{.name = "upload"}} << default_stream();
    CHECK_THAT(text.str(), StartsWith("<Stream 'upload' device="));
    CHECK_THAT(text.str(), ContainsSubstring(device(0).to_string() + " handle=0x0>"));
  });
}

TEST_CASE("a pool hands out 32 streams of each priority in turn") {
  on_every_backend([] {
    StreamPool pool;
    std::vector<Stream> streams;
    std::unordered_set<Stream> urgent;
    for (int i = 0; i < 40; ++i) streams.push_back(pool.get());
    for (int i = 0; i < 40; ++i) urgent.insert(pool.get(-1));
    CHECK(std::unordered_set<Stream>(streams.begin(), streams.end()).size() == 32);
    CHECK(streams[0] == streams[32]);
    CHECK(urgent.size() == 32);
  });
}

TEST_CASE("work of one stream runs first in, first out, that of two need not") {
  on_every_backend([] {
    const Stream first;
    const Stream second;
    std::string order;
    first.launch("a", {.cost = 30us}, [&] { order += 'a'; });
    first.launch("b", {.cost = 10us}, [&] { order += 'b'; });
    second.launch("c", {.cost = 20us}, [&] { order += 'c'; });
    current_device().synchronize();
    CHECK(order.find('a') < order.find('b'));
    CHECK(order.size() == 3);
  });
}

TEST_CASE("a launch of an impossible shape is InvalidValue and nothing is enqueued") {
  on_every_backend([] {
    const Stream stream;
    bool ran = false;
    const auto launch = [&](Dim3 grid, Dim3 block, std::uint32_t shared) {
      return code_of([&] {
        const LaunchOptions options{.grid = grid, .block = block, .shared_bytes = shared};
        stream.launch("k", options, [&] { ran = true; });
      });
    };
    CHECK(launch(0, 32, 0) == Errc::InvalidValue);
    CHECK(launch(1, 0, 0) == Errc::InvalidValue);
    CHECK(launch(1, 2048, 0) == Errc::InvalidValue);
    CHECK(launch({1, 65536}, 32, 0) == Errc::InvalidValue);
    CHECK(launch(1, 32, 232449) == Errc::InvalidValue);
    stream.synchronize();
    CHECK_FALSE(ran);
    CHECK(launch({1, 65535}, 1024, 232448) == Errc::Success);
    stream.synchronize();
  });
}

TEST_CASE("stream.synchronize waits for what was enqueued before it, on that stream only") {
  on_every_backend([] {
    const Stream busy;
    const Stream other;
    bool ran = false;
    Gate gate{busy};
    other.launch("k", {}, [&] { ran = true; });
    other.synchronize();
    CHECK(ran);
    CHECK_FALSE(busy.query());
    CHECK(blocks(gate, [&] { busy.synchronize(); }));
  });
}

}  // namespace
}  // namespace millrace::contract
