// SPDX-License-Identifier: Apache-2.0
// What an H200 answered during captures: beginning and ending them, events, forks and joins.

#include "capture_situations.hpp"

namespace millrace::contract {
namespace {

/// The same call's answer, the status after it, and the end of the capture of `scene.stream`.
template <typename Call>
std::string capturing(Scene& scene, CaptureMode mode, Call&& call) {
  begin(scene.stream, mode);
  const std::string answered = answer(call);
  const std::string after = status(scene.stream);
  return join({answered, after, end_with_graph(scene.stream)});
}

template <typename Call>
std::string capturing(Scene& scene, Call&& call) {
  return capturing(scene, CaptureMode::global, call);
}

/// The capture goes on into `scene.other`, where there is one node.
void fork(Scene& scene) {
  begin(scene.stream);
  scene.stream.record_event(scene.done);
  scene.other.wait_event(scene.done);
  work(scene.other);
}

TEST_CASE("a capture begins and ends as on an H200") {
  check({
      {"empty", "Success,Success+graph",
       [](Scene& s) {
         return join({begin(s.stream), end_with_graph(s.stream)});
       }},
      {"status", "Success:0,Success:1,Success:0",
       [](Scene& s) {
         const std::string before = status(s.stream);
         begin(s.stream);
         const std::string during = status(s.stream);
         end(s.stream);
         return join({before, during, status(s.stream)});
       }},
      {"legacy stream", "StreamCaptureUnsupported", [](Scene& s) { return begin(s.legacy()); }},
      {"per-thread stream", "Success,Success+graph",
       [](Scene& s) {
         const Stream own = per_thread_stream(s.device);
         return join({begin(own), end_with_graph(own)});
       }},
      {"begun twice", "IllegalState,Success+graph",
       [](Scene& s) {
         begin(s.stream);
         return join({begin(s.stream), end_with_graph(s.stream)});
       }},
      {"ended without a begin", "IllegalState", [](Scene& s) { return end_with_graph(s.stream); }},
      {"ended by another thread", "StreamCaptureWrongThread,Success:0,IllegalState",
       [](Scene& s) {
         begin(s.stream);
         std::string other;
         world().start([&] { other = end_with_graph(s.stream); })();
         const std::string after = status(s.stream);
         return join({other, after, end_with_graph(s.stream)});
       }},
      {"relaxed, ended by another thread", "Success+graph",
       [](Scene& s) {
         begin(s.stream, CaptureMode::relaxed);
         std::string other;
         world().start([&] { other = end_with_graph(s.stream); })();
         return other;
       }},
      {"begun on legacy beside a blocking stream's", implicit,
       [](Scene& s) {
         begin(s.blocking);
         const std::string answered = begin(s.legacy());
         const std::string after = status(s.blocking);
         return join({answered, after, end_with_graph(s.blocking)});
       }},
  });
}

TEST_CASE("a broken capture answers as on an H200") {
  check({
      {"synchronizing the captured stream", breaks,
       [](Scene& s) { return capturing(s, [&] { s.stream.synchronize(); }); }},
      {"further calls",
       "StreamCaptureInvalidated,StreamCaptureInvalidated,StreamCaptureUnsupported,"
       "StreamCaptureInvalidated,Success",
       [](Scene& s) {
         begin(s.stream);
         answer([&] { return s.stream.query(); });
         const std::string worked = answer([&] { work(s.stream); });
         const std::string recorded = answer([&] { s.stream.record_event(s.fresh); });
         const std::string asked = answer([&] { return s.stream.query(); });
         const std::string ended = end_with_graph(s.stream);
         return join({worked, recorded, asked, ended, answer([&] { work(s.stream); })});
       }},
      {"the last error",
       "StreamCaptureUnsupported,StreamCaptureInvalidated,"
       "StreamCaptureInvalidated",
       [](Scene& s) {
         begin(s.stream);
         answer([&] { return s.stream.query(); });
         const Errc first = last_error();
         const std::string ended = end_with_graph(s.stream);
         return join({std::string(to_string(first)), ended, std::string(to_string(last_error()))});
       }},
  });
}

TEST_CASE("events recorded in a capture answer as on an H200") {
  check({
      {"query", "CapturedEvent,Success:2,StreamCaptureInvalidated",
       [](Scene& s) {
         return capturing(s, [&] {
           s.stream.record_event(s.fresh);
           return s.fresh.query();
         });
       }},
      {"synchronize", "CapturedEvent,Success:2,StreamCaptureInvalidated",
       [](Scene& s) {
         return capturing(s, [&] {
           s.stream.record_event(s.fresh);
           s.fresh.synchronize();
         });
       }},
      {"elapsed time", "CapturedEvent,Success:1,Success+graph",
       [](Scene& s) {
         return capturing(s, [&] {
           s.stream.record_event(s.fresh);
           return s.fresh.elapsed_time(s.fresh);
         });
       }},
      {"destroyed", passes,
       [](Scene& s) {
         return capturing(s, [&] {
           Event gone;
           s.stream.record_event(gone);
         });
       }},
      {"recorded on another stream meanwhile",
       "Success,StreamCaptureIsolation,Success:2,StreamCaptureInvalidated",
       [](Scene& s) {
         begin(s.stream);
         s.stream.record_event(s.fresh);
         const std::string recorded = answer([&] { s.other.record_event(s.fresh); });
         const std::string waited = answer([&] { s.stream.wait_event(s.fresh); });
         const std::string after = status(s.stream);
         return join({recorded, waited, after, end_with_graph(s.stream)});
       }},
      {"waited for by the legacy stream",
       "StreamCaptureImplicit,Success:2,Success:0,StreamCaptureInvalidated",
       [](Scene& s) {
         begin(s.stream);
         s.stream.record_event(s.fresh);
         const std::string waited = answer([&] { s.legacy().wait_event(s.fresh); });
         const std::string after = status(s.stream);
         return join({waited, after, status(s.legacy()), end_with_graph(s.stream)});
       }},
  });
}

TEST_CASE("events of an ended capture stand for nothing, as on an H200") {
  check({
      {"asked after the capture", "InvalidValue,InvalidValue,InvalidValue",
       [](Scene& s) {
         begin(s.stream);
         s.stream.record_event(s.fresh);
         end(s.stream);
         return join({answer([&] { return s.fresh.query(); }),
                      answer([&] { s.fresh.synchronize(); }),
                      answer([&] { return s.fresh.elapsed_time(s.fresh); })});
       }},
      {"waited for after the capture", "InvalidValue,Success:0",
       [](Scene& s) {
         begin(s.stream);
         s.stream.record_event(s.fresh);
         end(s.stream);
         const std::string waited = answer([&] { s.other.wait_event(s.fresh); });
         return join({waited, status(s.other)});
       }},
      {"waited for in the next capture", "InvalidValue,Success:2,StreamCaptureInvalidated",
       [](Scene& s) {
         begin(s.other);
         s.other.record_event(s.fresh);
         end(s.other);
         return capturing(s, [&] { s.stream.wait_event(s.fresh); });
       }},
      {"recorded again after the capture", "Success,Success",
       [](Scene& s) {
         begin(s.stream);
         s.stream.record_event(s.fresh);
         end(s.stream);
         const std::string recorded = answer([&] { s.stream.record_event(s.fresh); });
         s.stream.synchronize();
         return join({recorded, answer([&] { return s.fresh.query(); })});
       }},
  });
}

TEST_CASE("events from outside of a capture answer as on an H200") {
  check({
      {"waited for", "StreamCaptureIsolation,Success:2,StreamCaptureInvalidated",
       [](Scene& s) {
         s.other.launch("spin");
         s.other.record_event(s.done);
         return capturing(s, [&] { s.stream.wait_event(s.done); });
       }},
      {"waited for when complete", "StreamCaptureIsolation,Success:2,StreamCaptureInvalidated",
       [](Scene& s) { return capturing(s, [&] { s.stream.wait_event(s.done); }); }},
      {"waited for when never recorded", passes,
       [](Scene& s) { return capturing(s, [&] { s.stream.wait_event(s.fresh); }); }},
      {"external wait when never recorded", passes,
       [](Scene& s) { return capturing(s, [&] { s.stream.wait_external_event(s.fresh); }); }},
      {"external flag outside of captures", "IllegalState,IllegalState",
       [](Scene& s) {
         return join({answer([&] { s.stream.wait_external_event(s.done); }),
                      answer([&] { s.stream.record_external_event(s.done); })});
       }},
      {"elapsed time when never recorded", "InvalidResourceHandle,Success:1,Success+graph",
       [](Scene& s) { return capturing(s, [&] { return s.fresh.elapsed_time(s.fresh); }); }},
      {"elapsed time when complete", passes,
       [](Scene& s) { return capturing(s, [&] { return s.done.elapsed_time(s.done); }); }},
  });
}

TEST_CASE("forks, joins and two captures answer as on an H200") {
  check({
      {"fork without a join", "StreamCaptureUnjoined,t:Success:0,Success:0",
       [](Scene& s) {
         fork(s);
         const std::string ended = end_with_graph(s.stream);
         return join({ended, "t:" + status(s.other), status(s.stream)});
       }},
      {"work after the join", "StreamCaptureUnjoined",
       [](Scene& s) {
         fork(s);
         s.other.record_event(s.fresh);
         s.stream.wait_event(s.fresh);
         work(s.other);
         return end_with_graph(s.stream);
       }},
      {"ended on the fork", "StreamCaptureUnmatched,s:Success:2,StreamCaptureInvalidated",
       [](Scene& s) {
         fork(s);
         const std::string ended = end_with_graph(s.other);
         return join({ended, "s:" + status(s.stream), end_with_graph(s.stream)});
       }},
      {"ended on the fork by another thread",
       "StreamCaptureUnmatched,Success:2,Success:2,StreamCaptureInvalidated",
       [](Scene& s) {
         fork(s);
         std::string ended;
         world().start([&] { ended = end_with_graph(s.other); })();
         const std::string first = status(s.stream);
         return join({ended, first, status(s.other), end_with_graph(s.stream)});
       }},
      {"merged captures",
       "StreamCaptureMerge,s:Success:2,t:Success:2,StreamCaptureInvalidated,"
       "StreamCaptureInvalidated",
       [](Scene& s) {
         begin(s.stream, CaptureMode::relaxed);
         begin(s.other, CaptureMode::relaxed);
         work(s.other);
         s.other.record_event(s.fresh);
         const std::string waited = answer([&] { s.stream.wait_event(s.fresh); });
         const std::string first = "s:" + status(s.stream);
         const std::string second = "t:" + status(s.other);
         const std::string ended = end_with_graph(s.stream);
         return join({waited, first, second, ended, end_with_graph(s.other)});
       }},
  });
}

}  // namespace
}  // namespace millrace::contract
