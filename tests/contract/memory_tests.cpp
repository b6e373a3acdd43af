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

}  // namespace
}  // namespace millrace::contract
