// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>

namespace millrace::contract {
namespace {

TEST_CASE("a new host thread starts on the defaults and does not change its parent's") {
  on_every_backend(2, [] {
    const Stream stream{device(1)};
    set_stream(stream);
    bool on_defaults = false;
    world().start([&] {
      on_defaults = current_device() == device(0) && current_stream() == default_stream() &&
                    current_stream(device(1)) == default_stream(device(1));
      set_stream(Stream{device(0)});
    })();
    CHECK(on_defaults);
    CHECK(current_device() == device(1));
    CHECK(current_stream() == stream);
  });
}

TEST_CASE("guards of two host threads do not see each other") {
  on_every_backend([] {
    const auto first_inside = world().make_latch();
    const auto second_done = world().make_latch();
    bool kept = false;
    const auto join_first = world().start([&] {
      const Stream stream;
      const StreamGuard guard{stream};
      first_inside->open();
      second_done->wait();
      kept = current_stream() == stream;
    });
    bool own = false;
    const auto join_second = world().start([&] {
      first_inside->wait();
      const Stream stream;
      const StreamGuard guard{stream};
      own = current_stream() == stream;
      second_done->open();
    });
    join_first();
    join_second();
    CHECK(kept);
    CHECK(own);
    CHECK(current_stream() == default_stream());
  });
}

TEST_CASE("external streams are current per thread too") {
  on_every_backend([] {
    const Stream stream;
    const ExternalStream external(stream.native_handle(), device(0));
    const StreamGuard guard{external};
    bool default_there = false;
    world().start([&] { default_there = current_stream() == default_stream(); })();
    CHECK(default_there);
    CHECK(current_stream() == stream);
  });
}

TEST_CASE("two threads take different streams from one pool") {
  on_every_backend([] {
    StreamPool pool;
    std::optional<Stream> first;
    std::optional<Stream> second;
    const auto join_first = world().start([&] { first = pool.get(); });
    const auto join_second = world().start([&] { second = pool.get(); });
    join_first();
    join_second();
    CHECK_FALSE(*first == *second);
  });
}

TEST_CASE("a thread that synchronizes does not hold the others") {
  on_every_backend([] {
    const auto spin_and = [](auto wait) {
      return world().start([wait] {
        const Stream stream;
        stream.launch("spin", {.cost = 50ms});
        wait(stream);
      });
    };
    const Time start = world().now();
    const auto join_first = spin_and([](const Stream& stream) { stream.synchronize(); });
    const auto join_second = spin_and([](const Stream& s) { s.record_event().synchronize(); });
    const auto join_third = spin_and([](const Stream& stream) {
      while (!stream.query()) {
      }
    });
    join_first();
    join_second();
    join_third();
    CHECK(world().now() - start < Duration(100ms));
  });
}

TEST_CASE("one thread waits for the work of another") {
  on_every_backend([] {
    const Stream stream;
    const auto enqueued = world().make_latch();
    bool ran = false;
    const auto join = world().start([&] {
      stream.launch("k", {.cost = 1ms}, [&] { ran = true; });
      enqueued->open();
    });
    enqueued->wait();
    stream.synchronize();
    CHECK(ran);
    join();
  });
}

}  // namespace
}  // namespace millrace::contract
