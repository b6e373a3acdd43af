// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <numeric>

namespace millrace::contract {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("copies up and down and fills move the bytes") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<int> up(100, MemoryKind::pinned);
    const Buffer<int> on_device(100);
    const Buffer<int> other(100);
    const Buffer<int> down(100, MemoryKind::pageable);
    std::iota(up.write().begin(), up.write().end(), 0);
    stream.copy(on_device, up);
    stream.fill(on_device.range(10, 5), 0xff);
    stream.copy(other, on_device);
    stream.copy(down, other);
    stream.synchronize();
    const auto result = down.read();
    CHECK(result[9] == 9);
    CHECK(result[10] == -1);
    CHECK(result[14] == -1);
    CHECK(result[15] == 15);
    CHECK(result[99] == 99);
  });
}

TEST_CASE("a copy in two dimensions moves the rows only") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<char> from(40, MemoryKind::pinned);
    const Buffer<char> to(40, MemoryKind::pinned);
    std::fill(from.write().begin(), from.write().end(), 'x');
    std::fill(to.write().begin(), to.write().end(), '.');
    stream.copy(to.tile(1, 3, 10, 2), from.tile(0, 3, 20, 2));
    stream.synchronize();
    const auto text = to.read();
    CHECK(std::string(text.begin(), text.end()) == ".xxx.......xxx..........................");
  });
}

TEST_CASE("kernels see what copies brought, and copies what kernels made") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<int> host(8, MemoryKind::pinned);
    const Buffer<int> on_device(8, MemoryKind::managed);
    std::fill(host.write().begin(), host.write().end(), 20);
    stream.copy(on_device, host);
    stream.launch("add", {.updates = {on_device}}, [&] {
      for (int& value : on_device.view()) value += 1;
    });
    stream.copy(host, on_device);
    stream.synchronize();
    CHECK(host.read()[7] == 21);
  });
}

TEST_CASE("the source of a copy from pageable memory is read at the call") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<int> source(4, MemoryKind::pageable);
    const Buffer<int> on_device(4);
    const Buffer<int> result(4, MemoryKind::pinned);
    std::fill(source.write().begin(), source.write().end(), 1);
    Gate gate{stream};
    stream.call("rewrite", [&] { source.view()[0] = 2; });
    stream.copy(on_device, source);
    stream.copy(result, on_device);
    gate.open();
    stream.synchronize();
    CHECK(result.read()[0] == 1);
  });
}

TEST_CASE("the source of a copy from pinned memory is read in stream order") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<int> source(4, MemoryKind::pinned);
    const Buffer<int> on_device(4);
    const Buffer<int> result(4, MemoryKind::pinned);
    std::fill(source.write().begin(), source.write().end(), 1);
    Gate gate{stream};
    stream.call("rewrite", {.writes = {source}}, [&] { source.view()[0] = 2; });
    stream.copy(on_device, source);
    stream.copy(result, on_device);
    gate.open();
    stream.synchronize();
    CHECK(result.read()[0] == 2);
  });
}

TEST_CASE("a copy beyond a buffer is InvalidValue and nothing is enqueued") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<char> small(1024);
    const Buffer<char> large(1 << 20, MemoryKind::pageable);
    CHECK(code_of([&] { stream.copy(small.range(0, 1 << 20), large); }) == Errc::InvalidValue);
    CHECK(code_of([&] { stream.fill(small.range(0, 1025), 0); }) == Errc::InvalidValue);
    CHECK(stream.query());
    stream.synchronize();
  });
}

TEST_CASE("a copy of no memory is InvalidValue, which stays the last error until it is read") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<char> host(16, MemoryKind::pageable);
    CHECK(code_of([&] { stream.copy(Access{0, 0, 16}, host); }) == Errc::InvalidValue);
    CHECK(peek_last_error() == Errc::InvalidValue);
    CHECK(last_error() == Errc::InvalidValue);
    CHECK(last_error() == Errc::Success);
    stream.synchronize();
  });
}

TEST_CASE("a copy between regions of two sizes is InvalidValue") {
  on_every_backend([] {
    const Buffer<char> a(64);
    const Buffer<char> b(64);
    CHECK(code_of([&] { Stream{}.copy(a, b.range(0, 32)); }) == Errc::InvalidValue);
  });
}

TEST_CASE("a fill of pageable memory is InvalidValue") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<char> host(64, MemoryKind::pageable);
    CHECK(code_of([&] { stream.fill(host, 0); }) == Errc::InvalidValue);
    stream.synchronize();
  });
}

TEST_CASE("synchronous forms are for default streams") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<char> a(64);
    const Buffer<char> b(64, MemoryKind::pinned);
    CHECK(code_of([&] { stream.copy(a, b, {.synchronous = true}); }) == Errc::InvalidValue);
    CHECK(code_of([&] { stream.fill(a, 0, {.synchronous = true}); }) == Errc::InvalidValue);
    CHECK(code_of([&] { per_thread_stream().copy(a, b, {.synchronous = true}); }) == Errc::Success);
  });
}

TEST_CASE("an error about a region names the buffer and where it was made") {
  on_every_backend([] {
    const Buffer<char> buffer(64, BufferOptions{.name = "weights"}, {"app.cpp", 17, 0});
    const std::string message = message_of([&] { Stream{}.fill(buffer.range(60, 8), 0); });
    CHECK_THAT(message, ContainsSubstring("weights"));
    CHECK_THAT(message, ContainsSubstring("app.cpp:17"));
  });
}

}  // namespace
}  // namespace millrace::contract
