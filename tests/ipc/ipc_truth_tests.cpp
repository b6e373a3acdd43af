// SPDX-License-Identifier: Apache-2.0
//
// What an H200 answers to the calls that processes share events by.
#include "peer.hpp"

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <future>
#include <span>
#include <string>

using namespace millrace;
using Catch::Matchers::ContainsSubstring;
using test::Peer;

namespace {

Errc open(std::span<const std::byte> handle) {
  try {
    Event::from_ipc_handle(Device("sim:0"), handle);
    return Errc::Success;
  } catch (const Error& error) {
    return error.code();
  }
}

}  // namespace

TEST_CASE("a child sees the parent's record, waits for it, records anew and destroys the event") {
  Peer child;
  const Stream stream(Device("sim:0"));
  Event event(EventOptions{.device = Device("sim:0"), .interprocess = true});
  std::promise<void> gate;
  stream.call("gate", [open = gate.get_future().share()] { open.wait(); });
  event.record(stream);
  CHECK(child.ask("open " + test::hex(event.ipc_handle())) == "Success");
  CHECK(child.ask("query") == "NotReady");
  child.tell("synchronize");
  gate.set_value();
  CHECK(std::stoll(child.answer()) >= 0);
  CHECK(child.ask("query") == "Success");
  CHECK(child.ask("record 0") == "Success");
  CHECK(child.ask("destroy") == "Success");
  event.synchronize();
}

TEST_CASE("a child waits for a record that the parent makes later; the parent for the child's") {
  Peer child;
  const Stream stream(Device("sim:0"));
  Event event(EventOptions{.interprocess = true});
  CHECK(child.ask("open " + test::hex(event.ipc_handle())) == "Success");
  CHECK(child.ask("query") == "Success");
  std::promise<void> gate;
  stream.call("gate", [open = gate.get_future().share()] { open.wait(); });
  event.record(stream);
  CHECK(child.ask("query") == "NotReady");
  gate.set_value();
  CHECK(std::stoll(child.ask("synchronize")) >= 0);
  CHECK(child.ask("hold") == "Success");
  CHECK(child.ask("record 5") == "Success");
  CHECK_FALSE(event.query());
  CHECK(child.ask("release") == "Success");
  event.synchronize();
  CHECK(event.query());
}

TEST_CASE("bytes that are no handle of an event that there is cannot be opened") {
  IpcEventHandle handle{};
  CHECK(open(handle) == Errc::MapBufferObjectFailed);
  handle.fill(std::byte{0xAB});
  CHECK(open(handle) == Errc::MapBufferObjectFailed);
  Peer peer;
  const IpcEventHandle good = test::handle_of(peer.ask("make"));
  for (std::size_t i = 0; i < good.size(); ++i) {
    IpcEventHandle damaged = good;
    damaged[i] ^= std::byte{0x10};
    CHECK(open(damaged) == Errc::MapBufferObjectFailed);
  }
  CHECK(open(good) == Errc::Success);
}

TEST_CASE("a handle that an opened event would give is refused") {
  Peer peer;
  const Event event =
      Event::from_ipc_handle(Device("sim:0"), test::handle_of(peer.ask("make")), "theirs");
  CHECK(event.device() == Device("sim:0"));
  CHECK_THROWS_WITH(event.ipc_handle(),
                    ContainsSubstring("InvalidResourceHandle") && ContainsSubstring("'theirs'"));
}
