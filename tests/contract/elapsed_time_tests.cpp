// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace millrace::contract {
namespace {

using Catch::Matchers::ContainsSubstring;

Event timed() { return Event(EventOptions{.enable_timing = true}); }

Errc code_of_elapsed(const Event& start, const Event& end) {
  return code_of([&] { static_cast<void>(start.elapsed_time(end)); });
}

std::string message_of_elapsed(const Event& start, const Event& end) {
  return message_of([&] { static_cast<void>(start.elapsed_time(end)); });
}

TEST_CASE("elapsed time is the time between two records, negative the other way round") {
  on_every_backend([] {
    const Stream stream;
    Event start = timed();
    Event end = timed();
    start.record(stream);
    stream.launch("spin", {.cost = 20ms});
    end.record(stream);
    stream.synchronize();
    const float forward = start.elapsed_time(end);
    CHECK(forward >= 20.0f);
    CHECK(forward < 40.0f);
    CHECK(end.elapsed_time(start) == -forward);
    CHECK(start.elapsed_time(start) == 0.0f);
  });
}

TEST_CASE("elapsed time needs timing in both events, recorded or not, pending or not") {
  on_every_backend([] {
    const Stream stream;
    Event with = timed();
    Event without(EventOptions{.name = "without"});
    CHECK(code_of_elapsed(without, without) == Errc::InvalidResourceHandle);
    Gate gate{stream};
    with.record(stream);
    without.record(stream);
    CHECK(code_of_elapsed(without, without) == Errc::InvalidResourceHandle);
    gate.open();
    stream.synchronize();
    CHECK(code_of_elapsed(with, without) == Errc::InvalidResourceHandle);
    CHECK(code_of_elapsed(without, with) == Errc::InvalidResourceHandle);
    const std::string message = message_of_elapsed(with, without);
    CHECK_THAT(message, ContainsSubstring("'without'"));
    CHECK_THAT(message, ContainsSubstring("timing"));
  });
}

TEST_CASE("events of record_event have no timing") {
  on_every_backend([] {
    const Stream stream;
    const Event start = stream.record_event();
    const Event end = stream.record_event();
    stream.synchronize();
    CHECK_THAT(message_of_elapsed(start, end), ContainsSubstring("timing"));
  });
}

TEST_CASE("elapsed time needs both events to be recorded") {
  on_every_backend([] {
    const Stream stream;
    Event start = timed();
    start.record(stream);
    stream.synchronize();
    for (const auto& on : {std::optional<Device>{}, std::optional<Device>{device(0)}}) {
      const Event end(EventOptions{.device = on, .enable_timing = true, .name = "end"});
      CHECK(code_of_elapsed(start, end) == Errc::InvalidResourceHandle);
      CHECK(code_of_elapsed(end, start) == Errc::InvalidResourceHandle);
      CHECK_THAT(message_of_elapsed(start, end), ContainsSubstring("'end'"));
      CHECK_THAT(message_of_elapsed(start, end), ContainsSubstring("never recorded"));
    }
  });
}

TEST_CASE("elapsed time is NotReady while either record is pending") {
  on_every_backend([] {
    const Stream busy;
    const Stream free;
    Event pending = timed();
    Event done = timed();
    Gate gate{busy};
    pending.record(busy);
    done.record(free);
    free.synchronize();
    CHECK(code_of_elapsed(done, pending) == Errc::NotReady);
    CHECK(code_of_elapsed(pending, done) == Errc::NotReady);
    CHECK_THAT(message_of_elapsed(done, pending), ContainsSubstring("not complete"));
    CHECK(last_error() == Errc::Success);
    gate.open();
    busy.synchronize();
    CHECK(code_of_elapsed(done, pending) == Errc::Success);
  });
}

TEST_CASE("a pending record comes before two devices, a missing one before a pending one") {
  on_every_backend(2, [] {
    const Stream here{device(0)};
    const Stream there{device(1)};
    Event on_0 = timed();
    Event on_1 = timed();
    const Event never = timed();
    Gate gate{there};
    on_0.record(here);
    on_1.record(there);
    CHECK(code_of_elapsed(on_0, on_1) == Errc::NotReady);
    CHECK_THAT(message_of_elapsed(on_1, never), ContainsSubstring("never recorded"));
    gate.open();
    here.synchronize();
    there.synchronize();
    CHECK(code_of_elapsed(on_0, on_1) == Errc::InvalidResourceHandle);
    CHECK_THAT(message_of_elapsed(on_0, on_1), ContainsSubstring(device(1).to_string()));
  });
}

TEST_CASE("elapsed time does not care which device is current") {
  on_every_backend(2, [] {
    const Stream stream{device(1)};
    Event start = timed();
    Event end = timed();
    start.record(stream);
    stream.launch("spin", {.cost = 1ms});
    end.record(stream);
    stream.synchronize();
    const DeviceGuard guard{device(0)};
    CHECK(start.elapsed_time(end) > 0.0f);
  });
}

}  // namespace
}  // namespace millrace::contract
