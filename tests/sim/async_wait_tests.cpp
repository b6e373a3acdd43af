// SPDX-License-Identifier: Apache-2.0
//
// async_wait inside runs: in virtual time, whatever the completion token.
#include "async_support.hpp"

#include <millrace/async_wait.hpp>
#include <millrace/millrace.hpp>
#include <millrace/sim_asio.hpp>
#include <millrace/use_fiber.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;                            // style-ok: literals only
using namespace boost::asio::experimental::awaitable_operators;  // style-ok: operators only
namespace asio = boost::asio;
using test::ErrorCode;
using test::Noted;

TEST_CASE("a callback is called when the work is done, at that virtual time") {
  Noted noted;
  const sim::Report report = sim::run([&] {
    asio::io_context context;
    const Stream stream;
    stream.launch("work", {.cost = 30us});
    const Event event = stream.record_event();
    async_wait(event, noted.handler(context));
    stream.launch("more", {.cost = 20us});
    async_wait(stream, noted.handler(context));
    CHECK(sim::run_context(context) == 2);
    CHECK(stream.query());
  });
  CHECK(noted.codes == std::vector<ErrorCode>(2));
  CHECK(noted.times == std::vector{Time{30'000}, Time{50'000}});
  CHECK(report.findings.empty());
}

TEST_CASE("what a handler does comes after the work, also for the checker") {
  const auto findings = [](bool waits) {
    return sim::run([waits] {
             asio::io_context context;
             Buffer<int> numbers(16, {.kind = MemoryKind::pinned, .name = "numbers"});
             const Stream stream;
             stream.launch("fill", {.cost = 5us, .writes = {numbers}});
             const auto read = [&](ErrorCode) { static_cast<void>(numbers.read()); };
             if (waits) {
               async_wait(stream, asio::bind_executor(context, read));
             } else {
               asio::post(context, [&] { read({}); });
             }
             sim::run_context(context);
             stream.synchronize();
           })
        .findings;
  };
  CHECK(findings(true).empty());
  CHECK(findings(false).size() == 1);
}

TEST_CASE("co_await waits in virtual time") {
  std::vector<std::string> log;
  sim::run([&] {
    asio::io_context context;
    const Stream a;
    const Stream b;
    const auto worker = [&](const char* name, const Stream& stream,
                            Duration cost) -> asio::awaitable<void> {
      for (int step = 0; step < 2; ++step) {
        stream.launch("work", {.cost = cost});
        co_await async_wait(stream.record_event(), asio::use_awaitable);
        log.push_back(std::string(name) + " " + to_string(sim::now()));
      }
    };
    asio::co_spawn(context, worker("a", a, 30us), asio::detached);
    asio::co_spawn(context, worker("b", b, 20us), asio::detached);
    sim::run_context(context);
  });
  CHECK(log == std::vector<std::string>{"b 20us", "a 30us", "b 40us", "a 60us"});
}

TEST_CASE("several waits together: all of them, or the first") {
  sim::run([] {
    asio::io_context context;
    const Stream a;
    const Stream b;
    const auto both = [&]() -> asio::awaitable<void> {
      a.launch("work", {.cost = 10us});
      b.launch("work", {.cost = 25us});
      co_await (async_wait(a, asio::use_awaitable) && async_wait(b, asio::use_awaitable));
      CHECK(sim::now() == Time{25'000});
      a.launch("work", {.cost = 10us});
      b.launch("work", {.cost = 25us});
      const auto first =
          co_await (async_wait(a, asio::use_awaitable) || async_wait(b, asio::use_awaitable));
      CHECK(first.index() == 0);
      CHECK(sim::now() == Time{35'000});
    };
    asio::co_spawn(context, both(), [](std::exception_ptr failure) { CHECK_FALSE(failure); });
    sim::run_context(context);
    CHECK(sim::now() == Time{35'000});  // the wait for b was cancelled, the work was not
    b.synchronize();
    CHECK(sim::now() == Time{50'000});
  });
}

TEST_CASE("a wait with a virtual timer beside it has a timeout") {
  sim::run([] {
    asio::io_context context;
    const Stream stream;
    const auto wait = [&](Duration timeout) -> asio::awaitable<bool> {
      stream.launch("work", {.cost = 100us});
      sim::timer timer(context, std::chrono::nanoseconds(timeout.ns));
      const auto first = co_await (async_wait(stream, asio::use_awaitable) ||
                                   timer.async_wait(asio::use_awaitable));
      co_return first.index() == 0;
    };
    std::optional<bool> in_time;
    const auto note = [&](std::exception_ptr, bool done) { in_time = done; };
    asio::co_spawn(context, wait(40us), note);
    sim::run_context(context);
    CHECK(in_time == false);
    CHECK(sim::now() == Time{40'000});
    context.restart();
    asio::co_spawn(context, wait(1ms), note);
    sim::run_context(context);
    CHECK(in_time == true);
    CHECK(sim::now() == Time{200'000});
  });
}

TEST_CASE("timers let virtual time go on, the earliest first") {
  std::vector<Time> fired;
  sim::run([&] {
    asio::io_context context;
    sim::timer late(context, 3ms);
    sim::timer early(context, 1ms);
    for (sim::timer* const timer : {&late, &early}) {
      timer->async_wait([&](ErrorCode) { fired.push_back(sim::now()); });
    }
    sim::run_context(context);
  });
  CHECK(fired == std::vector{Time{1'000'000}, Time{3'000'000}});
}

TEST_CASE("an event that was never recorded is complete, and its handler runs all the same") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    async_wait(Event{}, noted.handler(context));
    async_wait(Event{EventOptions{.device = current_device()}}, noted.handler(context));
    CHECK(noted.codes.empty());
    CHECK(sim::run_context(context) == 2);
  });
  CHECK(noted.codes == std::vector<ErrorCode>(2));
}

TEST_CASE("a wait is for the record that there was when it began") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    stream.launch("first", {.cost = 10us});
    Event event = stream.record_event();
    async_wait(event, noted.handler(context));
    stream.launch("second", {.cost = 10us});
    event.record(stream);
    sim::run_context(context);
  });
  CHECK(noted.times == std::vector{Time{10'000}});
}

TEST_CASE("a handler without executor runs on a host thread of the run") {
  std::vector<std::string> log;
  sim::run([&] {
    const Stream stream;
    for (const char* const name : {"first", "second"}) {
      stream.launch("work", {.cost = 10us});
      async_wait(stream, [&log, name](ErrorCode code) {
        sim::sleep_for(15us);
        log.push_back(std::string(name) + " " + code.message() + " " + to_string(sim::now()));
      });
    }
  });  // waits for them
  CHECK(log == std::vector<std::string>{"first Success 25us", "second Success 40us"});
}

TEST_CASE("several host threads run contexts side by side, also one context together") {
  int calls = 0;
  sim::run([&] {
    asio::io_context shared;
    asio::io_context own;
    const auto strand = asio::make_strand(shared);
    const Stream a;
    const Stream b;
    a.launch("work", {.cost = 10us});
    b.launch("work", {.cost = 10us});
    const auto slow = [&](ErrorCode) {
      sim::sleep_for(5us);
      ++calls;
    };
    for (int i = 0; i < 4; ++i) async_wait(a, asio::bind_executor(strand, slow));
    async_wait(b, asio::bind_executor(own, slow));
    sim::thread second([&] { sim::run_context(shared); });
    sim::thread third([&] { sim::run_context(own); });
    sim::run_context(shared);
  });
  CHECK(calls == 5);
}

TEST_CASE("use_fiber blocks the host thread alone, in virtual time") {
  sim::run([] {
    const Stream stream;
    stream.launch("work", {.cost = 10us});
    sim::thread beside([] {
      sim::sleep_for(4us);
      CHECK(sim::now() == Time{4'000});
    });
    async_wait(stream, use_fiber);
    CHECK(sim::now() == Time{10'000});
    stream.backend().fault(stream.handle(), Errc::LaunchFailure, {"fault", {}});
    try {
      async_wait(stream, use_fiber);
      FAIL("the stream has failed");
    } catch (const boost::system::system_error& error) {
      CHECK(error.code() == Errc::LaunchFailure);
    }
  });
}

TEST_CASE("a lazy token begins the wait when it is started, and keeps what it waits for") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    auto wait = [&] {
      Event event;
      event.record(stream);
      stream.launch("work", {.cost = 10us});
      auto lazy = async_wait(event, asio::deferred);
      event.record(stream);
      return lazy;
    }();
    std::move(wait)(noted.handler(context));
    sim::run_context(context);
  });
  CHECK(noted.times == std::vector{Time{10'000}});
}

TEST_CASE("waits are for the device of what they wait for, whatever the current one is") {
  Noted noted;
  sim::run({.devices = 2}, [&] {
    asio::io_context context;
    const Stream near(Device("sim:0"));
    const Stream far(Device("sim:1"));
    near.launch("work", {.cost = 30us});
    far.launch("work", {.cost = 10us});
    set_device(Device("sim:0"));
    async_wait(far, noted.handler(context));
    async_wait(far.record_event(), noted.handler(context));
    async_wait(near, noted.handler(context));
    far.backend().fault(far.handle(), Errc::IllegalAddress, {"fault", {}});
    sim::run_context(context);
  });
  CHECK(noted.times == std::vector{Time{10'000}, Time{10'000}, Time{30'000}});
}

TEST_CASE("a thousand waits at once complete in the order of their work") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    std::vector<Stream> streams(1000);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      streams[i].launch("work", {.cost = Duration{static_cast<std::int64_t>(1000 - i) * 100}});
      async_wait(streams[i], noted.handler(context));
    }
    CHECK(sim::run_context(context) == 1000);
  });
  CHECK(std::ranges::is_sorted(noted.times));
  CHECK(noted.times.front() == Time{100});
  CHECK(noted.times.back() == Time{100'000});
}

TEST_CASE("the same program with waits gives the same trace") {
  const auto trace = [] {
    return sim::run([] {
             asio::io_context context;
             std::vector<Stream> streams(8);
             for (int i = 0; i < 40; ++i) {
               const Stream& stream = streams[static_cast<std::size_t>(i) % 8];
               stream.launch("work", {.cost = Duration{1000 + i * 7919 % 13}});
               async_wait(stream, asio::bind_executor(context, [&stream](ErrorCode) {
                            stream.launch("next", {.cost = 1us});
                          }));
             }
             sim::run_context(context);
           })
        .trace;
  };
  CHECK(trace() == trace());
}
