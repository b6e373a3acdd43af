// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <stdexcept>

namespace millrace::contract {
namespace {

TEST_CASE("guards nest, do nothing for no stream, and restore the stream, exceptions included") {
  on_every_backend([] {
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
      const StreamGuard none{std::optional<Stream>{}};
      CHECK(current_stream() == outer);
    }
    CHECK(current_stream() == default_stream());
    try {
      const StreamGuard guard{inner};
      throw std::runtime_error("out");
    } catch (const std::runtime_error&) {
      CHECK(current_stream() == default_stream());
    }
  });
}

TEST_CASE("set_stream and current_stream are each other's answer") {
  on_every_backend([] {
    const Stream stream;
    set_stream(stream);
    CHECK(current_stream() == stream);
    CHECK(current_stream(device(0)) == stream);
    set_stream(default_stream());
    CHECK(current_stream() == default_stream());
  });
}

TEST_CASE("an external stream can be guarded, nested in a guard of another") {
  on_every_backend([] {
    const Stream stream;
    const Stream other;
    const ExternalStream external(stream.native_handle(), device(0));
    const StreamGuard first{external};
    CHECK(current_stream() == stream);
    {
      const StreamGuard second{other};
      CHECK(current_stream() == other);
    }
    CHECK(current_stream() == external);
  });
}

TEST_CASE("a stream guard switches the device and leaves the other device's stream alone") {
  on_every_backend(2, [] {
    const Stream on_0{device(0)};
    const Stream on_1{device(1)};
    set_stream(on_0);
    {
      const StreamGuard guard{on_1};
      CHECK(current_device() == device(1));
      CHECK(current_stream() == on_1);
      CHECK(current_stream(device(0)) == on_0);
    }
    CHECK(current_device() == device(0));
    CHECK(current_stream() == on_0);
    CHECK(current_stream(device(1)) == default_stream(device(1)));
  });
}

TEST_CASE("three levels over two devices restore stream and device at each level") {
  on_every_backend(2, [] {
    const Stream a{device(0)};
    const Stream b{device(1)};
    const Stream c{device(0)};
    const StreamGuard first{a};
    {
      const StreamGuard second{b};
      {
        const StreamGuard third{c};
        CHECK(current_stream() == c);
        CHECK(current_device() == device(0));
      }
      CHECK(current_stream() == b);
      CHECK(current_device() == device(1));
      CHECK(current_stream(device(0)) == a);
    }
    CHECK(current_stream() == a);
    CHECK(current_device() == device(0));
  });
}

TEST_CASE("setting the device inside a device guard is undone at its end") {
  on_every_backend(2, [] {
    {
      const DeviceGuard outer{device(1)};
      {
        const DeviceGuard inner{device(0)};
        set_device(device(1));
      }
      CHECK(current_device() == device(1));
      set_device(device(0));
    }
    CHECK(current_device() == device(0));
  });
}

}  // namespace
}  // namespace millrace::contract
