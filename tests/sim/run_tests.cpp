// SPDX-License-Identifier: Apache-2.0
#include "../support/code_of.hpp"

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using millrace::test::code_of;

TEST_CASE("a run of nothing ends at time zero and finds nothing") {
  const sim::Report report = sim::run([] {});
  CHECK(report.end_time == Time{0});
  CHECK(report.findings.empty());
  CHECK(report.trace.threads.size() == 1);
  CHECK(report.trace.string(report.trace.threads[0].name) == "main");
  CHECK(report.trace.end_ns == 0);
}

TEST_CASE("a blocking call takes virtual time, not real time") {
  Time after;
  const sim::Report report = sim::run([&] {
    const Stream stream;
    stream.launch("work", {.cost = 1h});
    CHECK(sim::now() == Time{0});
    stream.synchronize();
    after = sim::now();
  });
  CHECK(after == Time{} + Duration{1h});
  CHECK(report.end_time == after);
}

TEST_CASE("a run ends when its work is done, waited for or not") {
  const sim::Report report = sim::run([] { Stream{}.launch("work", {.cost = 30us}); });
  CHECK(report.end_time == Time{30'000});
}

TEST_CASE("the end of a run includes the host's own computing") {
  const sim::Report report = sim::run([] {
    Stream{}.launch("work", {.cost = 30us});
    sim::sleep_for(50us);
  });
  CHECK(report.end_time == Time{50'000});
}

TEST_CASE("sleeping lets the devices go on") {
  sim::run([] {
    const Stream stream;
    stream.launch("work", {.cost = 30us});
    sim::sleep_for(29'999ns);
    CHECK_FALSE(stream.query());
    sim::sleep_for(1ns);
    CHECK(stream.query());
    CHECK(sim::now() == Time{30'000});
  });
}

TEST_CASE("polling an event lets time pass") {
  const sim::Report report = sim::run([] {
    const Stream stream;
    stream.launch("work", {.cost = 30us});
    const Event done = stream.record_event();
    while (!done.query()) {
    }
    CHECK(sim::now() == Time{30'000});
  });
  CHECK(report.findings.empty());
}

TEST_CASE("the device of a run is sim:0, and there are as many as asked for") {
  sim::run({.devices = 3}, [] {
    CHECK(current_device().to_string() == "sim:0");
    CHECK(device_count("sim") == 3);
    CHECK(code_of([] { Device{"sim:3"}.synchronize(); }) == Errc::InvalidDevice);
  });
}

TEST_CASE("options that make no sense are named") {
  CHECK_THROWS_MATCHES(sim::run({.devices = 0}, [] {}), Error,
                       MessageMatches(ContainsSubstring("options.devices")));
  CHECK_THROWS_MATCHES(sim::run({.devices = 65}, [] {}), Error,
                       MessageMatches(ContainsSubstring("options.devices")));
  CHECK_THROWS_MATCHES(sim::run({.max_time = Duration{-1}}, [] {}), Error,
                       MessageMatches(ContainsSubstring("options.max_time")));
  CHECK_THROWS_MATCHES(sim::run({.watchdog = Duration{-1}}, [] {}), Error,
                       MessageMatches(ContainsSubstring("options.watchdog")));
  CHECK(code_of([] { sim::run({.profile = "no such"}, [] {}); }) == Errc::InvalidValue);
  CHECK(code_of([] { sim::run(nullptr); }) == Errc::InvalidValue);
}

TEST_CASE("runs do not nest") {
  bool refused = false;
  sim::run([&] { refused = code_of([] { sim::run([] {}); }) == Errc::NotPermitted; });
  CHECK(refused);
}

TEST_CASE("an exception of the body leaves the run, and the next run works") {
  CHECK_THROWS_MATCHES(sim::run([] {
                         Stream{}.launch("work");
                         throw std::runtime_error("from the body");
                       }),
                       std::runtime_error, Catch::Matchers::Message("from the body"));
  CHECK(sim::run([] { Stream{}.launch("work"); }).end_time == Time{10'000});
}

TEST_CASE("an exception of a kernel's body leaves the run") {
  bool went_on = false;
  CHECK_THROWS_MATCHES(sim::run([&] {
                         const Stream stream;
                         stream.launch("bad", {}, [] { throw std::runtime_error("in a kernel"); });
                         stream.synchronize();
                         went_on = true;
                       }),
                       std::runtime_error, Catch::Matchers::Message("in a kernel"));
  CHECK_FALSE(went_on);
}

TEST_CASE("destructors that call the API while a run is given up do no harm") {
  struct Last {
    Stream stream;
    ~Last() {
      try {
        stream.synchronize();
      } catch (const Error&) {
        FAIL("a given-up run answers calls of destructors by returning");
      }
    }
  };
  CHECK_THROWS_AS(sim::run([] {
                    const Last last;
                    last.stream.launch("bad", {}, [] { throw 42; });
                    last.stream.synchronize();
                  }),
                  int);
}

TEST_CASE("what belongs to a run cannot be used after it") {
  std::optional<Stream> kept;
  sim::run([&] { kept.emplace(); });
  CHECK(code_of([&] { kept->synchronize(); }) == Errc::InvalidResourceHandle);
}

TEST_CASE("a run leaves the last error and the current device of its caller alone") {
  static_cast<void>(last_error());
  const std::string device = current_device().to_string();
  sim::run({.devices = 2}, [] {
    set_device(Device{"sim:1"});
    CHECK(code_of([] { Device{"sim:9"}.synchronize(); }) == Errc::InvalidDevice);
    CHECK(peek_last_error() == Errc::InvalidDevice);
  });
  CHECK(peek_last_error() == Errc::Success);
  CHECK(current_device().to_string() == device);
}

TEST_CASE("equal runs give equal traces and tokens") {
  const auto body = [] {
    const Stream first;
    const Stream second;
    first.launch("a", {.cost = 5us});
    second.wait_stream(first);
    second.launch("b", {.cost = 7us});
    second.synchronize();
    sim::sleep_for(1us);
  };
  const sim::Report one = sim::run({.seed = 7}, body);
  const sim::Report two = sim::run({.seed = 7}, body);
  CHECK(one.trace == two.trace);
  CHECK(one.replay == two.replay);
  CHECK(one.replay.starts_with("mr1-"));
  const sim::Report other_seed = sim::run({.seed = ~std::uint64_t{0}}, body);
  CHECK(other_seed.replay != one.replay);
  CHECK(other_seed.replay.size() <= 24);
}

TEST_CASE("thousands of runs in a row leave nothing behind") {
  for (int i = 0; i < 5000; ++i) {
    REQUIRE(sim::run({.trace = i % 2 == 0}, [] { Stream{}.launch("work"); }).end_time ==
            Time{10'000});
  }
}

TEST_CASE("host threads' objects say that they need a run") {
  CHECK(code_of([] { sim::mutex{}.lock(); }) == Errc::NotPermitted);
  CHECK(code_of([] { sim::condition_variable{}.notify_one(); }) == Errc::NotPermitted);
  CHECK(code_of([] { sim::thread([] {}); }) == Errc::NotPermitted);
}
