// SPDX-License-Identifier: Apache-2.0
// What is left of a device after a kernel failed, as measured on an H200.

#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace millrace::contract {
namespace {

/// A kernel that dereferences what it must not: pageable memory.
void fail_in_kernel(const Stream& stream) {
  const Buffer<char> pageable(4, MemoryKind::pageable);
  stream.launch("faulty", {.writes = {pageable}});
  CHECK(code_of([&] { stream.synchronize(); }) == Errc::IllegalAddress);
}

TEST_CASE("after a fault every call answers it, and the last error is read once") {
  on_every_backend([] {
    const Stream stream;
    const Event event(EventOptions{.device = device(0)});
    fail_in_kernel(stream);
    const auto sticky = [](auto&& call) { CHECK(code_of(call) == Errc::IllegalAddress); };
    sticky([&] { stream.synchronize(); });
    sticky([] { const Buffer<char> more(4); });
    sticky([&] { static_cast<void>(stream.record_event()); });
    sticky([&] { static_cast<void>(stream.query()); });
    sticky([&] { stream.wait_event(event); });
    sticky([&] { static_cast<void>(event.query()); });
    sticky([&] { event.synchronize(); });
    sticky([&] { stream.launch("k"); });
    sticky([&] { stream.call("f", [] {}); });
    sticky([] { Stream{}; });
    sticky([] { const Graph graph; });
    sticky([] { current_device().synchronize(); });
    CHECK(last_error() == Errc::IllegalAddress);
    CHECK(last_error() == Errc::Success);
  });
}

TEST_CASE("a reset does not bring a failed device back") {
  on_every_backend([] {
    const Stream stream;
    fail_in_kernel(stream);
    current_device().reset();
    CHECK(code_of([] { const Buffer<char> more(4); }) == Errc::DevicesUnavailable);
    CHECK(code_of([] { Stream{}; }) == Errc::DevicesUnavailable);
    CHECK(message_of([] { Stream{}; }).find("had failed before it was reset at") !=
          std::string::npos);
    CHECK(code_of([&] { stream.launch("k"); }) == Errc::InvalidResourceHandle);
  });
}

TEST_CASE("a fault concerns its device alone") {
  on_every_backend(2, [] {
    fail_in_kernel(Stream{device(1)});
    const Stream here{device(0)};
    bool ran = false;
    here.launch("k", {}, [&] { ran = true; });
    here.synchronize();
    CHECK(ran);
  });
}

TEST_CASE("after a fault host functions are skipped, and callbacks are told") {
  on_every_backend([] {
    const Stream stream;
    const Buffer<char> pageable(4, MemoryKind::pageable);
    int functions = 0;
    std::vector<Errc> told;
    const auto listen = [&](Errc status) { told.push_back(status); };
    stream.add_callback("before", listen);
    stream.launch("faulty", {.writes = {pageable}});
    stream.call("function", [&] { ++functions; });
    stream.add_callback("first", listen);
    stream.launch("k");
    stream.add_callback("second", listen);
    CHECK(code_of([&] { stream.synchronize(); }) == Errc::IllegalAddress);
    settle();
    CHECK(functions == 0);
    CHECK(told == std::vector{Errc::Success, Errc::IllegalAddress, Errc::IllegalAddress});
  });
}

TEST_CASE("a callback runs in stream order and must not call the runtime") {
  on_every_backend([] {
    const Stream stream;
    std::string order;
    Errc inside = Errc::Success;
    stream.launch("a", {}, [&] { order += "a"; });
    stream.add_callback("b", [&](Errc) {
      order += "b";
      inside = code_of([&] { stream.launch("nested"); });
    });
    stream.launch("c", {}, [&] { order += "c"; });
    stream.synchronize();
    CHECK(order == "abc");
    CHECK(inside == Errc::NotPermitted);
    CHECK(code_of([&] { stream.add_callback("none", nullptr); }) == Errc::InvalidValue);
  });
}

}  // namespace
}  // namespace millrace::contract
