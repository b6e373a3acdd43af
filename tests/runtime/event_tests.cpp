// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/event.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>

namespace millrace {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using test::FakeBackend;
using test::FakeRun;

std::string text_of(const Event& event) {
  std::ostringstream text;
  text << event;
  return text.str();
}

TEST_CASE("an event made without a device reaches no backend before its first use") {
  const FakeRun run;
  const Event event;
  CHECK_FALSE(event.device());
  CHECK(event.handle() == 0);
  CHECK(run->calls.empty());
}

TEST_CASE("an event never recorded is asked for where captures may forbid it, and is ready") {
  const FakeRun run;
  run->pending = 1;
  const Event event;
  CHECK(event.query());
  event.synchronize();
  CHECK_FALSE(event.device());
  CHECK(run->count("create_event") == 1);
  CHECK(run->count("query_event") == 1);
  CHECK(run->count("synchronize_event") == 1);
}

TEST_CASE("the first record makes the event, with the place of its constructor, and its device") {
  const FakeRun run(2);
  const Stream stream{"fake:1"};
  Event event(EventOptions{.enable_timing = true, .blocking = true, .name = "done"});
  event.record(stream);
  const std::uint32_t recorded_at = __LINE__ - 1;
  REQUIRE(run->count("create_event") == 1);
  const auto& made = run->calls[run->calls.size() - 2];
  CHECK(made.what == "create_event");
  CHECK(made.public_call == "Event");
  CHECK(made.line == recorded_at - 1);
  CHECK(run->last().what == "record_event");
  CHECK(run->last().public_call == "Event::record");
  CHECK(run->last().line == recorded_at);
  const EventDescription& description = run->events.at(event.handle());
  CHECK(description.device == -1);
  CHECK(description.timing);
  CHECK(description.blocking);
  CHECK(description.name == Name("done"));
  CHECK(event.device() == Device{"fake:1"});
}

TEST_CASE("a wait makes the event too, but gives it no device") {
  const FakeRun run(2);
  const Stream stream{"fake:1"};
  const Event event;
  stream.wait_event(event);
  CHECK(run->last().what == "wait_event");
  CHECK(run->last().object == stream.handle());
  CHECK(run->last().other == event.handle());
  CHECK_FALSE(event.device());
  Event copy = event;
  copy.record(Stream{"fake:0"});
  CHECK(event.device() == Device{"fake:0"});
  CHECK(run->count("create_event") == 1);
}

TEST_CASE("an event made for a device is made there at once") {
  const FakeRun run(2);
  const Event event(EventOptions{.device = Device{"fake:1"}});
  CHECK(run->events.at(event.handle()).device == 1);
  CHECK(event.device() == Device{"fake:1"});
  CHECK(event.query());
  CHECK(run->last().what == "query_event");
}

TEST_CASE("record and wait without a stream use the current one") {
  const FakeRun run(2);
  const Stream stream{"fake:1"};
  set_stream(stream);
  Event event;
  event.record();
  CHECK(run->last().other == stream.handle());
  event.wait();
  CHECK(run->last().object == stream.handle());
}

TEST_CASE("flags that exclude each other are refused when the event is made") {
  const FakeRun run;
  CHECK_THROWS_MATCHES(
      Event(EventOptions{.enable_timing = true, .interprocess = true, .name = "shared"},
            {"app.cpp", 4, 0}),
      Error, MessageMatches(ContainsSubstring("Event: InvalidValue: event 'shared'")));
  CHECK(run->calls.empty());
  CHECK_NOTHROW(Event(EventOptions{.interprocess = true}));
}

TEST_CASE("copies share the event and the last one destroys it") {
  const FakeRun run;
  {
    Event event;
    event.record(Stream{});
    const Event copy = event;
    CHECK(copy == event);
    event = Event{};
    CHECK_FALSE(copy == event);
    CHECK(run->count("destroy_event") == 0);
    CHECK(copy.query());
  }
  CHECK(run->count("destroy_event") == 1);
  CHECK(run->events.empty());
}

TEST_CASE("a moved-from event is still the event") {
  const FakeRun run;
  Event event;
  event.record(Stream{});
  const Event moved = std::move(event);  // NOLINT(performance-move-const-arg)
  CHECK(event == moved);                 // NOLINT(bugprone-use-after-move)
}

TEST_CASE("an event recorded on one backend does not fit a stream of another") {
  const FakeRun run;
  const auto other = std::make_shared<FakeBackend>(1, "other");
  Event event(EventOptions{.name = "done"}, {"app.cpp", 12, 0});
  event.record(Stream{});
  const Stream stream(StreamOptions{.device = Device(other, 0), .name = "copy"}, {"app.cpp", 9, 0});
  CHECK_THROWS_MATCHES(
      event.record(stream, {"app.cpp", 31, 0}), Error,
      MessageMatches(ContainsSubstring(
          "Event::record: InvalidResourceHandle: event 'done' (made at app.cpp:12) belongs to "
          "fake, stream 'copy' (made at app.cpp:9) to other:0 (app.cpp:31)")));
  CHECK_THROWS_AS(stream.wait_event(event), Error);
}

TEST_CASE("an event of one run does not fit a stream of another") {
  Event event;
  {
    const FakeRun first;
    event.record(Stream{});
  }
  const FakeRun second;
  CHECK_THROWS_MATCHES(event.record(Stream{}), Error,
                       MessageMatches(ContainsSubstring("of another run")));
}

TEST_CASE("elapsed time is in milliseconds") {
  const FakeRun run;
  const Stream stream;
  Event start(EventOptions{.enable_timing = true});
  Event end(EventOptions{.enable_timing = true});
  run->clock = Time{1'000'000};
  start.record(stream);
  run->clock = Time{3'500'000};
  end.record(stream);
  CHECK(start.elapsed_time(end) == 2.5f);
  CHECK(end.elapsed_time(start) == -2.5f);
  CHECK(start.elapsed_time(start) == 0.0f);
}

TEST_CASE("what elapsed time lacks is said one thing after the other") {
  const FakeRun run;
  Event timed(EventOptions{.enable_timing = true, .name = "timed"}, {"app.cpp", 1, 0});
  const Event untimed(EventOptions{.name = "untimed"}, {"app.cpp", 2, 0});
  CHECK_THROWS_MATCHES(
      timed.elapsed_time(untimed), Error,
      MessageMatches(ContainsSubstring("InvalidResourceHandle: event 'untimed' (made at app.cpp:2) "
                                       "was made without timing")));
  CHECK_THROWS_MATCHES(
      timed.elapsed_time(timed), Error,
      MessageMatches(ContainsSubstring("InvalidResourceHandle: event 'timed' (made at app.cpp:1) "
                                       "was never recorded")));
  timed.record(Stream{});
  CHECK_NOTHROW(timed.elapsed_time(timed));

  const auto other = std::make_shared<FakeBackend>(1, "other");
  Event foreign(EventOptions{.device = Device(other, 0), .enable_timing = true});
  foreign.record(Stream{Device(other, 0)});
  other->pending = 1;
  CHECK_THROWS_MATCHES(timed.elapsed_time(foreign), Error,
                       MessageMatches(ContainsSubstring("NotReady")));
  other->pending = 0;
  CHECK_THROWS_MATCHES(timed.elapsed_time(foreign), Error,
                       MessageMatches(ContainsSubstring("InvalidResourceHandle") &&
                                      ContainsSubstring("two devices")));
}

TEST_CASE("record_event gives an event without timing on the stream's device") {
  const FakeRun run(2);
  const Stream stream{"fake:1"};
  const Event event = stream.record_event();
  CHECK(event.device() == stream.device());
  CHECK_FALSE(run->events.at(event.handle()).timing);
  CHECK(run->last().public_call == "Stream::record_event");
  Event mine;
  stream.record_event(mine);
  CHECK(run->last().object == mine.handle());
}

TEST_CASE("wait_stream records, waits, and leaves no event behind") {
  const FakeRun run;
  const Stream first;
  const Stream second;
  run->calls.clear();
  second.wait_stream(first);
  REQUIRE(run->calls.size() == 4);
  CHECK(run->calls[0].what == "create_event");
  CHECK(run->calls[1].what == "record_event");
  CHECK(run->calls[1].other == first.handle());
  CHECK(run->calls[1].public_call == "Stream::wait_stream");
  CHECK(run->calls[2].what == "wait_event");
  CHECK(run->calls[2].object == second.handle());
  CHECK(run->calls[3].what == "destroy_event");
  CHECK(run->events.empty());
}

TEST_CASE("an event prints its name, and its device once it has one") {
  const FakeRun run;
  Event event(EventOptions{.name = "done"});
  CHECK(text_of(event) == "<Event 'done' not recorded>");
  event.record(Stream{});
  CHECK_THAT(text_of(event), ContainsSubstring("<Event 'done' device=fake:0 handle=0x"));
  CHECK(text_of(Event{}) == "<Event not recorded>");
}

TEST_CASE("an event that outlives its run says so when used and goes in silence") {
  const auto leftover = [] {
    const FakeRun run;
    Event event;
    event.record(Stream{});
    run->gone = true;
    return event;
  };
  {
    const Event event = leftover();
    CHECK_THROWS_MATCHES(event.query(), Error,
                         MessageMatches(ContainsSubstring("InvalidResourceHandle")));
    last_error();
  }
  CHECK(last_error() == Errc::Success);
}

}  // namespace
}  // namespace millrace
