// SPDX-License-Identifier: Apache-2.0
//
// async_wait inside runs: in virtual time, whatever the completion token.
#include <millrace/async_wait.hpp>
#include <millrace/millrace.hpp>
#include <millrace/sim_asio.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/fiber/future.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;                            // style-ok: literals only
using namespace boost::asio::experimental::awaitable_operators;  // style-ok: operators only
namespace asio = boost::asio;
using Catch::Matchers::ContainsSubstring;

namespace {

using ErrorCode = boost::system::error_code;

/// A handler of `context` that notes what it is told, and when.
struct Noted {
  std::vector<ErrorCode> codes;
  std::vector<Time> times;

  auto handler(asio::io_context& context) {
    return asio::bind_executor(context, [this](ErrorCode code) {
      codes.push_back(code);
      times.push_back(sim::now());
    });
  }
};

/// Boost.Fiber's way to wait: the fiber blocks until the handler has been called.
struct FiberToken {};
constexpr FiberToken fiber_token;

}  // namespace

template <>
class boost::asio::async_result<FiberToken, void(ErrorCode)> {
 public:
  template <typename Initiation, typename... Args>
  static void initiate(Initiation&& initiation, const FiberToken&, Args&&... args) {
    boost::fibers::promise<ErrorCode> promise;
    boost::fibers::future<ErrorCode> future = promise.get_future();
    std::forward<Initiation>(initiation)([&promise](ErrorCode code) { promise.set_value(code); },
                                         std::forward<Args>(args)...);
    if (const ErrorCode code = future.get()) throw boost::system::system_error(code);
  }
};

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

TEST_CASE("cancellation ends the wait with operation_aborted, once, and leaves the work alone") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    stream.launch("work", {.cost = 30us});
    asio::cancellation_signal signal;
    async_wait(stream, asio::bind_cancellation_slot(signal.slot(), noted.handler(context)));
    sim::sleep_for(10us);
    signal.emit(asio::cancellation_type::terminal);
    signal.emit(asio::cancellation_type::terminal);
    CHECK(noted.codes.empty());
    sim::run_context(context);
    CHECK(sim::now() == Time{10'000});
    CHECK_FALSE(stream.query());
    stream.synchronize();
    CHECK(context.poll() == 0);
  });
  CHECK(noted.codes == std::vector<ErrorCode>{asio::error::operation_aborted});
}

TEST_CASE("cancellation after the work was done changes nothing") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    stream.launch("work", {.cost = 30us});
    asio::cancellation_signal signal;
    async_wait(stream, asio::bind_cancellation_slot(signal.slot(), noted.handler(context)));
    sim::sleep_for(50us);
    signal.emit(asio::cancellation_type::total);
    sim::run_context(context);
    signal.emit(asio::cancellation_type::total);
    CHECK(context.poll() == 0);
  });
  CHECK(noted.codes == std::vector<ErrorCode>{ErrorCode{}});
}

TEST_CASE("a fault reaches the handlers of waits made before and after it") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    const Stream other;
    stream.launch("before", {.cost = 5us});
    stream.backend().fault(stream.handle(), Errc::IllegalAddress, {"fault", {}});
    other.launch("slow", {.cost = 1ms});
    async_wait(stream, noted.handler(context));
    async_wait(other, noted.handler(context));
    sim::run_context(context);
    async_wait(stream, noted.handler(context));
    context.restart();
    sim::run_context(context);
    CHECK(last_error() == Errc::IllegalAddress);
  });
  CHECK(noted.codes == std::vector<ErrorCode>(3, Errc::IllegalAddress));
  CHECK(noted.times.front() == noted.times.back());
  CHECK(noted.codes.front().message() == "IllegalAddress");
  CHECK(std::error_code(noted.codes.front()).value() == 700);
}

TEST_CASE("what must not be waited for is answered to the handler, as synchronize would answer") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    {
      const GraphCapture capture(stream, CaptureMode::relaxed);
      async_wait(stream, noted.handler(context));
    }
    sim::run_context(context);
  });
  CHECK(noted.codes == std::vector<ErrorCode>{Errc::StreamCaptureUnsupported});
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

TEST_CASE("Boost.Fiber's promises can be the token") {
  sim::run([] {
    const Stream stream;
    stream.launch("work", {.cost = 10us});
    async_wait(stream, fiber_token);
    CHECK(sim::now() == Time{10'000});
    stream.backend().fault(stream.handle(), Errc::LaunchFailure, {"fault", {}});
    CHECK_THROWS_AS(async_wait(stream, fiber_token), boost::system::system_error);
  });
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

TEST_CASE("a context that goes with waits pending takes their handlers with it, uncalled") {
  const auto alive = std::make_shared<int>();
  bool called = false;
  sim::run([&] {
    const Stream stream;
    {
      asio::io_context context;
      stream.launch("work", {.cost = 10us});
      const auto handler = [&called, alive](ErrorCode) { called = true; };
      async_wait(stream, asio::bind_executor(context, handler));
      async_wait(Event{}, asio::bind_executor(context, handler));  // posted already
      CHECK(alive.use_count() > 1);
    }
    CHECK(alive.use_count() == 1);
    stream.synchronize();
  });
  CHECK_FALSE(called);
}

TEST_CASE("a context that outlives its run still calls each handler once") {
  asio::io_context context;
  std::vector<ErrorCode> codes;
  auto note = asio::bind_executor(context, [&](ErrorCode code) { codes.push_back(code); });
  const auto alive = std::make_shared<int>();
  sim::run([&] {
    const Stream done;
    async_wait(done, note);
    const Stream stuck;
    const Handle flag = stuck.backend().create_flag("flag", {"flag", {}});
    stuck.backend().await_flag(stuck.handle(), flag, FlagCondition::equal, 1, {"await", {}});
    async_wait(stuck, note);
    async_wait(stuck, [alive](ErrorCode) { FAIL("its thread has gone with the run"); });
  });
  CHECK(alive.use_count() == 1);
  CHECK(context.run() == 2);
  CHECK(codes == std::vector<ErrorCode>(2, Errc::InvalidResourceHandle));
}

TEST_CASE("when nothing can complete a wait, that is a deadlock that names it") {
  const sim::Report report = sim::run([] {
    asio::io_context context;
    const Stream stream({.name = "upload"});
    const Handle flag = stream.backend().create_flag("go", {"flag", {}});
    stream.backend().await_flag(stream.handle(), flag, FlagCondition::equal, 1, {"await", {}});
    async_wait(stream, asio::bind_executor(context, [](ErrorCode) {}));
    sim::run_context(context);
    FAIL("it cannot go on");
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::deadlock);
  INFO(describe(report.findings.front()));
  CHECK_THAT(describe(report.findings.front()), ContainsSubstring("upload"));
}

TEST_CASE("what a handler throws leaves the run") {
  const auto run = [](bool with_executor) {
    sim::run([with_executor] {
      asio::io_context context;
      const auto handler = [](ErrorCode) { throw std::runtime_error("mine"); };
      if (with_executor) {
        async_wait(Stream{}, asio::bind_executor(context, handler));
      } else {
        async_wait(Stream{}, handler);
      }
      sim::run_context(context);
    });
  };
  CHECK_THROWS_WITH(run(true), "mine");
  CHECK_THROWS_WITH(run(false), "mine");
}

TEST_CASE("event loops belong to runs") {
  asio::io_context context;
  CHECK_THROWS_AS(sim::run_context(context), Error);
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
