// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/memory.hpp>
#include <millrace/stream.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>

namespace millrace {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using test::FakeRun;

TEST_CASE("a buffer is made as described, on the current device unless it is named") {
  const FakeRun run(2);
  const Buffer<float> plain(8);
  CHECK(plain.size() == 8);
  CHECK(plain.kind() == MemoryKind::device);
  CHECK(plain.device() == Device{"fake:0"});
  const Buffer<float> pinned(4, MemoryKind::pinned, "fake:1");
  const MemoryDescription& description = run->memories.at(pinned.handle());
  CHECK(description.bytes == 16);
  CHECK(description.kind == MemoryKind::pinned);
  CHECK(description.device == 1);
  CHECK(description.backed);
  const Buffer<char> named(3, BufferOptions{.name = "A"});
  CHECK(run->memories.at(named.handle()).name == Name("A"));
}

TEST_CASE("copies share the memory and the last one frees it") {
  const FakeRun run;
  {
    const Buffer<int> buffer(2, MemoryKind::pageable);
    const Buffer<int> copy = buffer;  // NOLINT(performance-unnecessary-copy-initialization)
    CHECK(copy.handle() == buffer.handle());
    copy.view()[1] = 7;
    CHECK(buffer.view()[1] == 7);
    CHECK(run->count("free") == 0);
  }
  CHECK(run->count("free") == 1);
  CHECK(run->last().public_call == "~Buffer");
}

TEST_CASE("a buffer stands for all of its bytes, a range for some, a tile for rows") {
  const FakeRun run;
  const Buffer<int> buffer(100);
  CHECK(Access(buffer) == Access{buffer.handle(), 0, 400});
  CHECK(buffer.range(10, 5) == Access{buffer.handle(), 40, 60});
  const Access tile = buffer.tile(2, 3, 10, 4);
  CHECK(tile == Access{buffer.handle(), 8, 8 + 132, 40, 12});
  CHECK(tile.bytes() == 48);
  CHECK(buffer.tile(2, 3, 10, 0).bytes() == 0);
}

TEST_CASE("a region too large to count is not a small one") {
  const FakeRun run;
  const Buffer<int> buffer(100);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  constexpr std::size_t quarter = std::size_t{1} << 62;  // of all elements, as bytes too many
  CHECK(buffer.range(quarter, 1).end == most);
  CHECK(buffer.range(0, quarter + 1).end == most);
  CHECK(buffer.range(quarter - 1, quarter - 1).end == most);
  CHECK(buffer.tile(0, 1, quarter, 2).end == most);
  CHECK(buffer.tile(0, 1, 2, quarter).end == most);
}

TEST_CASE("a buffer can be given where a region is asked for") {
  const FakeRun run;
  const Buffer<int> to(4);
  const Buffer<int> from(4, MemoryKind::pinned);
  Stream{}.copy(to, from.range(0, 4));
  CHECK(run->copied_to == Access(to));
  CHECK(run->copied_from == Access(from));
}

TEST_CASE("reading and writing by the host is told to the backend") {
  const FakeRun run;
  const Buffer<int> buffer(4, MemoryKind::managed);
  buffer.write()[0] = 5;
  CHECK(run->last().what == "host_access");
  CHECK(run->last().object == 0);
  CHECK(run->last().other == 1);
  CHECK(run->last().public_call == "Buffer::write");
  CHECK(buffer.read()[0] == 5);
  CHECK(run->last().object == 1);
  CHECK(run->last().other == 0);
  CHECK(run->last().public_call == "Buffer::read");
}

TEST_CASE("device memory is not for the host to touch") {
  const FakeRun run;
  const Buffer<int> buffer(4, BufferOptions{.name = "A"}, {"app.cpp", 2, 0});
  CHECK_THROWS_MATCHES(buffer.read({"app.cpp", 8, 0}), Error,
                       MessageMatches(ContainsSubstring(
                           "Buffer::read: InvalidValue: device buffer 'A' (made at app.cpp:2)")));
  CHECK_THROWS_AS(buffer.write(), Error);
  CHECK(run->count("host_access") == 0);
}

TEST_CASE("more than can be counted is MemoryAllocation, not a small buffer") {
  const FakeRun run;
  CHECK_THROWS_MATCHES(Buffer<double>(std::numeric_limits<std::size_t>::max() / 2), Error,
                       MessageMatches(ContainsSubstring("MemoryAllocation")));
}

TEST_CASE("a buffer that outlives its run goes in silence") {
  const auto leftover = [] {
    const FakeRun run;
    Buffer<int> buffer(4);
    run->gone = true;
    return buffer;
  };
  { const Buffer<int> buffer = leftover(); }
  CHECK(last_error() == Errc::Success);
}

}  // namespace
}  // namespace millrace
