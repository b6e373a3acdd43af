// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>

namespace millrace::contract {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
using Bytes = Buffer<char>;

/// Whether `call` blocks while a stream of that kind is busy.
bool blocks_beside(bool blocking, const std::function<void()>& call) {
  const Stream busy(StreamOptions{.blocking = blocking});
  bool answer = false;
  {
    Gate gate{busy};
    answer = blocks(gate, call);
  }
  current_device().synchronize();
  return answer;
}

void check_returns(const std::function<void()>& call) {
  CHECK_FALSE(blocks_beside(false, call));
  CHECK_FALSE(blocks_beside(true, call));
}

/// As the legacy stream orders: blocking streams hold it, non-blocking ones do not.
void check_blocks_beside_blocking(const std::function<void()>& call) {
  CHECK_FALSE(blocks_beside(false, call));
  CHECK(blocks_beside(true, call));
}

void copy_now(const Access& to, const Access& from) {
  default_stream().copy(to, from, {.synchronous = true});
}

TEST_CASE("making and destroying streams, events and memory returns while streams are busy") {
  on_every_backend([] {
    check_returns([] { Stream{}; });
    check_returns([] { Event{EventOptions{.device = device(0)}}; });
    std::optional<Stream> stream{Stream{}};
    check_returns([&] { stream.reset(); });
    std::optional<Event> event{Event{EventOptions{.device = device(0)}}};
    check_returns([&] { event.reset(); });
    std::vector<Bytes> kept;
    check_returns([&] { kept.emplace_back(mib); });
    check_returns([&] { kept.emplace_back(mib, MemoryKind::pinned); });
    check_returns([&] { kept.emplace_back(mib, MemoryKind::managed); });
  });
}

TEST_CASE("queries of other streams and properties return while streams are busy") {
  on_every_backend([] {
    const Stream other;
    check_returns([&] { CHECK(other.query()); });
    check_returns([] { static_cast<void>(current_device().properties()); });
  });
}

TEST_CASE("synchronizing the device waits for streams of every kind") {
  on_every_backend([] {
    CHECK(blocks_beside(false, [] { current_device().synchronize(); }));
    CHECK(blocks_beside(true, [] { current_device().synchronize(); }));
  });
}

TEST_CASE("a plain free waits for the device, where it does what was measured") {
  on_every_backend([] {
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned}) {
      for (const bool blocking : {false, true}) {
        std::optional<Bytes> buffer{Bytes(4 * mib, kind)};
        CHECK(blocks_beside(blocking, [&] { buffer.reset(); }) == world().is_measured());
      }
    }
  });
}

TEST_CASE("synchronous copies with host memory are ordered as the legacy stream is") {
  on_every_backend([] {
    const Bytes on_device(4 * mib);
    const Bytes pinned(4 * mib, MemoryKind::pinned);
    const Bytes pageable(4 * mib, MemoryKind::pageable);
    check_blocks_beside_blocking(
        [&] { copy_now(on_device.range(0, kib), pageable.range(0, kib)); });
    check_blocks_beside_blocking([&] { copy_now(on_device, pageable); });
    check_blocks_beside_blocking([&] { copy_now(on_device, pinned); });
    check_blocks_beside_blocking([&] { copy_now(pinned.range(0, kib), on_device.range(0, kib)); });
    check_blocks_beside_blocking([&] { copy_now(pageable, on_device); });
    check_blocks_beside_blocking([&] { copy_now(pageable, pinned); });
  });
}

TEST_CASE("synchronous copies with managed memory are finished on return") {
  on_every_backend([] {
    const Bytes on_device(64);
    const Bytes managed(64, MemoryKind::managed);
    CHECK(blocks_beside(true, [&] { copy_now(on_device, managed); }));
    CHECK(blocks_beside(true, [&] { copy_now(managed, on_device); }));
  });
}

TEST_CASE("a synchronous copy from device to device returns at once") {
  on_every_backend([] {
    const Bytes to(mib);
    const Bytes from(mib);
    check_returns([&] { copy_now(to, from); });
  });
}

TEST_CASE("a synchronous fill returns at once on device memory, finished on pinned and managed") {
  on_every_backend([] {
    const auto fill_now = [](const Bytes& buffer) {
      default_stream().fill(buffer, 0, {.synchronous = true});
    };
    const Bytes on_device(mib);
    const Bytes pinned(64, MemoryKind::pinned);
    const Bytes managed(64, MemoryKind::managed);
    check_returns([&] { fill_now(on_device); });
    CHECK(blocks_beside(true, [&] { fill_now(pinned); }));
    CHECK(blocks_beside(true, [&] { fill_now(managed); }));
  });
}

/// Whether `enqueue` blocks while its own stream is busy.
bool blocks_on_busy(const std::function<void(const Stream&)>& enqueue) {
  const Stream stream;
  bool answer = false;
  {
    Gate gate{stream};
    answer = blocks(gate, [&] { enqueue(stream); });
  }
  stream.synchronize();
  return answer;
}

bool copy_blocks(const Access& to, const Access& from) {
  return blocks_on_busy([&](const Stream& stream) { stream.copy(to, from); });
}

TEST_CASE("asynchronous copies with pinned or device memory return at once") {
  on_every_backend([] {
    const Bytes on_device(4 * mib);
    const Bytes also_on_device(4 * mib);
    const Bytes pinned(4 * mib, MemoryKind::pinned);
    CHECK_FALSE(copy_blocks(on_device, pinned));
    CHECK_FALSE(copy_blocks(pinned, on_device));
    CHECK_FALSE(copy_blocks(on_device, also_on_device));
    CHECK_FALSE(copy_blocks(on_device.range(0, 0), pinned.range(0, 0)));
  });
}

TEST_CASE("asynchronous copies from pageable memory of up to 2 MiB return at once") {
  on_every_backend([] {
    const Bytes on_device(4 * mib);
    const Bytes pageable(4 * mib, MemoryKind::pageable);
    for (const std::size_t bytes :
         {kib, 64 * kib, 64 * kib + 1, 128 * kib, 512 * kib, mib, 2 * mib}) {
      CAPTURE(bytes);
      CHECK_FALSE(copy_blocks(on_device.range(0, bytes), pageable.range(0, bytes)));
    }
    CHECK_FALSE(copy_blocks(on_device.tile(0, 32, 64, 16), pageable.tile(0, 32, 64, 16)));
  });
}

TEST_CASE("other asynchronous copies with pageable memory block, where they do what was measured") {
  on_every_backend([] {
    const Bytes on_device(4 * mib);
    const Bytes pageable(4 * mib, MemoryKind::pageable);
    const bool measured = world().is_measured();
    CHECK(copy_blocks(on_device, pageable) == measured);
    CHECK(copy_blocks(pageable.range(0, 4), on_device.range(0, 4)) == measured);
    CHECK(copy_blocks(pageable, on_device) == measured);
  });
}

TEST_CASE("asynchronous copies from host to host block until they are done") {
  on_every_backend([] {
    const Bytes pageable(mib, MemoryKind::pageable);
    const Bytes pinned(mib, MemoryKind::pinned);
    CHECK(copy_blocks(pageable, pinned));
  });
}

TEST_CASE("asynchronous fills, launches, records, waits and host functions return at once") {
  on_every_backend([] {
    const Bytes on_device(mib);
    const Bytes pinned(mib, MemoryKind::pinned);
    CHECK_FALSE(blocks_on_busy([&](const Stream& stream) { stream.fill(on_device, 0); }));
    CHECK_FALSE(blocks_on_busy([&](const Stream& stream) { stream.fill(pinned, 0); }));
    CHECK_FALSE(blocks_on_busy([&](const Stream& stream) { stream.launch("k"); }));
    CHECK_FALSE(blocks_on_busy([&](const Stream& stream) { stream.call("f", [] {}); }));
    CHECK_FALSE(
        blocks_on_busy([&](const Stream& stream) { Stream{}.wait_event(stream.record_event()); }));
  });
}

TEST_CASE("records never wait for room, however many are pending") {
  on_every_backend([] {
    Event event;
    CHECK_FALSE(blocks_on_busy([&](const Stream& stream) {
      for (int i = 0; i < 20'000; ++i) event.record(stream);
    }));
  });
}

}  // namespace
}  // namespace millrace::contract
