// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <unordered_set>

namespace millrace::contract {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("default streams of two devices differ, though their handles are the same") {
  on_every_backend(2, [] {
    const Stream first = default_stream(device(0));
    const Stream second = default_stream(device(1));
    CHECK(first.native_handle() == second.native_handle());
    CHECK_FALSE(first == second);
    CHECK(std::unordered_set<Stream>{first, second, first}.size() == 2);
    CHECK(current_stream(device(1)) == second);
    CHECK(second.device() == device(1));
  });
}

TEST_CASE("streams answer whatever device is current") {
  on_every_backend(2, [] {
    const Stream here{device(0)};
    const Stream there{device(1)};
    Gate gate{there};
    for (int index : {0, 1}) {
      const DeviceGuard guard{device(index)};
      CHECK(here.query());
      CHECK_FALSE(there.query());
    }
    gate.open();
    for (int index : {0, 1}) {
      const DeviceGuard guard{device(index)};
      there.synchronize();
      CHECK(there.query());
    }
  });
}

TEST_CASE("events answer whatever device is current") {
  on_every_backend(2, [] {
    const Stream there{device(1)};
    there.launch("spin", {.cost = 1ms});
    const Event event = there.record_event();
    const DeviceGuard guard{device(0)};
    CHECK_FALSE(event.query());
    event.synchronize();
    CHECK(event.query());
    CHECK(there.query());
  });
}

TEST_CASE("an event's device is that of its first record") {
  on_every_backend(2, [] {
    Event event;
    CHECK_FALSE(event.device());
    event.record(Stream{device(1)});
    CHECK(event.device() == device(1));
    CHECK(Stream{device(0)}.record_event().device() == device(0));
  });
}

TEST_CASE("a record on another device is an error that names both") {
  on_every_backend(2, [] {
    const Stream here(StreamOptions{.device = device(0), .name = "here"});
    const Stream there(StreamOptions{.device = device(1), .name = "there"}, {"app.cpp", 9, 0});
    Event first(EventOptions{.name = "done"}, {"app.cpp", 12, 0});
    first.record(here);
    CHECK(code_of([&] { first.record(there); }) == Errc::InvalidResourceHandle);
    const std::string message = message_of([&] { first.record(there); });
    for (const char* part : {"'done' (made at app.cpp:12)", "'there' (made at app.cpp:9)"}) {
      CHECK_THAT(message, ContainsSubstring(part));
    }
    Event second(EventOptions{.device = device(0)});
    CHECK(code_of([&] { second.record(there); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { there.record_event(second); }) == Errc::InvalidResourceHandle);
  });
}

TEST_CASE("a stream can wait for an event of another device") {
  on_every_backend(2, [] {
    const Stream here{device(0)};
    const Stream there{device(1)};
    here.launch("spin", {.cost = 5ms});
    const Event event = here.record_event();
    CHECK_FALSE(event.query());
    there.wait_event(event);
    there.synchronize();
    CHECK(event.query());
    CHECK(here.query());
  });
}

TEST_CASE("a stream can wait for a stream of another device") {
  on_every_backend(2, [] {
    const Stream here{device(0)};
    const Stream there{device(1)};
    const Gate gate{here};
    there.wait_stream(here);
    settle();
    CHECK_FALSE(there.query());
  });
}

TEST_CASE("a stream that waits for one of another device waits for what it has so far") {
  on_every_backend(2, [] {
    const Stream here{device(0)};
    const Stream there{device(1)};
    Gate now{here};
    there.wait_stream(here);
    const Event waited = there.record_event();
    now.open();
    const Gate later{here};
    waited.synchronize();
    CHECK_FALSE(here.query());
  });
}

TEST_CASE("per-thread default streams of two devices differ, and each joins its own legacy one") {
  on_every_backend(2, [] {
    const Stream here = per_thread_stream(device(0));
    const Stream there = per_thread_stream(device(1));
    CHECK_FALSE(here == there);
    const Gate gate{default_stream(device(0))};
    here.launch("held");
    there.launch("free");
    there.synchronize();
    CHECK_FALSE(here.query());
  });
}

/// Something goes from device 0 to device 1 and is read there.
std::vector<Finding> copied_to_peer(World& in, bool waits) {
  return in.run(2, [waits] {
    const Stream here{device(0)};
    const Stream there{device(1)};
    const Buffer<int> source(16, MemoryKind::device, device(0));
    const Buffer<int> target(16, MemoryKind::device, device(1));
    const Buffer<int> result(16, MemoryKind::pinned, device(1));
    here.fill(source, 7);
    here.copy(target, source);
    if (waits) there.wait_event(here.record_event());
    there.copy(result, target);
    there.synchronize();
    if (waits) CHECK(result.read()[15] == 0x07070707);
    here.synchronize();
  });
}

TEST_CASE("a copy to another device is work of its stream, for which the other device waits") {
  in_every_world([] {
    if (world().device_count() < 2) return;
    CHECK(copied_to_peer(world(), true).empty());
    const std::vector<Finding> unordered = copied_to_peer(world(), false);
    REQUIRE(unordered.size() == 1);
    CHECK(unordered.front().kind == FindingKind::race);
  });
}

TEST_CASE("buffers in a stream's order are on the stream's device, or on their pool's") {
  on_every_backend(2, [] {
    const DeviceGuard guard{device(1)};
    const Stream here{device(0)};
    CHECK(Buffer<char>(64, {.stream = here}).device() == device(0));
    const MemoryPool there({.device = device(1)});
    const Buffer<char> data(64, {.stream = here, .pool = there});
    CHECK(data.device() == device(1));
    CHECK(there.stats().used_bytes == 64);
    CHECK(default_memory_pool(device(0)).stats().used_bytes == 0);
    CHECK_FALSE(default_memory_pool(device(0)) == default_memory_pool(device(1)));
    CHECK(code_of([&] {
            Buffer<char>(64, {.device = device(0), .stream = here, .pool = there});
          }) == Errc::InvalidValue);
  });
}

TEST_CASE("an event assigned from another takes its device") {
  on_every_backend(2, [] {
    Event first = Stream{device(0)}.record_event();
    Event second = Stream{device(1)}.record_event();
    second = std::move(first);
    CHECK(second.device() == device(0));
    second.record(Stream{device(0)});
  });
}

TEST_CASE("priorities are the device's own, on every device") {
  on_every_backend(2, [] {
    for (int index : {0, 1}) {
      const DeviceProperties range = device(index).properties();
      for (const int priority : {range.least_priority, range.greatest_priority}) {
        const Stream stream(StreamOptions{.device = device(index), .priority = priority});
        CHECK(stream.priority() == priority);
        CHECK(stream.device() == device(index));
      }
    }
  });
}

TEST_CASE("an external stream of another device keeps handle and device") {
  on_every_backend(2, [] {
    const Stream there{device(1)};
    const ExternalStream external(there.native_handle(), device(1));
    CHECK(external == there);
    CHECK(ExternalStream(nullptr, device(1)) == default_stream(device(1)));
    CHECK_FALSE(ExternalStream(nullptr, device(1)) == default_stream(device(0)));
  });
}

}  // namespace
}  // namespace millrace::contract
