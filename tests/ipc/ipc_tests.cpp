// SPDX-License-Identifier: Apache-2.0
//
// Events between processes in virtual time: what a process sees of another's records, and when.
#include "peer.hpp"

#include <millrace/async_wait.hpp>
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>
#include <millrace/sim_asio.hpp>

#include <boost/asio/bind_executor.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only
using test::Peer;

namespace {

/// An event that the peer has made, on a device of this process.
Event open_from(Peer& peer) {
  return Event::from_ipc_handle(Device("sim:0"), test::handle_of(peer.ask("make")));
}

}  // namespace

TEST_CASE("a wait for another process's record ends at the record's own time") {
  for (int repetition = 0; repetition < 3; ++repetition) {
    Peer peer("run");
    sim::run([&] {
      const Event event = open_from(peer);
      CHECK(peer.ask("record 250") == "Success");
      const Stream local;
      local.launch("beside it", {.cost = 1ms});  // does not carry time past the record
      CHECK_FALSE(event.query());
      peer.tell("synchronize");
      event.synchronize();
      CHECK(sim::now() == Time{250'000});
      CHECK(event.query());
      CHECK(peer.answer() == "250000");
    });
  }
}

TEST_CASE("a wait that begins after the record's time takes none") {
  Peer peer("run");
  sim::run([&] {
    const Event event = open_from(peer);
    CHECK(peer.ask("record 250") == "Success");
    sim::sleep_for(1ms);
    CHECK(peer.ask("synchronize") == "250000");
    CHECK(event.query());
    event.synchronize();
    CHECK(sim::now() == Time{1'000'000});
  });
}

TEST_CASE("a record that is complete there is not complete here before its time") {
  Peer peer("run");
  sim::run([&] {
    const Event event = open_from(peer);
    CHECK(peer.ask("record 250") == "Success");
    CHECK(peer.ask("synchronize") == "250000");
    CHECK_FALSE(event.query());
    while (!event.query()) {
    }
    CHECK(sim::now() == Time{250'000});
  });
}

TEST_CASE("streams wait for another process's record") {
  const auto trace_of = [] {
    Peer peer("run");
    return sim::run([&] {
             const Event event = open_from(peer);
             CHECK(peer.ask("record 250") == "Success");
             const Stream waiting;
             const Stream beside;
             waiting.launch("before", {.cost = 10us});
             waiting.wait_event(event);
             waiting.launch("after", {.cost = 10us});
             beside.launch("beside", {.cost = 1ms});
             peer.tell("synchronize");
             waiting.synchronize();
             CHECK(sim::now() == Time{260'000});
             CHECK(peer.answer() == "250000");
           })
        .trace;
  };
  CHECK(trace_of() == trace_of());
}

TEST_CASE("a run does not end before another process's record when its work waits for that") {
  Peer peer("run");
  const sim::Report report = sim::run([&] {
    const Event event = open_from(peer);
    CHECK(peer.ask("record 250") == "Success");
    const Stream stream;
    stream.wait_event(event);
    stream.launch("after", {.cost = 10us});
    peer.tell("synchronize");
  });
  CHECK(report.end_time == Time{260'000});
  CHECK(report.findings.empty());
}

TEST_CASE("a question that nobody asks again does not keep a run") {
  Peer peer("run");
  const sim::Report report = sim::run([&] {
    const Event event = open_from(peer);
    CHECK(peer.ask("record 250") == "Success");
    CHECK_FALSE(event.query());
  });
  CHECK(report.end_time == Time{});
  CHECK(report.findings.empty());
}

TEST_CASE("a handle cannot be opened before the time at which it was given") {
  Peer peer("run");
  CHECK(peer.ask("sleep 3000") == "Success");
  sim::run([&] {
    const Event event = open_from(peer);
    CHECK(sim::now() == Time{3'000'000});
  });
}

TEST_CASE("what others record is the event's latest record in the process that made it") {
  Peer peer("run");
  sim::run([&] {
    Event event(EventOptions{.interprocess = true});
    CHECK(peer.ask("open " + test::hex(event.ipc_handle())) == "Success");
    const Stream stream;
    stream.launch("work", {.cost = 10us});
    event.record(stream);
    event.synchronize();
    CHECK(peer.ask("synchronize") == "10000");
    CHECK(peer.ask("record 40") == "Success");
    peer.tell("synchronize");
    event.synchronize();
    CHECK(sim::now() == Time{50'000});
    CHECK(peer.answer() == "50000");
    event.record(stream);  // and this one's again
    CHECK(event.query());
    CHECK(peer.ask("query") == "Success");
    CHECK(peer.ask("destroy") == "Success");
    event.synchronize();
  });
}

TEST_CASE("a wait is for the record that there was, whatever others record meanwhile") {
  Peer peer("run");
  sim::run([&] {
    const Event event = open_from(peer);
    CHECK(peer.ask("record 100") == "Success");
    const Stream stream;
    stream.wait_event(event);
    CHECK(peer.ask("record 100") == "Success");
    peer.tell("synchronize");
    stream.synchronize();
    CHECK(sim::now() == Time{100'000});
    event.synchronize();
    CHECK(sim::now() == Time{200'000});
    CHECK(peer.answer() == "200000");
  });
}

TEST_CASE("async_wait waits for another process") {
  Peer peer("run");
  std::optional<Time> done;
  sim::run([&] {
    boost::asio::io_context context;
    const Event event = open_from(peer);
    CHECK(peer.ask("record 70") == "Success");
    async_wait(event, boost::asio::bind_executor(context, [&](boost::system::error_code code) {
                 CHECK_FALSE(code);
                 done = sim::now();
               }));
    peer.tell("synchronize");
    sim::run_context(context);
  });
  CHECK(done == Time{70'000});
}

TEST_CASE("outside of runs the other process's devices go on while it does something else") {
  Peer peer;
  const Event event = open_from(peer);
  CHECK(peer.ask("record 5000") == "Success");
  event.synchronize();  // nobody waits there
  CHECK(event.query());
  CHECK(sim::now() >= Time{5'000'000});
}

TEST_CASE("outside of runs several threads wait for another process, and for their own work") {
  Peer peer;
  const Event event = open_from(peer);
  CHECK(peer.ask("hold") == "Success");
  CHECK(peer.ask("record 10") == "Success");
  const Stream own(Device("sim:0"));
  own.launch("own work", {.cost = 5us});
  std::atomic<int> returned{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      event.synchronize();
      ++returned;
    });
  }
  CHECK_FALSE(event.query());
  CHECK(returned == 0);
  CHECK(peer.ask("release") == "Success");
  for (std::thread& thread : threads) thread.join();
  CHECK(event.query());
  own.synchronize();
}

TEST_CASE("a process that is late does not hold up the other's own work for ever") {
  Peer peer;
  sim::run([&] {
    const Event event = open_from(peer);
    CHECK(peer.ask("hold") == "Success");
    CHECK(peer.ask("record 10") == "Success");
    bool own_work_done = false;
    sim::thread beside([&] {
      const Stream own;
      own.launch("own work", {.cost = 5us});
      own.synchronize();
      own_work_done = true;
      CHECK(peer.ask("release") == "Success");  // only now
    });
    event.synchronize();
    CHECK(own_work_done);
  });
}

TEST_CASE("several processes wait for one record") {
  Event event(EventOptions{.device = Device("sim:0"), .interprocess = true});
  const std::string open = "open " + test::hex(event.ipc_handle());
  const Stream stream(Device("sim:0"));
  std::promise<void> gate;
  stream.call("gate", [open = gate.get_future().share()] { open.wait(); });
  event.record(stream);
  std::array<Peer, 3> peers;
  for (Peer& peer : peers) {
    CHECK(peer.ask(open) == "Success");
    CHECK(peer.ask("query") == "NotReady");
    peer.tell("synchronize");
  }
  gate.set_value();
  for (Peer& peer : peers) CHECK(std::stoll(peer.answer()) >= 0);
}

TEST_CASE("graphs record events for other processes, no more at once than those can tell apart") {
  Peer peer("run");
  sim::run([&] {
    const Event event(EventOptions{.device = Device("sim:0"), .interprocess = true});
    CHECK(peer.ask("open " + test::hex(event.ipc_handle())) == "Success");
    Graph graph;
    const NodeId work = graph.add_kernel("work", {.cost = 10us});
    graph.add_record(event, {work});
    const Stream stream;
    const GraphExec executable = graph.instantiate();
    for (int i = 0; i < 64; ++i) executable.launch(stream);
    CHECK_THROWS_AS(executable.launch(stream), Error);
    CHECK(last_error() == Errc::LaunchOutOfResources);
    peer.tell("synchronize");
    stream.synchronize();
    CHECK(peer.answer() == "640000");
    executable.launch(stream);
  });
}

TEST_CASE("more unfinished records than processes can share are refused") {
  Peer peer;
  const Event event = open_from(peer);
  CHECK(peer.ask("hold") == "Success");
  for (int i = 0; i < 64; ++i) CHECK(peer.ask("record 0") == "Success");
  CHECK(peer.ask("record 0") == "LaunchOutOfResources");
  CHECK(peer.ask("release") == "Success");
  event.synchronize();
  CHECK(peer.ask("record 0") == "Success");
  event.synchronize();
}
