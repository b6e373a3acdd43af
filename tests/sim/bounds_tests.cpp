// SPDX-License-Identifier: Apache-2.0
//
// How far a run may go: in time, in operations, in regions.
#include "../support/code_of.hpp"
#include "thread_hosts.hpp"

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using millrace::test::code_of;

TEST_CASE("virtual time is bounded where the options say so") {
  const auto endless = [] {
    while (true) sim::sleep_for(1ms);
  };
  CHECK(code_of([&] { sim::run({.max_time = 10s}, endless); }) == Errc::LaunchTimeout);
  const auto long_kernel = [] { Stream{}.launch("long", {.cost = 11s}); };
  CHECK(code_of([&] { sim::run({.max_time = 10s}, long_kernel); }) == Errc::LaunchTimeout);
  CHECK(code_of([&] { sim::run({.max_time = 11s}, long_kernel); }) == Errc::Success);
}

TEST_CASE("virtual time ends where a trace's times do, in silence never") {
  const auto launches = [](int count) {
    sim::run([count] {
      const Stream stream;
      for (int i = 0; i < count; ++i) stream.launch("long", {.cost = Duration::longest()});
    });
  };
  CHECK(code_of([&] { launches(2); }) == Errc::Success);
  CHECK_THROWS_MATCHES(launches(3), Error,
                       MessageMatches(ContainsSubstring("the last that a run can reach")));
  const auto sleeps = [] {
    for (int i = 0; i < 3; ++i) sim::sleep_for(Duration::longest());
  };
  CHECK(code_of([&] { sim::run(sleeps); }) == Errc::LaunchTimeout);
}

TEST_CASE("the number of operations is bounded where the options say so") {
  const auto endless = [] {
    const Stream stream;
    while (true) stream.launch("again");
  };
  CHECK(code_of([&] { sim::run({.max_operations = 1000}, endless); }) == Errc::LaunchTimeout);
}

TEST_CASE("a sleep longer than a run can be is refused, a negative one is none") {
  const auto too_long = [] { sim::sleep_for(Duration{Time::never().ns}); };
  CHECK(code_of(too_long) == Errc::InvalidValue);  // on the process's own machine
  sim::run([&] {
    CHECK(code_of(too_long) == Errc::InvalidValue);
    sim::sleep_for(Duration{-5});
    CHECK(sim::now() == Time{0});
  });
}

TEST_CASE("virtual time ends outside of runs too") {
  struct NoDevices final : sim::Clockwork {
    [[nodiscard]] Time next_event() const override { return Time::never(); }
    void advance_to(Time) override {}
  };
  NoDevices devices;
  sim::ThreadHosts hosts;
  hosts.drive(devices);
  std::unique_lock<std::mutex> lock = hosts.lock();
  hosts.spend(Duration::longest(), lock);
  hosts.spend(Duration::longest(), lock);
  CHECK(hosts.now() == Time::latest());
  CHECK(code_of([&] { hosts.spend(Duration{1}, lock); }) == Errc::LaunchTimeout);
}

TEST_CASE("a cost that is negative or longer than a run can be is refused") {
  sim::run([] {
    const Stream stream;
    const Buffer<int> device(4);
    const Buffer<int> host(4, MemoryKind::pinned);
    const Duration too_long = Duration::longest() + Duration{1};
    for (const Duration cost : {Duration{-1}, too_long, Duration{Time::never().ns}}) {
      CHECK(code_of([&] { stream.launch("k", {.cost = cost}); }) == Errc::InvalidValue);
      CHECK(code_of([&] { stream.call("f", {.cost = cost}, nullptr); }) == Errc::InvalidValue);
      CHECK(code_of([&] { stream.copy(device, host, {.cost = cost}); }) == Errc::InvalidValue);
      CHECK(code_of([&] { stream.fill(device, 0, {.cost = cost}); }) == Errc::InvalidValue);
    }
    CHECK_THROWS_MATCHES(stream.launch("k", {.cost = -5us}), Error,
                         MessageMatches(ContainsSubstring("a cost of -5us is negative")));
    stream.launch("k", {.cost = Duration{0}});
  });
}

TEST_CASE("an operation may declare more regions than 16 bits count") {
  constexpr std::size_t count = 65'536;
  const sim::Report report = sim::run([] {
    const Buffer<char> buffer(count, {.name = "A"});
    const std::vector<Access> bytes(count, buffer.range(0, 1));
    Stream({.name = "s"}).launch("many", {.writes = std::span<const Access>(bytes)});
    Stream({.name = "t"}).launch("one", {.reads = {buffer}});
    current_device().synchronize();
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::race);
}
