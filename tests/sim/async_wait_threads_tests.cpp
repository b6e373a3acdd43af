// SPDX-License-Identifier: Apache-2.0
//
// async_wait outside of runs: ordinary threads, real time, the process's own machine.
#include <millrace/async_wait.hpp>
#include <millrace/millrace.hpp>
#include <millrace/use_fiber.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/fiber/fiber.hpp>
#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;                            // style-ok: literals only
using namespace boost::asio::experimental::awaitable_operators;  // style-ok: operators only
namespace asio = boost::asio;

namespace {

using ErrorCode = boost::system::error_code;

Stream stream_of_process() { return Stream(Device("sim:0")); }

/// Holds a stream until it goes.
class Held {
 public:
  explicit Held(const Stream& stream) {
    stream.call("held", [future = promise_.get_future().share()] { future.wait(); });
  }
  ~Held() { promise_.set_value(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  std::promise<void> promise_;
};

}  // namespace

TEST_CASE("a future becomes ready, and nobody else need wait") {
  const Stream stream = stream_of_process();
  const Time before = sim::now();
  stream.launch("work", {.cost = 1h});
  std::future<void> done = async_wait(stream, asio::use_future);
  REQUIRE(done.wait_for(60s) == std::future_status::ready);
  CHECK_NOTHROW(done.get());
  CHECK(sim::now() - before >= Duration{1h});
}

TEST_CASE("devices stand still while nothing waits, asynchronously or not") {
  const Stream stream = stream_of_process();
  stream.launch("first", {.cost = 5us});
  async_wait(stream, asio::use_future).get();
  stream.launch("second", {.cost = 5us});
  std::this_thread::sleep_for(20ms);
  CHECK_FALSE(stream.query());
  stream.synchronize();
}

TEST_CASE("io_context::run returns when the handlers have run, on its own thread") {
  asio::io_context context;
  const Stream stream = stream_of_process();
  std::vector<std::thread::id> threads;
  for (int i = 0; i < 3; ++i) {
    stream.launch("work", {.cost = 1ms});
    async_wait(stream, asio::bind_executor(context, [&](ErrorCode) {
                 threads.push_back(std::this_thread::get_id());
               }));
  }
  CHECK(context.run() == 3);
  CHECK(threads == std::vector(3, std::this_thread::get_id()));
}

TEST_CASE("a real timer cancels a wait for work that is held") {
  asio::io_context context;
  const Stream stream = stream_of_process();
  auto held = std::make_unique<Held>(stream);
  bool timed_out = false;
  const auto wait = [&]() -> asio::awaitable<void> {
    asio::steady_timer timer(context, 20ms);
    const auto first =
        co_await (async_wait(stream, asio::use_awaitable) || timer.async_wait(asio::use_awaitable));
    timed_out = first.index() == 1;
  };
  asio::co_spawn(context, wait(), [](std::exception_ptr failure) { CHECK_FALSE(failure); });
  context.run();
  CHECK(timed_out);
  CHECK_FALSE(stream.query());
  held.reset();
  stream.synchronize();
}

TEST_CASE("a handler without executor runs on a thread of the runtime, where it may call it") {
  const Stream stream = stream_of_process();
  stream.launch("work", {.cost = 1ms});
  std::promise<std::thread::id> ran;
  async_wait(stream, [&](ErrorCode code) {
    CHECK_FALSE(code);
    stream.launch("more", {.cost = 1ms});
    stream.synchronize();
    ran.set_value(std::this_thread::get_id());
  });
  CHECK(ran.get_future().get() != std::this_thread::get_id());
}

TEST_CASE("use_fiber blocks a fiber, and leaves its thread to the others") {
  const Stream stream = stream_of_process();
  auto held = std::make_unique<Held>(stream);
  std::vector<int> order;
  boost::fibers::fiber waiting([&] {
    async_wait(stream, use_fiber);
    order.push_back(2);
  });
  boost::fibers::fiber beside([&] {
    order.push_back(1);
    held.reset();
  });
  waiting.join();
  beside.join();
  CHECK(order == std::vector{1, 2});
}

TEST_CASE("what must not be waited for reaches futures as an error") {
  const Stream stream = stream_of_process();
  const GraphCapture capture(stream, CaptureMode::relaxed);
  std::future<void> done = async_wait(stream, asio::use_future);
  REQUIRE(done.wait_for(60s) == std::future_status::ready);
  try {
    done.get();
    FAIL("the stream captures");
  } catch (const boost::system::system_error& error) {
    CHECK(error.code() == Errc::StreamCaptureUnsupported);
  }
}

TEST_CASE("each of many waits of many threads completes once, whatever cancels it meanwhile") {
  constexpr int threads = 4;
  constexpr int waits = 100;
  asio::thread_pool pool(2);
  std::atomic<int> completed{0};
  std::atomic<int> cancelled{0};
  std::atomic<std::size_t> handlers{0};
  std::vector<std::thread> waiters;
  for (int t = 0; t < threads; ++t) {
    waiters.emplace_back([&] {
      const Stream stream = stream_of_process();
      for (int i = 0; i < waits; ++i) {
        asio::io_context context;  // slots are for one thread
        asio::cancellation_signal signal;
        stream.launch("work", {.cost = 1us});
        async_wait(stream, asio::bind_cancellation_slot(
                               signal.slot(), asio::bind_executor(context, [&](ErrorCode code) {
                                 ++(code == asio::error::operation_aborted ? cancelled : completed);
                               })));
        if (i % 2 == 0) signal.emit(asio::cancellation_type::total);
        async_wait(stream, asio::bind_executor(pool, [&](ErrorCode) { ++completed; }));
        handlers += context.run();
      }
    });
  }
  for (std::thread& waiter : waiters) waiter.join();
  pool.join();
  CHECK(handlers == threads * waits);
  CHECK(completed + cancelled == 2 * threads * waits);
  CHECK(completed >= 2 * threads * waits - threads * waits / 2);
}

TEST_CASE("a context that goes while its waits complete takes each handler or has called it") {
  const Stream stream = stream_of_process();
  for (int i = 0; i < 200; ++i) {
    const auto alive = std::make_shared<int>();
    {
      asio::io_context context;
      stream.launch("work", {.cost = 1us});
      async_wait(stream, asio::bind_executor(context, [alive](ErrorCode) {}));
      std::latch noticed(1);
      async_wait(stream, [&](ErrorCode) { noticed.count_down(); });
      if (i % 2 == 0) noticed.wait();
      context.poll_one();
      if (i % 2 != 0) noticed.wait();
    }
    CHECK(alive.use_count() == 1);
  }
}
