// SPDX-License-Identifier: Apache-2.0
//
// Processes that end, are killed, lose their work or destroy what others use: nobody waits for
// ever.
#include "peer.hpp"

#include <millrace/async_wait.hpp>
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only
using test::Peer;

namespace {

Errc code_of(const std::function<void()>& call) {
  try {
    call();
    return Errc::Success;
  } catch (const Error& error) {
    return error.code();
  }
}

Event open_from(Peer& peer) {
  return Event::from_ipc_handle(Device("sim:0"), test::handle_of(peer.ask("make")));
}

/// An event of the peer's whose latest record is held.
Event open_pending(Peer& peer) {
  Event event = open_from(peer);
  CHECK(peer.ask("hold") == "Success");
  CHECK(peer.ask("record 10") == "Success");
  CHECK_FALSE(event.query());
  return event;
}

void inside_and_outside_of_runs(const std::function<void()>& body) {
  SECTION("inside a run") { sim::run(body); }
  SECTION("outside of runs") { body(); }
}

std::size_t shared_memories_of(int process) {
  const std::string by_process = "-" + std::to_string(process) + "-";
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("millrace-") && name.find(by_process) != std::string::npos) ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("a process that was killed before its record was complete is told of, not waited for") {
  inside_and_outside_of_runs([] {
    Peer peer;
    Event event = open_pending(peer);
    const Stream waiting(Device("sim:0"));
    waiting.wait_event(event);
    waiting.launch("after", {.cost = 1us});
    peer.kill();
    CHECK(code_of([&] { event.synchronize(); }) == Errc::ContextIsDestroyed);
    CHECK(code_of([&] { static_cast<void>(event.query()); }) == Errc::ContextIsDestroyed);
    CHECK(code_of([&] { waiting.wait_event(event); }) == Errc::ContextIsDestroyed);
    waiting.synchronize();
    event.record(waiting);  // the event itself can still be used here
    event.synchronize();
    CHECK(event.query());
  });
}

TEST_CASE("a process that is killed while another waits wakes it") {
  inside_and_outside_of_runs([] {
    Peer peer;
    const Event event = open_pending(peer);
    std::thread killer([&] {
      std::this_thread::sleep_for(50ms);
      peer.kill();
    });
    CHECK(code_of([&] { event.synchronize(); }) == Errc::ContextIsDestroyed);
    killer.join();
  });
}

TEST_CASE("a process that returns from main with work undone takes its events with it") {
  inside_and_outside_of_runs([] {
    Peer peer;
    const Event event = open_pending(peer);
    const Stream waiting(Device("sim:0"));
    waiting.wait_event(event);
    peer.leave();
    CHECK(code_of([&] { event.synchronize(); }) == Errc::InvalidResourceHandle);
    waiting.synchronize();
  });
}

TEST_CASE("asking again and again ends when the process does") {
  inside_and_outside_of_runs([] {
    Peer peer;
    const Event event = open_pending(peer);
    std::thread killer([&] {
      std::this_thread::sleep_for(20ms);
      peer.kill();
    });
    Errc code = Errc::Success;
    while (code == Errc::Success) {
      code = code_of([&] { static_cast<void>(event.query()); });
    }
    CHECK(code == Errc::ContextIsDestroyed);
    killer.join();
  });
}

TEST_CASE("the maker of an event hears of the end of a process that has recorded it") {
  inside_and_outside_of_runs([] {
    Peer peer;
    Event event(EventOptions{.device = Device("sim:0"), .interprocess = true});
    CHECK(peer.ask("open " + test::hex(event.ipc_handle())) == "Success");
    CHECK(peer.ask("hold") == "Success");
    CHECK(peer.ask("record 10") == "Success");
    CHECK_FALSE(event.query());
    peer.kill();
    CHECK(code_of([&] { event.synchronize(); }) == Errc::ContextIsDestroyed);
    const Stream stream(Device("sim:0"));
    event.record(stream);
    event.synchronize();
  });
}

TEST_CASE(
    "graphs that wait for a dead process's record, or for an event that is gone, do not start") {
  inside_and_outside_of_runs([] {
    Peer peer;
    const Event event = open_pending(peer);
    const Stream stream(Device("sim:0"));
    bool ran = false;
    Graph graph;
    graph.add_kernel("before", {.cost = 1us}, [&] { ran = true; });
    graph.add_wait(event);
    Errc expected = Errc::Success;
    SECTION("killed") {
      peer.kill();
      CHECK(code_of([&] { event.synchronize(); }) == Errc::ContextIsDestroyed);
      expected = Errc::ContextIsDestroyed;
    }
    SECTION("destroyed") {
      CHECK(peer.ask("destroy") == "Success");
      expected = Errc::InvalidResourceHandle;
    }
    CHECK(code_of([&] { graph.instantiate().launch(stream); }) == expected);
    stream.synchronize();
    CHECK_FALSE(ran);
  });
}

TEST_CASE("each wait hears of the loss of its own record") {
  inside_and_outside_of_runs([] {
    Peer peer;
    const Event event = open_pending(peer);
    std::vector<boost::system::error_code> codes;
    boost::asio::io_context context;
    const auto wait = [&] {
      async_wait(event, boost::asio::bind_executor(context, [&](boost::system::error_code code) {
                   codes.push_back(code);
                 }));
    };
    wait();
    CHECK(peer.ask("record 10") == "Success");
    wait();
    peer.kill();
    CHECK(code_of([&] { event.synchronize(); }) == Errc::ContextIsDestroyed);
    while (codes.size() < 2) {
      context.restart();
      context.poll();
      static_cast<void>(Stream(Device("sim:0")).query());
    }
    CHECK(codes == std::vector<boost::system::error_code>(2, Errc::ContextIsDestroyed));
  });
}

TEST_CASE("a killed process reaches handlers too") {
  Peer peer;
  const Event event = open_pending(peer);
  std::future<void> done = async_wait(event, boost::asio::use_future);
  peer.kill();
  REQUIRE(done.wait_for(60s) == std::future_status::ready);
  try {
    done.get();
    FAIL("it cannot have become complete");
  } catch (const boost::system::system_error& error) {
    CHECK(error.code() == Errc::ContextIsDestroyed);
  }
}

TEST_CASE("what a process had completed before it was killed stays complete") {
  inside_and_outside_of_runs([] {
    Peer peer;
    const Event event = open_from(peer);
    CHECK(peer.ask("record 10") == "Success");
    CHECK(peer.ask("synchronize") != "");
    peer.kill();
    event.synchronize();
    CHECK(event.query());
  });
}

TEST_CASE("work that a device reset threw away is never waited for") {
  inside_and_outside_of_runs([] {
    Peer peer("run");
    const Event event = open_from(peer);
    CHECK(peer.ask("record 10") == "Success");
    CHECK_FALSE(event.query());
    const Stream waiting(Device("sim:0"));
    waiting.wait_event(event);
    CHECK(peer.ask("reset") == "Success");
    CHECK(code_of([&] { event.synchronize(); }) == Errc::InvalidResourceHandle);
    waiting.synchronize();
  });
}

TEST_CASE("an event that its maker destroys is gone for others, but waits that began end") {
  inside_and_outside_of_runs([] {
    Peer peer;
    Event event = open_pending(peer);
    const Stream waiting(Device("sim:0"));
    waiting.wait_event(event);
    const IpcEventHandle handle = test::handle_of(peer.ask("handle"));
    CHECK(peer.ask("destroy") == "Success");
    CHECK(code_of([&] { static_cast<void>(event.query()); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { event.synchronize(); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { event.record(waiting); }) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { Event::from_ipc_handle(Device("sim:0"), handle); }) ==
          Errc::MapBufferObjectFailed);
    CHECK_FALSE(waiting.query());
    CHECK(peer.ask("release") == "Success");
    waiting.synchronize();
  });
}

TEST_CASE("events of a process that was killed cannot be opened, and leave no memory behind") {
  Peer peer;
  const IpcEventHandle handle = test::handle_of(peer.ask("make"));
  const int process = peer.process();
  CHECK(shared_memories_of(process) == 1);
  peer.kill();
  SECTION("by who tries to open them") {
    CHECK(code_of([&] { Event::from_ipc_handle(Device("sim:0"), handle); }) ==
          Errc::MapBufferObjectFailed);
  }
  SECTION("by the next process that shares one") {
    Peer next;
    CHECK_FALSE(next.ask("make").empty());
  }
  CHECK(shared_memories_of(process) == 0);
}

TEST_CASE("events go with the run that they were made in") {
  std::optional<IpcEventHandle> handle;
  Peer peer;
  std::optional<Event> kept;
  sim::run([&] {
    kept.emplace(EventOptions{.interprocess = true});
    handle = kept->ipc_handle();
    CHECK(peer.ask("open " + test::hex(*handle)) == "Success");
    const Stream stream;
    stream.launch("work", {.cost = 10us});
    kept->record(stream);
  });
  CHECK(peer.ask("synchronize") == "InvalidResourceHandle");
  CHECK(peer.ask("open " + test::hex(*handle)) == "MapBufferObjectFailed");
}
