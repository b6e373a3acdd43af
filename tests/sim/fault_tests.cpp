// SPDX-License-Identifier: Apache-2.0
// Faults that runs meet on purpose, and what is left of a device after them.

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: only literals
using Catch::Matchers::ContainsSubstring;

namespace {

/// The code of the Error that `call` throws; Success if it throws none.
template <typename Call>
Errc code_of(Call&& call) {
  try {
    call();
    return Errc::Success;
  } catch (const Error& error) {
    return error.code();
  }
}

template <typename Call>
std::string message_of(Call&& call) {
  try {
    call();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

sim::Options meeting(const std::string& fault) {
  sim::Options options;
  sim::add_injection(fault, options.inject);
  return options;
}

}  // namespace

TEST_CASE("an operation fails by name and number: what came before is done, the rest never runs") {
  std::vector<int> ran;
  sim::run(meeting("fail:step#2:LaunchFailure"), [&] {
    const Stream stream;
    for (int i = 0; i < 3; ++i) stream.launch("step", {}, [&ran, i] { ran.push_back(i); });
    CHECK(code_of([&] { stream.synchronize(); }) == Errc::LaunchFailure);
    CHECK(code_of([] { Stream{}; }) == Errc::LaunchFailure);
    CHECK_THAT(message_of([&] { static_cast<void>(stream.query()); }),
               ContainsSubstring("kernel 'step' (enqueued at") &&
                   ContainsSubstring("a fault that the run injects"));
  });
  CHECK(ran == std::vector<int>{0});
}

TEST_CASE("operations of any kind fail by their number") {
  for (const char* const fault : {"fail:#1:ECCUncorrectable", "fail:#2:ECCUncorrectable",
                                  "fail:#3:ECCUncorrectable", "fail:#4:ECCUncorrectable"}) {
    sim::run(meeting(fault), [&] {
      const Buffer<char> data(64);
      const Stream stream;
      stream.fill(data, 0);                      // 1
      stream.call("host", [] {});                // 2
      const Event done = stream.record_event();  // 3
      default_stream().wait_event(done);         // 4
      CHECK(code_of([] { current_device().synchronize(); }) == Errc::ECCUncorrectable);
    });
  }
}

TEST_CASE("a refused operation is an error of its call and of nothing else") {
  sim::run(meeting("refuse:second:LaunchOutOfResources"), [] {
    const Stream stream({.name = "worker"});
    bool ran = false;
    stream.launch("first");
    CHECK(code_of([&] { stream.launch("second", {}, [&] { ran = true; }); }) ==
          Errc::LaunchOutOfResources);
    stream.launch("second");  // the second of them is not concerned
    stream.synchronize();
    CHECK_FALSE(ran);
    CHECK(last_error() == Errc::LaunchOutOfResources);
  });
}

TEST_CASE("nodes of a graph fail when they run, refused or not") {
  for (const char* const fault : {"fail:node#2:IllegalAddress", "refuse:node#2:IllegalAddress"}) {
    sim::run(meeting(fault), [] {
      Graph graph;
      graph.add_kernel("node");
      const GraphExec executable = graph.instantiate();
      const Stream stream;
      executable.launch(stream);
      stream.synchronize();
      executable.launch(stream);
      CHECK(code_of([&] { stream.synchronize(); }) == Errc::IllegalAddress);
      CHECK(code_of([&] { executable.launch(stream); }) == Errc::IllegalAddress);
      CHECK(code_of([] { const Graph another; }) == Errc::IllegalAddress);
    });
  }
}

TEST_CASE("a device has no more memory than it is given") {
  sim::run(meeting("memory:1KiB"), [] {
    const Buffer<char> half(512, {.name = "half"});
    CHECK_THAT(message_of([] { const Buffer<char> more(513, {.name = "more"}); }),
               ContainsSubstring("Buffer: MemoryAllocation: there is no room for the 513 bytes of "
                                 "memory 'more': sim:0 has 1024, of which 512 are in use"));
    { const Buffer<char> rest(512); }
    const Buffer<char> again(512);
    CHECK(last_error() == Errc::MemoryAllocation);
    const Buffer<char> host(4096, MemoryKind::pinned);  // not the device's
  });
}

TEST_CASE("a lost device answers so from then on, and its peer goes on") {
  sim::Options options = meeting("lose:1:50us");
  options.devices = 2;
  bool waiter_ran = false;
  const sim::Report report = sim::run(options, [&] {
    const Stream here(Device("sim:0"));
    const Stream there(Device("sim:1"));
    there.launch("long", {.cost = 1ms});
    const Event never = there.record_event();
    here.wait_event(never);
    here.launch("waiter", {}, [&] { waiter_ran = true; });
    CHECK_THAT(message_of([&] { there.synchronize(); }),
               ContainsSubstring("Stream::synchronize: DevicesUnavailable: device sim:1 was lost "
                                 "at 50us, a fault that the run injects"));
    CHECK(sim::now() == Time{50'000});
    CHECK(code_of([&] { there.launch("more"); }) == Errc::DevicesUnavailable);
    here.synchronize();
  });
  CHECK(waiter_ran);
  CHECK(report.end_time == Time{60'000});
}

TEST_CASE("a device is lost when it is idle too, and loss ends what would wait for ever") {
  sim::run(meeting("lose:0:50us"), [] {
    const Stream stream;
    sim::sleep_for(49us);
    CHECK(stream.query());
    sim::sleep_for(1us);
    CHECK(code_of([&] { static_cast<void>(stream.query()); }) == Errc::DevicesUnavailable);
  });
  const sim::Report report = sim::run(meeting("lose:0:50us"), [] {
    const Flag never;
    const Stream stream;
    stream.await_flag(never, FlagCondition::equal, 1);
    CHECK(code_of([&] { stream.synchronize(); }) == Errc::DevicesUnavailable);
  });
  CHECK(report.findings.empty());
  CHECK(sim::run(meeting("lose:0:50us"), [] {}).end_time == Time{0});
}

TEST_CASE("a slow engine takes its factor longer, on one device or on all") {
  const auto end_of = [](const std::string& fault) {
    sim::Options options = meeting(fault);
    options.devices = 2;
    return sim::run(options, [] { Stream(Device("sim:1")).launch("k", {.cost = 10us}); }).end_time;
  };
  CHECK(end_of("slow:kernels:2.5") == Time{25'000});
  CHECK(end_of("slow:kernels@1:3") == Time{30'000});
  CHECK(end_of("slow:kernels@0:3") == Time{10'000});
  CHECK(end_of("slow:to-host:3") == Time{10'000});
  sim::run(meeting("slow:to-device:2"), [] {
    const Buffer<char> device(1024);
    const Buffer<char> host(1024, MemoryKind::pinned);
    const Stream stream;
    stream.copy(device, host, {.cost = 10us});
    stream.copy(host, device, {.cost = 10us});
    stream.synchronize();
    CHECK(sim::now() == Time{30'000});
  });
}

TEST_CASE("faults that make no sense are refused, in words") {
  const auto message = [](const std::string& fault) {
    return message_of([&] { sim::run(meeting(fault), [] {}); });
  };
  CHECK_THAT(message("fall:x:LaunchFailure"), ContainsSubstring("begins with fail, refuse, lose"));
  CHECK_THAT(message("fail:x"), ContainsSubstring("the error, e.g. LaunchFailure, is missing"));
  CHECK_THAT(message("fail:x:NoSuch"), ContainsSubstring("there is no error 'NoSuch'"));
  CHECK_THAT(message("fail:x#0:LaunchFailure"), ContainsSubstring("count from 1 on"));
  CHECK_THAT(message("fail:x:Success"), ContainsSubstring("Success is no failure"));
  CHECK_THAT(message("fail::LaunchFailure"), ContainsSubstring("no operation is named"));
  CHECK_THAT(message("fail:x:LaunchFailure:y"), ContainsSubstring("nothing is expected behind"));
  CHECK_THAT(message("lose:1:5us"), ContainsSubstring("cannot lose device 1, and the machine has"));
  CHECK_THAT(message("lose:0:5"), ContainsSubstring("'5' is not a time"));
  CHECK_THAT(message("slow:engine:2"), ContainsSubstring("'engine' is not kernels, to-device"));
  CHECK_THAT(message("slow:kernels:0"), ContainsSubstring("percentage is 1 to"));
  CHECK_THAT(message("memory:much"), ContainsSubstring("'much' is not a size"));
}

TEST_CASE("runs with the same faults are the same, and their tokens say that there were some") {
  const auto trace = [](const sim::Options& options) {
    return sim::run(options, [] { Stream{}.launch("k"); });
  };
  const sim::Report first = trace(meeting("fail:k:LaunchFailure"));
  CHECK(first.trace == trace(meeting("fail:k:LaunchFailure")).trace);
  CHECK(first.replay != trace({}).replay);
  CHECK_THAT(first.trace.producer, ContainsSubstring("faults injected"));
}
