// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace millrace::contract {
namespace {

TEST_CASE("more memory than there is is MemoryAllocation, which becomes the last error") {
  on_every_backend([] {
    CHECK(code_of([] { Buffer<char>(std::size_t{1} << 50); }) == Errc::MemoryAllocation);
    CHECK(last_error() == Errc::MemoryAllocation);
    CHECK(last_error() == Errc::Success);
  });
}

TEST_CASE("a buffer of nothing is legal and touches nothing") {
  on_every_backend([] {
    const Buffer<int> empty(0);
    const Buffer<int> also(0, MemoryKind::pinned);
    CHECK(empty.size() == 0);
    Stream{}.copy(empty, also);
    Stream{}.launch("k", {.writes = {empty}});
    current_device().synchronize();
  });
}

TEST_CASE("the host reads and writes pinned, pageable and managed memory, not a device's") {
  on_every_backend([] {
    for (const MemoryKind kind : {MemoryKind::pinned, MemoryKind::pageable, MemoryKind::managed}) {
      const Buffer<int> buffer(16, kind);
      std::fill(buffer.write().begin(), buffer.write().end(), 3);
      CHECK(buffer.read()[15] == 3);
      CHECK(buffer.kind() == kind);
    }
    const Buffer<int> on_device(16);
    CHECK(code_of([&] { static_cast<void>(on_device.read()); }) == Errc::InvalidValue);
    CHECK(code_of([&] { static_cast<void>(on_device.write()); }) == Errc::InvalidValue);
  });
}

TEST_CASE("a buffer stays on its device whatever is current") {
  on_every_backend(2, [] {
    const Buffer<int> buffer(16, MemoryKind::device, device(1));
    const DeviceGuard guard{device(0)};
    CHECK(buffer.device() == device(1));
    CHECK(Buffer<int>(4).device() == device(0));
  });
}

TEST_CASE("two buffers that live at the same time are two") {
  on_every_backend([] {
    const Buffer<int> a(16);
    const Buffer<int> b(16);
    CHECK(a.handle() != b.handle());
  });
}

TEST_CASE("a block of a pool that is freed at once may be given to any stream") {
  on_every_backend([] {
    const MemoryPool pool({.device = device(0),
                           .settings = {.reuse = {false, false, false},
                                        .release_threshold = std::uint64_t{1} << 30}});
    const Stream stream({.device = device(0)});
    const Stream other({.device = device(0)});
    const Buffer<char> data(std::size_t{4} << 20, {.stream = stream, .pool = pool});
    stream.synchronize();
    data.free();
    CHECK(pool.stats().used_bytes == 0);
    const Buffer<char> next(std::size_t{4} << 20, {.stream = other, .pool = pool});
    CHECK(next.address() == data.address());
  });
}

TEST_CASE(
    "a device's current pool is its default one until another is set, and after that is gone") {
  on_every_backend(2, [] {
    const MemoryPool standard = default_memory_pool(device(1));
    const Stream stream({.device = device(1)});
    CHECK(current_memory_pool(device(1)) == standard);
    {
      const MemoryPool pool({.device = device(1), .name = "scratch"}, {"app.cpp", 12, 0});
      set_memory_pool(pool);
      CHECK(current_memory_pool(device(1)) == pool);
      CHECK(current_memory_pool(device(1)).mention() == "pool 'scratch' (made at app.cpp:12)");
      CHECK(current_memory_pool() == default_memory_pool());  // device 0 has its own
      const Buffer<char> data(64, {.stream = stream});
      CHECK(pool.stats().used_bytes == 64);
      CHECK(standard.stats().used_bytes == 0);
      set_memory_pool(standard);
      CHECK(current_memory_pool(device(1)) == standard);
      set_memory_pool(pool);
    }
    CHECK(current_memory_pool(device(1)) == standard);
    const Buffer<char> data(64, {.stream = stream});
    CHECK(standard.stats().used_bytes == 64);
    CHECK(default_memory_pool().mention() == "pool 'default'");
  });
}

TEST_CASE("a pool that a device reset took says so, and the device has a new default one") {
  on_every_backend([] {
    const MemoryPool pool({.device = device(0), .name = "scratch"});
    set_memory_pool(pool);
    const MemoryPool old = default_memory_pool();
    device(0).reset();
    CHECK(code_of([&] { set_memory_pool(pool); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { static_cast<void>(old.stats()); }) == Errc::InvalidResourceHandle);
    CHECK(message_of([&] { static_cast<void>(pool.stats()); }).find("'scratch'") !=
          std::string::npos);
    CHECK_FALSE(default_memory_pool() == old);
    CHECK(current_memory_pool() == default_memory_pool());
  });
}

TEST_CASE("buffers in a stream's order refuse what does not fit together") {
  on_every_backend([] {
    const Stream stream({.device = device(0)});
    const MemoryPool pool({.device = device(0), .name = "scratch"});
    const auto make = [](const BufferOptions& options) {
      return message_of([&] { Buffer<char>(64, options); });
    };
    const auto says = [](const std::string& message, std::string_view part) {
      return message.starts_with("Buffer: InvalidValue: ") &&
             message.find(part) != std::string::npos;
    };
    CHECK(says(make({.pool = pool}), "names a pool and no stream"));
    CHECK(says(make({.kind = MemoryKind::pinned, .stream = stream}), "only memory of a device"));
    const Buffer<char> data(64, {.stream = stream, .pool = pool, .name = "data"});
    data.free(stream);
    const std::string again = message_of([&] { data.free(stream); });
    CHECK(again.find("'data'") != std::string::npos);
    CHECK(again.find("is already freed, at ") != std::string::npos);
  });
}

}  // namespace
}  // namespace millrace::contract
