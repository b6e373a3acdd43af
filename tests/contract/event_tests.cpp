// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <optional>
#include <sstream>

namespace millrace::contract {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("an event that was never recorded is complete and orders nothing") {
  on_every_backend([] {
    for (const auto& on : {std::optional<Device>{}, std::optional<Device>{device(0)}}) {
      const Event event(EventOptions{.device = on});
      CHECK(event.query());
      event.synchronize();
      event.wait();
      const Stream stream;
      stream.wait_event(event);
      CHECK(stream.query());
    }
  });
}

TEST_CASE("an event is not ready while its record is pending and ready after it was waited for") {
  on_every_backend([] {
    const Stream stream;
    Event event;
    stream.launch("spin", {.cost = 50ms});
    event.record(stream);
    CHECK_FALSE(event.query());
    event.synchronize();
    CHECK(event.query());
  });
}

TEST_CASE("asking in a loop ends") {
  on_every_backend([] {
    const Stream stream;
    stream.launch("spin", {.cost = 5ms});
    const Event event = stream.record_event();
    while (!event.query()) {
    }
    while (!stream.query()) {
    }
    CHECK(event.query());
  });
}

TEST_CASE("asking two events in turn ends") {
  on_every_backend([] {
    const Stream first;
    const Stream second;
    first.launch("spin", {.cost = 1ms});
    second.launch("spin", {.cost = 2ms});
    const Event a = first.record_event();
    const Event b = second.record_event();
    bool a_done = false;
    bool b_done = false;
    while (!a_done || !b_done) {
      a_done = a.query();
      b_done = b.query();
    }
    CHECK(second.query());
  });
}

TEST_CASE("not ready is an answer, not an error") {
  on_every_backend([] {
    const Stream stream;
    Event event;
    Gate gate{stream};
    event.record(stream);
    CHECK_FALSE(event.query());
    CHECK(peek_last_error() == Errc::Success);
    CHECK_FALSE(stream.query());
    CHECK(last_error() == Errc::Success);
    gate.open();
    stream.synchronize();
    CHECK(last_error() == Errc::Success);
  });
}

TEST_CASE("a query follows the latest record") {
  on_every_backend([] {
    const Stream first;
    const Stream second;
    Event event;
    event.record(first);
    first.synchronize();
    CHECK(event.query());
    Gate gate{second};
    event.record(second);
    CHECK_FALSE(event.query());
    gate.open();
    second.synchronize();
    CHECK(event.query());
  });
}

TEST_CASE("a wait keeps the record that it found, whatever is recorded later") {
  on_every_backend([] {
    const Stream done;
    const Stream waiting;
    const Stream busy;
    Event event;
    event.record(done);
    waiting.wait_event(event);
    Gate gate{busy};
    event.record(busy);
    done.synchronize();
    settle();
    CHECK(waiting.query());
  });
}

TEST_CASE("a wait finds the latest record at the time of its call") {
  on_every_backend([] {
    const Stream done;
    const Stream waiting;
    const Stream busy;
    Event event;
    event.record(done);
    Gate gate{busy};
    event.record(busy);
    waiting.wait_event(event);
    settle();
    CHECK_FALSE(waiting.query());
  });
}

TEST_CASE("a record on a free stream replaces one that is still pending") {
  on_every_backend([] {
    const Stream busy;
    const Stream free;
    Event event;
    Gate gate{busy};
    event.record(busy);
    event.record(free);
    free.synchronize();
    CHECK(event.query());
    event.synchronize();
    CHECK_FALSE(gate.is_open());
  });
}

TEST_CASE("a wait in the event's own stream does nothing") {
  on_every_backend([] {
    const Stream stream;
    Event event;
    Gate gate{stream};
    event.record(stream);
    stream.wait_event(event);
    gate.open();
    stream.synchronize();
    CHECK(stream.query());
  });
}

TEST_CASE("a wait holds only the later work of its stream") {
  on_every_backend([] {
    const Stream busy;
    const Stream waiting;
    Event event;
    Event before;
    Event after;
    Gate gate{busy};
    event.record(busy);
    before.record(waiting);
    waiting.wait_event(event);
    after.record(waiting);
    settle();
    CHECK(before.query());
    CHECK_FALSE(after.query());
    gate.open();
    current_device().synchronize();
    CHECK(after.query());
  });
}

TEST_CASE("work after the record is not covered by it") {
  on_every_backend([] {
    const Stream stream;
    Event event;
    event.record(stream);
    Gate gate{stream};
    CHECK_FALSE(blocks(gate, [&] { event.synchronize(); }));
  });
}

TEST_CASE("synchronizing an event blocks until its record, spinning or sleeping") {
  on_every_backend([] {
    for (const bool sleeping : {false, true}) {
      const Stream stream;
      Event event(EventOptions{.blocking = sleeping});
      Gate gate{stream};
      event.record(stream);
      CHECK(blocks(gate, [&] { event.synchronize(); }));
    }
  });
}

TEST_CASE("destroying a pending event returns at once and its waiters still wait") {
  on_every_backend([] {
    const Stream busy;
    const Stream waiting;
    std::optional<Event> event{Event{}};
    Gate gate{busy};
    event->record(busy);
    waiting.wait_event(*event);
    event.reset();
    CHECK_FALSE(gate.is_open());
    settle();
    CHECK_FALSE(waiting.query());
    gate.open();
    waiting.synchronize();
    CHECK(waiting.query());
  });
}

TEST_CASE("an interprocess event has no timing") {
  on_every_backend([] {
    CHECK(code_of([] { Event(EventOptions{.enable_timing = true, .interprocess = true}); }) ==
          Errc::InvalidValue);
    CHECK(code_of([] { Event(EventOptions{.device = device(0), .interprocess = true}); }) ==
          Errc::Success);
  });
}

TEST_CASE("record_event makes an event, or records the one that it is given") {
  on_every_backend([] {
    const Stream stream;
    const Event made = stream.record_event();
    CHECK(made.device() == stream.device());
    Event mine;
    stream.record_event(mine);
    CHECK(mine.device() == stream.device());
    CHECK(made.handle() != mine.handle());
    CHECK(mine.handle() != 0);
    stream.synchronize();
    CHECK(made.query());
  });
}

TEST_CASE("record without a stream uses the current one") {
  on_every_backend([] {
    const Stream stream;
    const Gate gate{stream};
    const StreamGuard guard{stream};
    Event event;
    event.record();
    CHECK_FALSE(event.query());
  });
}

TEST_CASE("all three ways to wait hold the stream") {
  on_every_backend([] {
    const Stream busy;
    const Gate gate{busy};
    const Event event = busy.record_event();
    const Stream first;
    first.wait_stream(busy);
    CHECK_FALSE(first.query());
    const Stream second;
    second.wait_event(event);
    CHECK_FALSE(second.query());
    const Stream third;
    event.wait(third);
    CHECK_FALSE(third.query());
    const Stream fourth;
    const StreamGuard guard{fourth};
    event.wait();
    CHECK_FALSE(fourth.query());
  });
}

TEST_CASE("wait_stream covers only the work queued so far") {
  on_every_backend([] {
    const Stream first;
    const Stream second;
    second.wait_stream(first);
    const Gate gate{first};
    settle();
    CHECK(second.query());
  });
}

TEST_CASE("two streams can wait for one event, and it can be recorded again afterwards") {
  on_every_backend([] {
    const Stream source;
    const Stream left;
    const Stream right;
    Event event;
    for (int round = 0; round < 3; ++round) {
      Gate gate{source};
      event.record(source);
      left.wait_event(event);
      right.wait_event(event);
      settle();
      CHECK_FALSE(left.query());
      CHECK_FALSE(right.query());
      gate.open();
      left.synchronize();
      right.synchronize();
      CHECK(event.query());
    }
  });
}

TEST_CASE("an event prints its state and name") {
  on_every_backend([] {
    Event event(EventOptions{.name = "done"});
    std::ostringstream before;
    before << event;
    CHECK(before.str() == "<Event 'done' not recorded>");
    event.record();
    std::ostringstream after;
    after << event;
    CHECK_THAT(after.str(),
               ContainsSubstring("<Event 'done' device=" + device(0).to_string() + " handle="));
  });
}

}  // namespace
}  // namespace millrace::contract
