// SPDX-License-Identifier: Apache-2.0
// Calls that meet a capture, by the capture's mode and by host thread.

#include "truth.hpp"

namespace millrace::contract {
namespace {

struct Meeting {
  const char* name;
  CaptureMode mode;
  bool from_other_thread;
};

using Meetings = std::vector<Meeting>;

Meetings named(const char* thread_local_mode, const char* global_other, const char* local_other) {
  return {{"global", CaptureMode::global, false},
          {thread_local_mode, CaptureMode::thread_local_mode, false},
          {"relaxed", CaptureMode::relaxed, false},
          {global_other, CaptureMode::global, true},
          {local_other, CaptureMode::thread_local_mode, true}};
}

void add(const std::string& call, const std::function<void(Scene&)>& made, const Meetings& meetings,
         Truths& to) {
  for (const Meeting& meeting : meetings) {
    to.push_back({call + "." + meeting.name, [made, meeting](Scene& s) {
                    begin(s.stream, meeting.mode);
                    const auto call_made = [&] { made(s); };
                    const std::string answered = meeting.from_other_thread
                                                     ? answer_on_other_thread(call_made)
                                                     : answer(call_made);
                    const std::string after = status(s.stream);
                    return join({answered, after, end_with_graph(s.stream)});
                  }});
  }
}

void destroy(const Stream& stream) {
  stream.backend().destroy_stream(stream.handle(), {"destroy", SourceLocation::current()});
}

void destroy(const Event& event, Backend& backend) {
  backend.destroy_event(event.handle(), {"destroy", SourceLocation::current()});
}

void add_unsafe_calls(Truths& to) {
  const Meetings meetings =
      named("thread-local", "global-from-other-thread", "thread-local-from-other-thread");
  const auto add_call = [&](const std::string& call, const std::function<void(Scene&)>& made) {
    add("capture.unsafe." + call, made, meetings, to);
  };
  add_call("cudaMalloc", [](Scene& s) { static_cast<void>(s.memory(MemoryKind::device)); });
  add_call("cudaStreamCreate", [](Scene& s) { Stream({.device = s.device}); });
  add_call("cudaEventCreate", [](Scene& s) { Event({.device = s.device}); });
  add_call("cudaMemcpy-sync",
           [](Scene& s) { s.legacy().copy(s.host, s.host, {.synchronous = true}); });
  add_call("cudaDeviceSynchronize", [](Scene& s) { s.device.synchronize(); });
}

void add_questions(const Meetings& meetings, Truths& to) {
  const auto add_call = [&](const std::string& call, const std::function<void(Scene&)>& made) {
    add(call, made, meetings, to);
  };
  add_call("query-other-stream", [](Scene& s) { static_cast<void>(s.other.query()); });
  add_call("sync-other-stream", [](Scene& s) { s.other.synchronize(); });
  add_call("query-event", [](Scene& s) { static_cast<void>(s.done.query()); });
  add_call("sync-event", [](Scene& s) { s.done.synchronize(); });
  add_call("query-fresh-event", [](Scene& s) { static_cast<void>(s.fresh.query()); });
  add_call("query-captured-stream", [](Scene& s) { static_cast<void>(s.stream.query()); });
  add_call("query-legacy-nonblocking-capture",
           [](Scene& s) { static_cast<void>(s.legacy().query()); });
  add_call("sync-legacy-nonblocking-capture", [](Scene& s) { s.legacy().synchronize(); });
  add_call("device-sync", [](Scene& s) { s.device.synchronize(); });
}

void add_others(const Meetings& meetings, Truths& to) {
  const auto add_call = [&](const std::string& call, const std::function<void(Scene&)>& made) {
    add(call, made, meetings, to);
  };
  add_call("record-other-stream", [](Scene& s) { s.done.record(s.other); });
  add_call("malloc-host", [](Scene& s) { static_cast<void>(s.memory(MemoryKind::pinned)); });
  add_call("destroy-other-stream", [](Scene& s) { destroy(s.other); });
  add_call("destroy-event", [](Scene& s) { destroy(s.done, s.other.backend()); });
  add_call("malloc-async-other", [](Scene& s) {
    s.other.backend().allocate_async(s.other.handle(), {.bytes = 64},
                                     {"allocate_async", SourceLocation::current()});
  });
}

}  // namespace

Truths meeting_truths() {
  Truths all;
  const Meetings meetings = named("threadlocal", "global-other-thread", "threadlocal-other-thread");
  add_unsafe_calls(all);
  add_questions(meetings, all);
  add_others(meetings, all);
  return all;
}

}  // namespace millrace::contract
