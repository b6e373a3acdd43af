// SPDX-License-Identifier: Apache-2.0
// The legacy stream beside captures, synchronous transfers, several captures at once.

#include "truth.hpp"

namespace millrace::contract {
namespace {

void add_beside(const std::string& line, bool blocking, CaptureMode mode,
                const std::function<void(Scene&)>& made, Truths& to) {
  to.push_back({line, [=](Scene& s) {
                  // Its own memory stays when the call frees it.
                  const Stream captured = blocking ? s.blocking : s.stream;
                  return beside(captured, mode, [&] { made(s); });
                }});
}

/// `made` is given pinned memory too, from before the capture.
void add_beside_pinned(const std::string& line, bool blocking, CaptureMode mode,
                       const std::function<void(Scene&, const Buffer<char>&)>& made, Truths& to) {
  to.push_back({line, [=](Scene& s) {
                  const Buffer<char> pinned = s.memory(MemoryKind::pinned);
                  const Stream captured = blocking ? s.blocking : s.stream;
                  return beside(captured, mode, [&] { made(s, pinned); });
                }});
}

void copy_now(const Scene& s, const Access& to, const Access& from) {
  s.legacy().copy(to, from, {.synchronous = true});
}

Truths legacy_stream() {
  constexpr CaptureMode global = CaptureMode::global;
  constexpr CaptureMode relaxed = CaptureMode::relaxed;
  Truths all;
  const auto upload = [](Scene& s, const Buffer<char>& pinned) { copy_now(s, s.buffer, pinned); };
  const auto on_host = [](Scene& s, const Buffer<char>& pinned) { copy_now(s, s.host, pinned); };
  add_beside_pinned("memcpy-sync-h2d-pinned.nb.global", false, global, upload, all);
  add_beside_pinned("memcpy-sync-h2d-pinned.nb.relaxed", false, relaxed, upload, all);
  add_beside_pinned("memcpy-sync-h2d-pinned.bl.global", true, global, upload, all);
  add_beside_pinned("memcpy-sync-h2h.nb.global", false, global, on_host, all);
  add_beside_pinned("memcpy-sync-h2h.bl.global", true, global, on_host, all);
  add_beside_pinned(
      "free-host.nb.global", false, global,
      [](Scene& s, const Buffer<char>& pinned) { s.free(pinned); }, all);
  const auto fill = [](Scene& s) { s.legacy().fill(s.buffer, 0, {.synchronous = true}); };
  const auto synchronize = [](Scene& s) { s.legacy().synchronize(); };
  add_beside(
      "memcpy-sync-h2d-pageable.nb.global", false, global,
      [](Scene& s) { copy_now(s, s.buffer, s.host); }, all);
  add_beside(
      "memcpy-sync-d2d.nb.global", false, global, [](Scene& s) { copy_now(s, s.buffer, s.buffer); },
      all);
  add_beside("memset-sync.nb.global", false, global, fill, all);
  add_beside("memset-sync.bl.global", true, global, fill, all);
  add_beside("sync-legacy.bl.global", true, global, synchronize, all);
  add_beside("sync-legacy.bl.relaxed", true, relaxed, synchronize, all);
  add_beside(
      "query-legacy.bl.relaxed", true, relaxed,
      [](Scene& s) { static_cast<void>(s.legacy().query()); }, all);
  add_beside(
      "legacy-work.bl.relaxed", true, relaxed, [](Scene& s) { work(s.legacy()); }, all);
  add_beside(
      "legacy-wait-fresh.bl.global", true, global, [](Scene& s) { s.legacy().wait_event(s.fresh); },
      all);
  add_beside(
      "free-device.nb.global", false, global, [](Scene& s) { s.free(s.buffer); }, all);
  add_beside(
      "begin-legacy.bl.global", true, global,
      [](Scene& s) { const GraphCapture capture(s.legacy()); }, all);
  return all;
}

Truths busy_legacy_stream() {
  return {
      {"sync-idle-blocking-while-legacy-busy",
       [](Scene& s) {
         Gate gate{s.legacy()};
         return gated(gate, [&] { s.blocking.synchronize(); });
       }},
      {"query-idle-blocking-while-other-blocking-and-legacy",
       [](Scene& s) {
         const Stream another({.device = s.device, .blocking = true});
         const Gate gate{another};
         s.fresh.record(s.legacy());
         settle();
         return answer([&] { return s.blocking.query(); });
       }},
      {"legacy-wait-on-captured-event.nb",
       [](Scene& s) {
         begin(s.stream);
         s.fresh.record(s.stream);
         const std::string waited = answer([&] { s.legacy().wait_event(s.fresh); });
         const std::string captured = status(s.stream);
         const std::string legacy = status(s.legacy());
         return join({waited, captured, legacy, end_with_graph(s.stream)});
       }},
  };
}

/// A synchronous transfer while a blocking stream is busy.
std::string transfer(Scene& s, MemoryKind to, MemoryKind from) {
  const Buffer<char> target = s.memory(to);
  const Buffer<char> source = s.memory(from);
  Gate gate{s.blocking};
  return gated(gate, [&] { copy_now(s, target, source); });
}

std::string fill(Scene& s, MemoryKind kind) {
  const Buffer<char> target = s.memory(kind);
  Gate gate{s.blocking};
  return gated(gate, [&] { s.legacy().fill(target, 0, {.synchronous = true}); });
}

Truths transfers() {
  using enum MemoryKind;
  return {
      {"memset-async-pageable",
       [](Scene& s) {
         const std::string filled = answer([&] { s.stream.fill(s.host, 0); });
         return join({filled, answer([&] { s.stream.synchronize(); })});
       }},
      {"memset-sync-pinned-blocks", [](Scene& s) { return fill(s, pinned); }},
      {"memset-sync-managed-blocks", [](Scene& s) { return fill(s, managed); }},
      {"memcpy-sync-managed-to-device", [](Scene& s) { return transfer(s, device, managed); }},
      {"memcpy-sync-device-to-managed", [](Scene& s) { return transfer(s, managed, device); }},
      {"free-async-managed",
       [](Scene& s) {
         const Buffer<char> memory = s.memory(managed);
         const std::string freed = answer([&] {
           s.stream.backend().free_async(s.stream.handle(), memory.handle(),
                                         {"free_async", SourceLocation::current()});
         });
         return join({freed, answer([&] { s.stream.synchronize(); })});
       }},
  };
}

Truths captured_events() {
  const auto elapsed = [](const Event& event) {
    return [&] { static_cast<void>(event.elapsed_time(event)); };
  };
  return {
      {"elapsed-after-capture",
       [=](Scene& s) {
         beside(s.stream, CaptureMode::global, [&] { s.fresh.record(s.stream); });
         return answer(elapsed(s.fresh));
       }},
      {"elapsed-fresh-during-capture",
       [=](Scene& s) { return beside(s.stream, CaptureMode::global, elapsed(s.fresh)); }},
      {"elapsed-done-during-capture",
       [=](Scene& s) { return beside(s.stream, CaptureMode::global, elapsed(s.done)); }},
      {"elapsed-pending-notiming",
       [=](Scene& s) {
         const Gate gate{s.stream};
         const Event event = s.stream.record_event();
         return answer(elapsed(event));
       }},
      {"wait-in-capture-on-ended-captured-event",
       [](Scene& s) {
         beside(s.stream, CaptureMode::global, [&] { s.fresh.record(s.stream); });
         return beside(s.other, CaptureMode::global, [&] { s.other.wait_event(s.fresh); });
       }},
      {"wait-external-fresh-in-capture",
       [](Scene& s) {
         return beside(s.stream, CaptureMode::global,
                       [&] { s.stream.wait_external_event(s.fresh); });
       }},
      {"destroy-captured-event",
       [](Scene& s) {
         return beside(s.stream, CaptureMode::global, [&] {
           Event event = plain_event(s);
           event.record(s.stream);
         });
       }},
      {"record-captured-in-other-stream-normally",
       [](Scene& s) {
         begin(s.stream);
         s.fresh.record(s.stream);
         const std::string recorded = answer([&] { s.fresh.record(s.other); });
         const std::string waited = answer([&] { s.stream.wait_event(s.fresh); });
         const std::string after = status(s.stream);
         return join({recorded, waited, after, end_with_graph(s.stream)});
       }},
      {"end-forked-wrong-thread",
       [](Scene& s) {
         begin(s.stream);
         s.fresh.record(s.stream);
         s.other.wait_event(s.fresh);
         std::string ended;
         world().start([&] { ended = end_with_graph(s.other); })();
         const std::string first = status(s.stream);
         const std::string second = status(s.other);
         return join({ended, first, second, end_with_graph(s.stream)});
       }},
  };
}

/// The answer, and the statuses of both captures after it.
template <typename Call>
std::string between(const Stream& a, const Stream& b, Call&& call) {
  const std::string answered = answer(call);
  const std::string first = status(a);
  return join({answered, first, status(b)});
}

Truths two_captures() {
  constexpr CaptureMode relaxed = CaptureMode::relaxed;
  return {
      {"second-capture-kills-both",
       [](Scene& s) {
         const Stream third(s.device);
         begin(s.stream);
         begin(s.other);
         const std::string both = between(s.stream, s.other, [&] { return third.query(); });
         const std::string ended = end_with_graph(s.stream);
         return join({both, ended, end_with_graph(s.other)});
       }},
      {"device-sync-two-captures",
       [](Scene& s) {
         begin(s.stream, relaxed);
         begin(s.other, relaxed);
         return between(s.stream, s.other, [&] { s.device.synchronize(); });
       }},
      {"captured-query-and-other-capture",
       [](Scene& s) {
         begin(s.stream, relaxed);
         begin(s.other, relaxed);
         return between(s.stream, s.other, [&] { return s.stream.query(); });
       }},
      {"captured-event-and-global-capture",
       [](Scene& s) {
         begin(s.stream, relaxed);
         s.fresh.record(s.stream);
         begin(s.other);
         return between(s.stream, s.other, [&] { return s.fresh.query(); });
       }},
      {"legacy-two-captures-blocking-and-not",
       [](Scene& s) {
         begin(s.blocking);
         begin(s.other);
         return between(s.blocking, s.other, [&] { work(s.legacy()); });
       }},
      {"legacy-with-forked-blocking",
       [](Scene& s) {
         begin(s.stream);
         s.fresh.record(s.stream);
         s.blocking.wait_event(s.fresh);
         return between(s.stream, s.blocking, [&] { work(s.legacy()); });
       }},
  };
}

}  // namespace

Truths more_truths() {
  Truths all;
  for (const Truths& some :
       {legacy_stream(), busy_legacy_stream(), transfers(), captured_events(), two_captures()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace millrace::contract
