// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/event.hpp>
#include <millrace/guard.hpp>
#include <millrace/host.hpp>
#include <millrace/memory.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <functional>
#include <optional>
#include <thread>

namespace millrace {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::FakeBackend;
using test::FakeRun;

TEST_CASE("current device and streams are the host thread's own") {
  const FakeRun run(2);
  const Stream stream{"fake:1"};
  set_stream(stream);

  const auto other = make_host_thread("fake", run.backend);
  HostThread* const mine = exchange_host_thread(other.get());
  CHECK(current_device() == Device{"fake:0"});
  CHECK(current_stream("fake:1") == default_stream("fake:1"));
  set_device("fake:0");
  CHECK(exchange_host_thread(mine) == other.get());

  CHECK(current_device() == Device{"fake:1"});
  CHECK(current_stream() == stream);
}

TEST_CASE("exchanging host threads answers null for the operating-system thread's own") {
  const auto thread = make_host_thread("", nullptr);
  CHECK(exchange_host_thread(thread.get()) == nullptr);
  CHECK(exchange_host_thread(nullptr) == thread.get());
  static_cast<void>(peek_last_error());  // makes the own state, if it was not made yet
  CHECK(exchange_host_thread(thread.get()) == nullptr);
  CHECK(exchange_host_thread(nullptr) == thread.get());
}

TEST_CASE("an operating-system thread starts on the defaults and releases its streams at its end") {
  const auto backend = std::make_shared<FakeBackend>(2);
  const Stream mine{Device(backend, 1)};
  set_stream(mine);
  bool on_default = false;
  std::thread([&] {
    on_default = current_stream(Device(backend, 1)) == default_stream(Device(backend, 1));
    set_stream(Stream{Device(backend, 1)});
  }).join();
  CHECK(on_default);
  CHECK(current_stream() == mine);
  CHECK(backend->count("destroy_stream") == 1);
  set_stream(default_stream(Device(backend, 1)));
}

/// Uses the API when most of its thread is gone.
struct LateUser {
  ~LateUser() { *answer = peek_last_error(); }
  Errc* answer;
};

TEST_CASE("the state of a thread can be asked for in the last destructors of that thread") {
  Errc answer = Errc::Unknown;
  std::thread([&] {
    static thread_local LateUser user{&answer};  // made first: destroyed after the thread's state
    const Error error(Errc::InvalidValue, "f", "why", {});
    static_cast<void>(user);
  }).join();
  CHECK(answer == Errc::Success);
}

TEST_CASE("calls inside the body of an operation are refused, each by its name") {
  const FakeRun run;
  const Stream stream;
  const Buffer<int> buffer(4, MemoryKind::pinned);
  Event event;
  event.record(stream);
  const std::vector<std::pair<const char*, std::function<void()>>> calls{
      {"Stream", [] { Stream{}; }},
      {"Stream::query", [&] { static_cast<void>(stream.query()); }},
      {"Stream::synchronize", [&] { stream.synchronize(); }},
      {"Stream::record_event", [&] { static_cast<void>(stream.record_event()); }},
      {"Stream::wait_event", [&] { stream.wait_event(event); }},
      {"Stream::wait_stream", [&] { stream.wait_stream(stream); }},
      {"Stream::launch", [&] { stream.launch("k"); }},
      {"Stream::call", [&] { stream.call("f", [] {}); }},
      {"Stream::copy", [&] { stream.copy(buffer, buffer); }},
      {"Stream::fill", [&] { stream.fill(buffer, 0); }},
      {"Stream::priority", [&] { static_cast<void>(stream.priority()); }},
      {"Stream::is_capturing", [&] { static_cast<void>(stream.is_capturing()); }},
      {"Stream::native_handle", [&] { static_cast<void>(stream.native_handle()); }},
      {"ExternalStream",
       [] {
         ExternalStream{nullptr, current_device()};
       }},
      {"Event", [] { Event{}; }},
      {"Event::record", [&] { event.record(); }},
      {"Event::wait", [&] { event.wait(stream); }},
      {"Event::query", [&] { static_cast<void>(event.query()); }},
      {"Event::synchronize", [&] { event.synchronize(); }},
      {"Event::elapsed_time", [&] { static_cast<void>(event.elapsed_time(event)); }},
      {"Device", [] { Device{"fake:0"}; }},
      {"Device::synchronize", [&] { stream.device().synchronize(); }},
      {"Device::reset", [&] { stream.device().reset(); }},
      {"set_device", [&] { set_device(stream.device()); }},
      {"set_stream", [&] { set_stream(stream); }},
      {"Buffer", [] { Buffer<int>{4}; }},
      {"Buffer::read", [&] { static_cast<void>(buffer.read()); }},
      {"Buffer::write", [&] { static_cast<void>(buffer.write()); }},
  };
  for (const auto& entry : calls) {
    CAPTURE(entry.first);
    std::string message;
    stream.call("body", [&] {
      try {
        entry.second();
      } catch (const Error& error) {
        message = error.what();
      }
    });
    CHECK_THAT(message, ContainsSubstring(std::string(entry.first) + ": NotPermitted: "));
  }
  CHECK(stream.query());
}

TEST_CASE("guards inside a body are refused and leave what is current") {
  const FakeRun run(2);
  const Stream stream{"fake:1"};
  stream.call("body", [&] { CHECK_THROWS_AS(StreamGuard{stream}, Error); });
  CHECK(current_device() == Device{"fake:0"});
}

TEST_CASE("what goes away inside a body is kept, and the last error tells") {
  const FakeRun run;
  const Stream stream;
  std::optional<Stream> going{Stream{}};
  stream.call("body", [&] { going.reset(); });
  CHECK(run->count("destroy_stream") == 0);
  CHECK(last_error() == Errc::NotPermitted);
}

TEST_CASE("the mark of a body ends with it, nested or left by an exception") {
  const FakeRun run;
  const Stream stream;
  {
    const OperationBodyScope outer;
    { const OperationBodyScope inner; }
    CHECK_THROWS_AS(stream.query(), Error);
  }
  CHECK(stream.query());
  CHECK_THROWS_AS(stream.launch("k", {}, [] { throw 7; }), int);
  CHECK(stream.query());
}

TEST_CASE("asking the same object twice in a row lets time go on before the second question") {
  const FakeRun run;
  const Stream stream;
  Event event;
  event.record(stream);
  run->pending = 3;
  int questions = 0;
  while (!event.query()) ++questions;
  CHECK(questions == 3);
  CHECK(run->count("idle") == 3);
}

TEST_CASE("the first question and one after another call ask at once") {
  const FakeRun run;
  const Stream stream;
  run->pending = 1000;
  for (int i = 0; i < 20; ++i) {
    CHECK_FALSE(stream.query());
    stream.launch("k");
  }
  CHECK(run->count("idle") == 0);
}

TEST_CASE("asking in turn lets time go on after each 64 answers, whatever else is called") {
  const FakeRun run;
  const Stream first;
  const Stream second;
  run->pending = 2;
  int questions = 0;
  while (!first.query() || !second.query()) {
    ++questions;
    first.launch("k");
    REQUIRE(questions < 200);
  }
  CHECK(questions == 128);
  CHECK(run->count("idle") == 2);
}

TEST_CASE("an object that is ready does not keep time from going on for one that is not") {
  const FakeRun run;
  const Stream busy;
  const Event ready;
  run->pending = 1;
  int questions = 0;
  while (!ready.query() || !busy.query()) {
    ++questions;
    REQUIRE(questions < 200);
  }
  CHECK(questions == 64);
}

TEST_CASE("asking an object anew after it was ready asks at once") {
  const FakeRun run;
  const Stream stream;
  run->pending = 0;
  CHECK(stream.query());
  run->pending = 1;
  CHECK_FALSE(stream.query());
  CHECK(run->count("idle") == 0);
}

TEST_CASE("idling is told which public call idles") {
  const FakeRun run;
  const Stream stream;
  run->pending = 2;
  static_cast<void>(stream.query());
  static_cast<void>(stream.query());
  const auto& idle = run->calls[run->calls.size() - 2];
  CHECK(idle.what == "idle");
  CHECK(idle.public_call == "Stream::query");
}

}  // namespace
}  // namespace millrace
