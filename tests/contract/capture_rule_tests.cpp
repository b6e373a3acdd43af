// SPDX-License-Identifier: Apache-2.0
// What an H200 answered to calls beside captures: by mode and thread, and on the legacy stream.

#include "capture_situations.hpp"

namespace millrace::contract {
namespace {

/// Beside a capture of `captured`: the call's answer, the status after it, the capture's end.
template <typename Call>
std::string beside(const Stream& captured, CaptureMode mode, Call&& call) {
  begin(captured, mode);
  const std::string answered = answer(call);
  const std::string after = status(captured);
  return join({answered, after, end_with_graph(captured)});
}

TEST_CASE("what is unsafe during a capture breaks it by mode and thread, as on an H200") {
  check_meetings("query another stream", Rule::unsafe,
                 [](Scene& s) { static_cast<void>(s.other.query()); });
  check_meetings("synchronize another stream", Rule::unsafe,
                 [](Scene& s) { s.other.synchronize(); });
  check_meetings("query an event", Rule::unsafe,
                 [](Scene& s) { static_cast<void>(s.done.query()); });
  check_meetings("synchronize an event", Rule::unsafe, [](Scene& s) { s.done.synchronize(); });
  check_meetings("query an event never recorded", Rule::unsafe,
                 [](Scene& s) { static_cast<void>(s.fresh.query()); });
  check_meetings("query the legacy stream", Rule::unsafe,
                 [](Scene& s) { static_cast<void>(s.legacy().query()); });
  check_meetings("synchronize the legacy stream", Rule::unsafe,
                 [](Scene& s) { s.legacy().synchronize(); });
  check_meetings("allocate", Rule::unsafe,
                 [](Scene& s) { static_cast<void>(s.memory(MemoryKind::device)); });
  check_meetings("allocate pinned memory", Rule::unsafe,
                 [](Scene& s) { static_cast<void>(s.memory(MemoryKind::pinned)); });
  check_meetings("free", Rule::unsafe, [](Scene& s) { s.free(s.buffer); });
  check_meetings("allocate on another stream", Rule::unsafe, [](Scene& s) {
    s.device.backend().allocate_async(s.other.handle(), {.bytes = 64, .name = "scratch"},
                                      {"allocate", SourceLocation::current()});
  });
}

TEST_CASE("freeing is as unsafe as allocating") {
  for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned}) {
    for (const CaptureMode mode : {CaptureMode::global, CaptureMode::relaxed}) {
      on_every_backend([&] {
        Scene s;
        const Buffer<char> buffer = s.memory(kind);
        CHECK(beside(s.stream, mode, [&] { s.free(buffer); }) ==
              (mode == CaptureMode::global ? breaks : passes));
      });
    }
  }
}

TEST_CASE("what breaks a capture in every mode, as on an H200") {
  check_meetings("query the captured stream", Rule::never,
                 [](Scene& s) { static_cast<void>(s.stream.query()); });
  check_meetings("synchronize the device", Rule::never, [](Scene& s) { s.device.synchronize(); });
}

TEST_CASE("what no capture minds, as on an H200") {
  check_meetings("record on another stream", Rule::harmless,
                 [](Scene& s) { s.other.record_event(s.done); });
  check_meetings("make and destroy a stream", Rule::harmless,
                 [](Scene& s) { const Stream made(s.device); });
  check_meetings("make and destroy an event", Rule::harmless,
                 [](Scene& s) { const Event made(EventOptions{.device = s.device}); });
  check_meetings("copy synchronously from host to host", Rule::harmless,
                 [](Scene& s) { s.legacy().copy(s.host, s.host, {.synchronous = true}); });
  check_meetings("work on another stream", Rule::harmless, [](Scene& s) { work(s.other); });
  check_meetings("work on the legacy stream beside a non-blocking one", Rule::harmless,
                 [](Scene& s) { work(s.legacy()); });
}

/// A synchronous copy or fill on the legacy stream.
std::string synchronous(const Stream& captured, CaptureMode mode, MemoryKind to, MemoryKind from) {
  const Device device = captured.device();
  const Buffer<char> target{4096, to, device};
  const Buffer<char> source{4096, from, device};
  default_stream(device).synchronize();
  return beside(captured, mode,
                [&] { default_stream(device).copy(target, source, {.synchronous = true}); });
}

TEST_CASE("synchronous transfers break only captures of blocking streams, as on an H200") {
  const auto play = [](bool blocking, CaptureMode mode, MemoryKind to, MemoryKind from) {
    return [=](Scene& s) { return synchronous(blocking ? s.blocking : s.stream, mode, to, from); };
  };
  using enum MemoryKind;
  check({
      {"pinned to device", passes, play(false, CaptureMode::global, device, pinned)},
      {"pinned to device, relaxed", passes, play(false, CaptureMode::relaxed, device, pinned)},
      {"pageable to device", passes, play(false, CaptureMode::global, device, pageable)},
      {"device to device", passes, play(false, CaptureMode::global, device, device)},
      {"host to host", passes, play(false, CaptureMode::global, pageable, pinned)},
      {"host to host, relaxed", passes, play(false, CaptureMode::relaxed, pageable, pageable)},
      {"blocking, pinned to device", implicit, play(true, CaptureMode::global, device, pinned)},
      {"blocking, host to host", implicit, play(true, CaptureMode::global, pageable, pinned)},
      {"fill", passes,
       [](Scene& s) {
         const Buffer<char> target = s.memory(device);
         return beside(s.stream, CaptureMode::global,
                       [&] { s.legacy().fill(target, 0, {.synchronous = true}); });
       }},
      {"blocking, fill", implicit,
       [](Scene& s) {
         const Buffer<char> target = s.memory(device);
         return beside(s.blocking, CaptureMode::global,
                       [&] { s.legacy().fill(target, 0, {.synchronous = true}); });
       }},
  });
}

TEST_CASE("the legacy stream breaks captures of blocking streams in every mode, as on an H200") {
  const auto play = [](CaptureMode mode, std::function<void(Scene&)> call) {
    return [=](Scene& s) { return beside(s.blocking, mode, [&] { call(s); }); };
  };
  const auto synchronize = [](Scene& s) { s.legacy().synchronize(); };
  check({
      {"synchronize", implicit, play(CaptureMode::global, synchronize)},
      {"synchronize, relaxed", implicit, play(CaptureMode::relaxed, synchronize)},
      {"query, relaxed", implicit,
       play(CaptureMode::relaxed, [](Scene& s) { static_cast<void>(s.legacy().query()); })},
      {"work", implicit, play(CaptureMode::global, [](Scene& s) { work(s.legacy()); })},
      {"work, relaxed", implicit, play(CaptureMode::relaxed, [](Scene& s) { work(s.legacy()); })},
      {"record", implicit,
       play(CaptureMode::global, [](Scene& s) { s.legacy().record_event(s.fresh); })},
      {"wait for what was never recorded", implicit,
       play(CaptureMode::global, [](Scene& s) { s.legacy().wait_event(s.fresh); })},
  });
}

/// The answer, and the statuses of both captures after it.
template <typename Call>
std::string between(const Stream& a, const Stream& b, Call&& call) {
  const std::string answered = answer(call);
  const std::string first = status(a);
  return join({answered, first, status(b)});
}

TEST_CASE("a call breaks those of several captures that it offends, as on an H200") {
  check({
      {"unsafe, both global",
       "StreamCaptureUnsupported,Success:2,Success:2,StreamCaptureInvalidated,"
       "StreamCaptureInvalidated",
       [](Scene& s) {
         const Stream third(s.device);
         begin(s.stream);
         begin(s.other);
         const std::string both =
             between(s.stream, s.other, [&] { static_cast<void>(third.query()); });
         const std::string ended = end_with_graph(s.stream);
         return join({both, ended, end_with_graph(s.other)});
       }},
      {"device, both relaxed", "StreamCaptureUnsupported,Success:2,Success:2",
       [](Scene& s) {
         begin(s.stream, CaptureMode::relaxed);
         begin(s.other, CaptureMode::relaxed);
         return between(s.stream, s.other, [&] { s.device.synchronize(); });
       }},
      {"one's own stream, both relaxed", "StreamCaptureUnsupported,Success:2,Success:1",
       [](Scene& s) {
         begin(s.stream, CaptureMode::relaxed);
         begin(s.other, CaptureMode::relaxed);
         return between(s.stream, s.other, [&] { static_cast<void>(s.stream.query()); });
       }},
      {"one's own event, the other global", "CapturedEvent,Success:2,Success:1",
       [](Scene& s) {
         begin(s.stream, CaptureMode::relaxed);
         s.stream.record_event(s.fresh);
         begin(s.other);
         return between(s.stream, s.other, [&] { static_cast<void>(s.fresh.query()); });
       }},
      {"legacy, one blocking", "StreamCaptureImplicit,Success:2,Success:1",
       [](Scene& s) {
         begin(s.blocking);
         begin(s.other);
         return between(s.blocking, s.other, [&] { work(s.legacy()); });
       }},
      {"legacy, a blocking fork", "StreamCaptureImplicit,Success:2,Success:2",
       [](Scene& s) {
         begin(s.stream);
         s.stream.record_event(s.fresh);
         s.blocking.wait_event(s.fresh);
         return between(s.stream, s.blocking, [&] { work(s.legacy()); });
       }},
  });
}

TEST_CASE("the host thread's own mode lets unsafe calls pass, as on an H200") {
  check({{"relaxed", "was 0,Success,Success+graph", [](Scene& s) {
            const CaptureModeGuard guard(CaptureMode::relaxed, s.device);
            begin(s.stream);
            const std::string made = answer([&] { s.memory(MemoryKind::device); });
            return join({"was " + std::to_string(static_cast<int>(guard.former())), made,
                         end_with_graph(s.stream)});
          }}});
}

TEST_CASE("the end of a mode guard's scope restores the former mode") {
  check({{"global again", breaks, [](Scene& s) {
            { const CaptureModeGuard guard(CaptureMode::relaxed, s.device); }
            return beside(s.stream, CaptureMode::global, [&] { s.memory(MemoryKind::device); });
          }}});
}

}  // namespace
}  // namespace millrace::contract
