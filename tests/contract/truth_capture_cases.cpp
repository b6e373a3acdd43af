// SPDX-License-Identifier: Apache-2.0
// Captures: their beginning and end, their events, forks and joins.

#include "truth.hpp"

#include <optional>

namespace millrace::contract {
namespace {

std::string beside(Scene& s, const std::function<void()>& call) {
  return contract::beside(s.stream, CaptureMode::global, call);
}

/// The capture of `s.stream` goes on into `s.other`.
void fork(Scene& s) {
  begin(s.stream);
  s.stream.record_event(s.fresh);
  s.other.wait_event(s.fresh);
}

std::string end_on_other_thread(const Stream& stream) {
  std::string ended;
  world().start([&] { ended = end_with_graph(stream); })();
  return ended;
}

/// What a guarded capture says at its end, and what its graph has.
template <typename Body>
std::string ended_with_size(const Stream& stream, Body&& body) {
  GraphCapture capture(stream);
  const std::string answered = body();
  std::string size;
  const std::string ended = answer([&] { size = size_of(capture.end()); });
  return join({answered, ended, size});
}

Truths beginnings() {
  return {
      {"capture.begin-end-empty",
       [](Scene& s) {
         const std::string begun = begin(s.stream);
         return join({begun, end_with_graph(s.stream)});
       }},
      {"capture.status",
       [](Scene& s) {
         const std::string before = status(s.stream);
         begin(s.stream);
         const std::string during = status(s.stream);
         end(s.stream);
         return join({before, during, status(s.stream)});
       }},
      {"capture.begin-on-legacy",
       [](Scene& s) {
         const std::string null = begin(s.legacy());
         return join({null, begin(s.legacy())});
       }},
      {"capture.begin-on-per-thread",
       [](Scene& s) {
         const Stream own = per_thread_stream(s.device);
         const std::string begun = begin(own);
         return join({begun, end_with_graph(own)});
       }},
      {"capture.begin-twice",
       [](Scene& s) {
         begin(s.stream);
         const std::string again = begin(s.stream);
         return join({again, end_with_graph(s.stream)});
       }},
      {"capture.end-without-begin", [](Scene& s) { return end_with_graph(s.stream); }},
      {"capture.wrong-thread-end",
       [](Scene& s) {
         begin(s.stream);
         const std::string ended = end_on_other_thread(s.stream);
         const std::string after = status(s.stream);
         return join({ended, after, end_with_graph(s.stream)});
       }},
      {"capture.wrong-thread-end-relaxed",
       [](Scene& s) {
         begin(s.stream, CaptureMode::relaxed);
         return end_on_other_thread(s.stream);
       }},
      {"capture.get-info",
       [](Scene& s) {
         work(s.stream);
         begin(s.stream);
         CaptureInfo before;
         const std::string answered = answer([&] { before = s.stream.capture_info(); });
         work(s.stream);
         const CaptureInfo after = s.stream.capture_info();
         const std::string ids = before.id == after.id && before.id != 0 ? "same id" : "other id";
         return join({answered,
                      "deps " + std::to_string(before.frontier.size()) + "->" +
                          std::to_string(after.frontier.size()),
                      ids, end_with_graph(s.stream)});
       }},
      {"capture.mode-exchange",
       [](Scene& s) {
         std::optional<CaptureModeGuard> guard;
         const std::string answered =
             answer([&] { guard.emplace(CaptureMode::relaxed, s.device); });
         begin(s.stream);
         const std::string made = answer([&] { static_cast<void>(s.memory(MemoryKind::device)); });
         return join({answered, "was " + std::to_string(static_cast<int>(guard->former())), made,
                      end_with_graph(s.stream)});
       }},
  };
}

Truths events() {
  return {
      {"capture.event-query-captured",
       [](Scene& s) {
         return beside(s, [&] {
           s.fresh.record(s.stream);
           static_cast<void>(s.fresh.query());
         });
       }},
      {"capture.event-synchronize-captured",
       [](Scene& s) {
         return beside(s, [&] {
           s.fresh.record(s.stream);
           s.fresh.synchronize();
         });
       }},
      {"capture.event-elapsed-captured",
       [](Scene& s) {
         return beside(s, [&] {
           s.fresh.record(s.stream);
           static_cast<void>(s.fresh.elapsed_time(s.fresh));
         });
       }},
      {"capture.event-query-uncaptured-during",
       [](Scene& s) { return beside(s, [&] { static_cast<void>(s.done.query()); }); }},
      {"capture.event-after-capture-query",
       [](Scene& s) {
         beside(s, [&] { s.fresh.record(s.stream); });
         const std::string asked = answer([&] { return s.fresh.query(); });
         return join({asked, answer([&] { s.fresh.synchronize(); })});
       }},
      {"capture.event-after-capture-wait",
       [](Scene& s) {
         beside(s, [&] { s.fresh.record(s.stream); });
         const std::string waited = answer([&] { s.other.wait_event(s.fresh); });
         return join({waited, status(s.other)});
       }},
      {"capture.event-after-capture-rerecord",
       [](Scene& s) {
         beside(s, [&] { s.fresh.record(s.stream); });
         const std::string recorded = answer([&] { s.fresh.record(s.stream); });
         s.stream.synchronize();
         return join({recorded, answer([&] { return s.fresh.query(); })});
       }},
      {"capture.wait-on-outside-event",
       [](Scene& s) {
         const Event outside = s.other.record_event();
         return beside(s, [&] { s.stream.wait_event(outside); });
       }},
      {"capture.wait-on-outside-event-completed",
       [](Scene& s) { return beside(s, [&] { s.stream.wait_event(s.done); }); }},
      {"capture.wait-on-outside-event-external-flag",
       [](Scene& s) {
         return ended_with_size(
             s.stream, [&] { return answer([&] { s.stream.wait_external_event(s.done); }); });
       }},
      {"capture.wait-on-fresh-event",
       [](Scene& s) { return beside(s, [&] { s.stream.wait_event(s.fresh); }); }},
      {"capture.event-record-external",
       [](Scene& s) {
         const std::string ended = ended_with_size(
             s.stream, [&] { return answer([&] { s.stream.record_external_event(s.fresh); }); });
         return join({ended, answer([&] { return s.fresh.query(); })});
       }},
      {"capture.record-then-wait-same-stream",
       [](Scene& s) {
         return ended_with_size(s.stream, [&] {
           s.fresh.record(s.stream);
           return answer([&] { s.stream.wait_event(s.fresh); });
         });
       }},
  };
}

Truths forks() {
  return {
      {"capture.fork-unjoined",
       [](Scene& s) {
         fork(s);
         work(s.other);
         const std::string ended = end_with_graph(s.stream);
         return join({ended, "t:" + status(s.other), status(s.stream)});
       }},
      {"capture.fork-joined-then-more-work",
       [](Scene& s) {
         fork(s);
         work(s.other);
         s.stream.wait_event(s.other.record_event());
         work(s.other);
         return end_with_graph(s.stream);
       }},
      {"capture.end-on-forked-stream",
       [](Scene& s) {
         fork(s);
         work(s.other);
         const std::string ended = end_with_graph(s.other);
         const std::string after = status(s.stream);
         return join({ended, "s:" + after, end_with_graph(s.stream)});
       }},
      {"capture.merge-two-captures",
       [](Scene& s) {
         begin(s.stream, CaptureMode::relaxed);
         begin(s.other, CaptureMode::relaxed);
         work(s.other);
         s.fresh.record(s.other);
         const std::string waited = answer([&] { s.stream.wait_event(s.fresh); });
         const std::string first = "s:" + status(s.stream);
         const std::string second = "t:" + status(s.other);
         const std::string ended = end_with_graph(s.stream);
         return join({waited, first, second, ended, end_with_graph(s.other)});
       }},
  };
}

Truths broken() {
  return {
      {"capture.synchronize-captured-stream",
       [](Scene& s) { return beside(s, [&] { s.stream.synchronize(); }); }},
      {"capture.query-other-stream",
       [](Scene& s) { return beside(s, [&] { static_cast<void>(s.other.query()); }); }},
      {"capture.synchronize-other-stream",
       [](Scene& s) { return beside(s, [&] { s.other.synchronize(); }); }},
      {"capture.add-callback",
       [](Scene& s) {
         begin(s.stream);
         const std::string added = answer([&] { s.stream.add_callback("nop", [](Errc) {}); });
         return join({added, end_with_graph(s.stream)});
       }},
      {"capture.invalidated-further-calls",
       [](Scene& s) {
         begin(s.stream);
         answer([&] { return s.stream.query(); });
         const std::string worked = answer([&] { work(s.stream); });
         const std::string recorded = answer([&] { s.fresh.record(s.stream); });
         const std::string asked = answer([&] { return s.stream.query(); });
         const std::string ended = end_with_graph(s.stream);
         return join({worked, recorded, asked, ended, answer([&] { work(s.stream); })});
       }},
      {"capture.last-error-after-invalid",
       [](Scene& s) {
         begin(s.stream);
         answer([&] { return s.stream.query(); });
         const std::string first(to_string(last_error()));
         const std::string ended = end_with_graph(s.stream);
         return join({first, ended, std::string(to_string(last_error()))});
       }},
  };
}

Truths legacy_beside() {
  return {
      {"capture.legacy-work-with-blocking-capture",
       [](Scene& s) {
         return contract::beside(s.blocking, CaptureMode::global, [&] { work(s.legacy()); });
       }},
      {"capture.legacy-work-with-nonblocking-capture",
       [](Scene& s) { return beside(s, [&] { work(s.legacy()); }); }},
      {"capture.legacy-event-record-with-blocking-capture",
       [](Scene& s) {
         return contract::beside(s.blocking, CaptureMode::global,
                                 [&] { s.fresh.record(s.legacy()); });
       }},
  };
}

}  // namespace

Truths capture_truths() {
  Truths all;
  for (const Truths& some : {beginnings(), events(), forks(), broken(), legacy_beside()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace millrace::contract
