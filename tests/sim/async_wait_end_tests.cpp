// SPDX-License-Identifier: Apache-2.0
//
// async_wait inside runs when it ends otherwise than in success: cancelled, refused, failed, or
// with the end of the run, of its context or of what it waits for.
#include "async_support.hpp"

#include <millrace/async_wait.hpp>
#include <millrace/millrace.hpp>
#include <millrace/sim_asio.hpp>
#include <millrace/use_fiber.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/thread_pool.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only
namespace asio = boost::asio;
using Catch::Matchers::ContainsSubstring;
using test::ErrorCode;
using test::Noted;

TEST_CASE("cancellation ends the wait with operation_aborted, once, and leaves the work alone") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    stream.launch("work", {.cost = 30us});
    asio::cancellation_signal signal;
    async_wait(stream, asio::bind_cancellation_slot(signal.slot(), noted.handler(context)));
    sim::sleep_for(10us);
    signal.emit(asio::cancellation_type::none);
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
    test::block(stuck);
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
    test::block(stream);
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

TEST_CASE("a deadlock while a fiber waits is told, and the fiber unwound") {
  bool unwound = false;
  const sim::Report report = sim::run([&] {
    const Stream stream({.name = "upload"});
    test::block(stream);
    const std::shared_ptr<void> last(nullptr, [&](void*) { unwound = true; });
    async_wait(stream, use_fiber);
    FAIL("it cannot go on");
  });
  CHECK(unwound);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::deadlock);
  CHECK_THAT(describe(report.findings.front()), ContainsSubstring("upload"));
}

TEST_CASE("a fiber that waits when another host thread throws is unwound") {
  bool unwound = false;
  const auto run = [&] {
    sim::run([&] {
      const Stream stream;
      stream.launch("work", {.cost = 1s});
      sim::thread waiting([&] {
        const std::shared_ptr<void> last(nullptr, [&](void*) { unwound = true; });
        async_wait(stream, use_fiber);
      });
      sim::sleep_for(1us);
      throw std::runtime_error("mine");
    });
  };
  CHECK_THROWS_WITH(run(), "mine");
  CHECK(unwound);
}

TEST_CASE("streams and events may go while they are waited for, and be moved from") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    {
      Stream stream;
      stream.launch("work", {.cost = 10us});
      Event event = stream.record_event();
      const Stream moved = std::move(stream);
      const Event elsewhere = std::move(event);
      async_wait(stream, noted.handler(context));  // NOLINT(bugprone-use-after-move)
      async_wait(event, noted.handler(context));   // NOLINT(bugprone-use-after-move)
      async_wait(moved, noted.handler(context));
      async_wait(elsewhere, noted.handler(context));
    }
    sim::run_context(context);
  });
  CHECK(noted.codes == std::vector<ErrorCode>(4));
  CHECK(noted.times == std::vector(4, Time{10'000}));
}

TEST_CASE("what was destroyed is answered to the handler") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    const Event event = stream.record_event();
    current_device().reset();
    async_wait(stream, noted.handler(context));
    async_wait(event, noted.handler(context));
    sim::run_context(context);
  });
  CHECK(noted.codes == std::vector<ErrorCode>(2, Errc::InvalidResourceHandle));
}

TEST_CASE("a device reset ends the waits for what it throws away") {
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    const Stream stream;
    test::block(stream);
    async_wait(stream, noted.handler(context));
    sim::sleep_for(5us);
    current_device().reset();
    sim::run_context(context);
  });
  CHECK(noted.times == std::vector{Time{5'000}});
}

TEST_CASE("streams of a run that has ended are answered to the handler") {
  std::optional<Stream> former;
  sim::run([&] { former.emplace(); });
  Noted noted;
  sim::run([&] {
    asio::io_context context;
    async_wait(*former, noted.handler(context));
    sim::run_context(context);
  });
  CHECK(noted.codes == std::vector<ErrorCode>{Errc::InvalidResourceHandle});
}

TEST_CASE("a handler on a thread that the run does not know is told so") {
  asio::thread_pool pool(1);
  std::promise<ErrorCode> told;
  sim::run([&] {
    const Stream stream;
    stream.launch("work", {.cost = 10us});
    async_wait(stream, asio::bind_executor(pool, [&](ErrorCode code) { told.set_value(code); }));
    sim::sleep_for(20us);
    CHECK(told.get_future().get() == Errc::NotPermitted);
  });
  pool.join();
}

TEST_CASE("inside the body of an operation nothing can be waited for") {
  Errc code = Errc::Success;
  sim::run([&] {
    const Stream stream;
    const auto wait = [&] {
      try {
        async_wait(stream, [](ErrorCode) { FAIL("it was refused"); });
      } catch (const Error& error) {
        code = error.code();
      }
    };
    SECTION("of a kernel") { stream.launch("kernel", {.cost = 1us}, wait); }
    SECTION("of a host function") { stream.call("function", wait); }
    stream.synchronize();
  });
  CHECK(code == Errc::NotPermitted);
}
