// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::contract {
namespace {

Stream blocking_stream() { return Stream(StreamOptions{.blocking = true}); }

/// Whether a record enqueued now on `stream` is still pending after a while.
bool is_held(const Stream& stream) {
  const Event event = stream.record_event();
  settle();
  return !event.query();
}

TEST_CASE("work on the legacy stream waits for blocking streams, not for non-blocking ones") {
  on_every_backend([] {
    {
      const Stream busy = blocking_stream();
      const Gate gate{busy};
      CHECK(is_held(default_stream()));
    }
    current_device().synchronize();
    const Stream busy;
    const Gate gate{busy};
    CHECK_FALSE(is_held(default_stream()));
  });
}

TEST_CASE("the legacy stream is not ready while a blocking stream is busy") {
  on_every_backend([] {
    const Stream busy = blocking_stream();
    const Gate gate{busy};
    settle();
    CHECK_FALSE(default_stream().query());
  });
}

TEST_CASE("the legacy stream is ready while a non-blocking stream is busy") {
  on_every_backend([] {
    const Stream busy;
    Gate gate{busy};
    settle();
    CHECK(default_stream().query());
    CHECK_FALSE(blocks(gate, [] { default_stream().synchronize(); }));
  });
}

TEST_CASE("synchronizing the legacy stream waits for blocking streams") {
  on_every_backend([] {
    const Stream busy = blocking_stream();
    Gate gate{busy};
    CHECK(blocks(gate, [] { default_stream().synchronize(); }));
  });
}

TEST_CASE("a busy legacy stream holds the later work of blocking streams and per-thread streams") {
  on_every_backend([] {
    const Stream blocking = blocking_stream();
    const Stream nonblocking;
    const Gate gate{default_stream()};
    CHECK(is_held(blocking));
    CHECK(is_held(per_thread_stream()));
    CHECK_FALSE(is_held(nonblocking));
  });
}

TEST_CASE("a per-thread stream is a blocking stream for the legacy one") {
  on_every_backend([] {
    const Gate gate{per_thread_stream()};
    CHECK(is_held(default_stream()));
  });
}

TEST_CASE("a wait put on the legacy stream holds blocking streams too") {
  on_every_backend([] {
    const Stream busy;
    const Stream blocking = blocking_stream();
    const Gate gate{busy};
    default_stream().wait_event(busy.record_event());
    CHECK(is_held(blocking));
  });
}

TEST_CASE("a host function on the legacy stream holds blocking streams too") {
  on_every_backend([] {
    const Stream busy = blocking_stream();
    const Stream other = blocking_stream();
    const Gate gate{busy};
    default_stream().call("f", [] {});
    CHECK(is_held(other));
  });
}

TEST_CASE("an idle blocking stream is ready while the legacy stream is busy") {
  on_every_backend([] {
    const Stream idle = blocking_stream();
    Gate gate{default_stream()};
    CHECK(idle.query());
    CHECK_FALSE(blocks(gate, [&] { idle.synchronize(); }));
  });
}

TEST_CASE("an idle blocking stream is ready while another and the legacy stream are busy") {
  on_every_backend([] {
    const Stream idle = blocking_stream();
    const Stream busy = blocking_stream();
    const Gate gate{busy};
    Event event;
    event.record(default_stream());
    settle();
    CHECK(idle.query());
  });
}

TEST_CASE("blocking streams are unordered among themselves") {
  on_every_backend([] {
    const Stream busy = blocking_stream();
    const Stream other = blocking_stream();
    const Gate gate{busy};
    CHECK_FALSE(is_held(other));
    CHECK_FALSE(is_held(per_thread_stream()));
  });
}

TEST_CASE("the legacy stream of one device does not hold the streams of another") {
  on_every_backend(2, [] {
    const Stream elsewhere(StreamOptions{.device = device(1), .blocking = true});
    const Gate gate{default_stream(device(0))};
    CHECK_FALSE(is_held(elsewhere));
    CHECK_FALSE(is_held(default_stream(device(1))));
  });
}

TEST_CASE("each host thread has a per-thread stream of its own, unordered with the others") {
  on_every_backend([] {
    const Stream mine = per_thread_stream();
    CHECK(mine == per_thread_stream());
    const Gate gate{mine};
    bool same = true;
    bool held = true;
    world().start([&] {
      same = per_thread_stream() == mine;
      held = is_held(per_thread_stream());
    })();
    CHECK_FALSE(same);
    CHECK_FALSE(held);
  });
}

TEST_CASE("the default stream is the current one until another is set") {
  on_every_backend([] {
    CHECK(current_stream() == default_stream());
    CHECK(current_stream().native_handle() == nullptr);
    CHECK(current_stream().query());
  });
}

}  // namespace
}  // namespace millrace::contract
