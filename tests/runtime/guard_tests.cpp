// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/guard.hpp>

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <type_traits>

namespace millrace {
namespace {

using test::FakeBackend;
using test::FakeRun;

static_assert(!std::is_copy_constructible_v<StreamGuard> &&
              !std::is_move_assignable_v<StreamGuard>);
static_assert(!std::is_copy_constructible_v<DeviceGuard> &&
              !std::is_move_assignable_v<DeviceGuard>);
static_assert(std::is_nothrow_destructible_v<StreamGuard>);
static_assert(std::is_nothrow_destructible_v<DeviceGuard>);

TEST_CASE("a stream guard makes its stream current and restores the former one") {
  const FakeRun run;
  const Stream outer;
  const Stream inner;
  {
    const StreamGuard first{outer};
    CHECK(current_stream() == outer);
    {
      const StreamGuard second{inner};
      CHECK(current_stream() == inner);
    }
    CHECK(current_stream() == outer);
  }
  CHECK(current_stream() == default_stream());
}

TEST_CASE("a guard restores when an exception leaves its scope") {
  const FakeRun run(2);
  try {
    const StreamGuard guard{Stream{"fake:1"}};
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
    CHECK(current_device() == Device{"fake:0"});
    CHECK(current_stream("fake:1") == default_stream("fake:1"));
  }
}

TEST_CASE("a guard of no stream does nothing") {
  const FakeRun run;
  const Stream stream;
  const StreamGuard outer{stream};
  {
    const StreamGuard none{std::optional<Stream>{}};
    CHECK(current_stream() == stream);
  }
  CHECK(current_stream() == stream);
}

TEST_CASE("a guard keeps a stream alive that nobody else holds") {
  const FakeRun run;
  {
    const StreamGuard guard{Stream{}};
    CHECK(run->streams.size() == 1);
    CHECK(current_stream().query());
  }
  CHECK(run->streams.empty());
}

TEST_CASE("three guards over two devices restore stream and device at each level") {
  const FakeRun run(2);
  const Stream on_0{"fake:0"};
  const Stream on_1{"fake:1"};
  const Stream also_on_0{"fake:0"};
  const StreamGuard first{on_0};
  {
    const StreamGuard second{on_1};
    CHECK(current_device() == Device{"fake:1"});
    CHECK(current_stream("fake:0") == on_0);
    {
      const StreamGuard third{also_on_0};
      CHECK(current_device() == Device{"fake:0"});
      CHECK(current_stream() == also_on_0);
      CHECK(current_stream("fake:1") == on_1);
    }
    CHECK(current_device() == Device{"fake:1"});
    CHECK(current_stream() == on_1);
    CHECK(current_stream("fake:0") == on_0);
  }
  CHECK(current_device() == Device{"fake:0"});
  CHECK(current_stream() == on_0);
  CHECK(current_stream("fake:1") == default_stream("fake:1"));
}

TEST_CASE("a device guard changes the device only, and undoes what was set inside it") {
  const FakeRun run(3);
  const Stream stream{"fake:1"};
  set_stream(stream);
  {
    const DeviceGuard guard{"fake:2"};
    CHECK(current_device() == Device{"fake:2"});
    CHECK(current_stream() == default_stream("fake:2"));
    set_device("fake:0");
  }
  CHECK(current_device() == Device{"fake:1"});
  CHECK(current_stream() == stream);
}

TEST_CASE("the state to restore is the guard's, so one stream can be guarded twice") {
  const FakeRun run;
  const Stream stream;
  const Stream other;
  {
    const StreamGuard first{stream};
    const StreamGuard between{other};
    {
      const StreamGuard again{stream};
      CHECK(current_stream() == stream);
    }
    CHECK(current_stream() == other);
  }
  CHECK(current_stream() == default_stream());
}

TEST_CASE("a guard of another type's device restores what the bare type means") {
  const FakeRun run(2);
  set_device("fake:1");
  const auto other = std::make_shared<FakeBackend>(2, "other");
  {
    const DeviceGuard guard{Device(other, 1)};
    const DeviceGuard inner{"fake:0"};
    CHECK(Device{"fake"}.index() == 0);
  }
  CHECK(Device{"fake"}.index() == 1);
  CHECK(current_device() == Device{"fake:1"});
}

}  // namespace
}  // namespace millrace
