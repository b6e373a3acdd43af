// SPDX-License-Identifier: Apache-2.0
// Every message says what was called, on what, why it is wrong, and where the thing came from.

#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace millrace::contract {
namespace {

/// A call that fails, and parts of what its message must say.
struct Failing {
  std::function<void()> call;
  std::vector<std::string> parts;
};

void check(const std::vector<Failing>& calls) {
  for (const Failing& failing : calls) {
    const std::string message = message_of(failing.call);
    CAPTURE(message);
    for (const std::string& part : failing.parts) {
      CAPTURE(part);
      CHECK(message.find(part) != std::string::npos);
    }
    CHECK(message.find("message_tests.cpp:") != std::string::npos);  // where the call stands
  }
}

/// "stream 's' (made at FILE:LINE)" as far as it is the same everywhere.
std::string made_here(const std::string& thing) { return thing + " (made at "; }

TEST_CASE("messages of streams and events say what, on what, why and whence") {
  on_every_backend(2, [] {
    const Stream stream({.name = "s"});
    const Stream elsewhere({.device = device(1), .name = "far"});
    Event event({.device = device(0), .name = "e"});
    Event timed({.device = device(0), .enable_timing = true, .name = "t"});
    check({
        {[&] { stream.launch("k", {.grid = 0}); },
         {"Stream::launch: InvalidValue: kernel 'k' for ", made_here("stream 's'"),
          "the grid has no blocks"}},
        {[&] { stream.launch("k", {.registers_per_thread = 256}); },
         {"Stream::launch: InvalidValue: kernel 'k' for ", made_here("stream 's'"),
          "a thread has at most 255 registers"}},
        {[&] { stream.launch("k", {.block = 1024, .registers_per_thread = 65}); },
         {"Stream::launch: LaunchOutOfResources: kernel 'k' for ", made_here("stream 's'"),
          "65536 registers"}},
        {[&] { stream.wait_external_event(event); },
         {"Stream::wait_external_event: IllegalState: ", made_here("stream 's'"),
          "being captured"}},
        {[&] { event.record(elsewhere); },
         {"Event::record: InvalidResourceHandle: ", made_here("event 'e'"),
          made_here("stream 'far'"), "sim:1"}},
        {[&] { static_cast<void>(event.elapsed_time(timed)); },
         {"Event::elapsed_time: InvalidResourceHandle: ", made_here("event 'e'"),
          "without timing"}},
        {[&] { static_cast<void>(timed.elapsed_time(timed)); },
         {"Event::elapsed_time: InvalidResourceHandle: ", made_here("event 't'"),
          "never recorded"}},
        {[&] { const GraphCapture capture(default_stream()); },
         {"GraphCapture: StreamCaptureUnsupported: ", "the legacy default stream"}},
    });
  });
}

TEST_CASE("messages of memory say what, on what, why and whence") {
  on_every_backend([] {
    const Stream stream({.name = "s"});
    const Buffer<char> small(64, {.name = "small"});
    const Buffer<char> large(128, {.name = "large"});
    const Buffer<char> pageable(64, {.kind = MemoryKind::pageable, .name = "pageable"});
    check({
        {[&] { stream.copy(small, large); },
         {"Stream::copy: InvalidValue: ", made_here("memory 'small'"), "64 bytes",
          made_here("memory 'large'"), "128"}},
        {[&] { stream.copy(small.range(0, 65), large.range(0, 65)); },
         {"Stream::copy: InvalidValue: bytes [0, 65) are beyond ", made_here("memory 'small'"),
          "of 64 bytes"}},
        {[&] { stream.fill(small.tile(0, 9, 8, 2), 0); },
         {"Stream::fill: InvalidValue: a row of 9 bytes", made_here("memory 'small'"),
          "a pitch of 8"}},
        {[&] { stream.fill(pageable, 0); },
         {"Stream::fill: InvalidValue: ", made_here("memory 'pageable'"), "is pageable"}},
        {[&] { stream.copy(small, small, {.synchronous = true}); },
         {"Stream::copy: InvalidValue: ", made_here("stream 's'"), "the synchronous form"}},
        {[&] { static_cast<void>(small.read()); },
         {"Buffer::read: InvalidValue: ", made_here("device buffer 'small'"),
          "is not for the host to touch"}},
        {[] { const Buffer<char> huge(std::size_t{1} << 50, {.name = "huge"}); },
         {"Buffer: MemoryAllocation: ", "memory 'huge'", "1125899906842624 bytes"}},
    });
  });
}

TEST_CASE("messages of graphs and captures say what, on what, why and whence") {
  on_every_backend([] {
    const Stream stream({.name = "s"});
    Graph graph({.name = "g"});
    const NodeId node = graph.add_empty();
    const NodeId next = graph.add_empty({node});
    Graph cyclic({.name = "loop"});
    const NodeId one = cyclic.add_empty();
    const NodeId two = cyclic.add_empty({one});
    cyclic.add_dependency(two, one);
    check({
        {[&] { graph.add_empty({NodeId{9}}); },
         {"Graph::add_empty: InvalidValue: ", made_here("graph 'g'"), "has no node 9"}},
        {[&] { graph.add_dependency(next, next); },
         {"Graph::add_dependency: InvalidValue: node 1 of ", made_here("graph 'g'"),
          "after itself"}},
        {[&] { static_cast<void>(cyclic.instantiate()); },
         {"Graph::instantiate: InvalidValue: ", made_here("graph 'loop'"), "has a cycle"}},
    });
    GraphCapture capture(stream);
    check({
        {[&] { const GraphCapture again(stream); },
         {"GraphCapture: IllegalState: ", made_here("stream 's'"), "captured already",
          "begun at "}},
        {[&] { stream.synchronize(); },
         {"Stream::synchronize: StreamCaptureUnsupported: ", made_here("stream 's'"), "begun at "}},
        {[&] { stream.launch("k"); },
         {"Stream::launch: StreamCaptureInvalidated: ", made_here("stream 's'"),
          "was broken by Stream::synchronize at "}},
    });
  });
}

TEST_CASE("handles that are none are errors, of every kind of call") {
  on_every_backend([] {
    Backend& backend = device(0).backend();
    const Handle stale = 12345;
    const CallSite site{"test", SourceLocation::current()};
    const std::vector<std::function<void()>> calls{
        [&] { static_cast<void>(backend.native_stream(stale, site)); },
        [&] { static_cast<void>(backend.stream_device(stale, site)); },
        [&] { static_cast<void>(backend.stream_priority(stale, site)); },
        [&] { static_cast<void>(backend.capture_info(stale, site)); },
        [&] { static_cast<void>(backend.query_stream(stale, site)); },
        [&] { backend.destroy_stream(stale, site); },
        [&] { static_cast<void>(backend.query_event(stale, site)); },
        [&] { backend.destroy_event(stale, site); },
    };
    for (const auto& call : calls) CHECK(code_of(call) == Errc::InvalidResourceHandle);
    CHECK(code_of([&] { backend.free(stale, site); }) == Errc::InvalidValue);
    CHECK(code_of([&] { backend.destroy_graph(stale, site); }) == Errc::InvalidValue);
  });
}

TEST_CASE("a destroyed stream has no priority any more, and says when it went") {
  on_every_backend([] {
    void* native = nullptr;
    {
      const Stream brief({.name = "brief"});
      native = brief.native_handle();
    }
    const ExternalStream left(native, device(0));
    check({{[&] { static_cast<void>(left.priority()); },
            {"Stream::priority: InvalidResourceHandle: ", made_here("stream 'brief'"),
             "was destroyed at "}}});
  });
}

TEST_CASE("what is left of a run says that it has ended") {
  std::vector<Stream> kept;
  in_every_world([&] {
    world().run(1, [&] { kept.emplace_back(); });
    CHECK(message_of([&] {
            static_cast<void>(kept.back().priority());
          }).find("the run that it belongs to has ended") != std::string::npos);
    CHECK(message_of([&] {
            static_cast<void>(kept.back().native_handle());
          }).find("the run that it belongs to has ended") != std::string::npos);
    CHECK(code_of([&] { static_cast<void>(kept.back().is_capturing()); }) ==
          Errc::InvalidResourceHandle);
    kept.clear();
  });
}

}  // namespace
}  // namespace millrace::contract
