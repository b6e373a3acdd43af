// SPDX-License-Identifier: Apache-2.0
// What a call may do while streams are being captured. One table says what each kind of call is,
// a few rules what that means; all answers and states are those of an H200.

#include "backend_impl.hpp"

#include <millrace/mention.hpp>

namespace millrace::sim {
namespace {

enum class CaptureClass : std::uint8_t {
  harmless,   ///< makes, destroys or looks at things that captures do not mind
  work,       ///< enqueues on a stream
  memory,     ///< enqueues on a captured stream; elsewhere as unsafe as plain allocation
  graph,      ///< work that no capture takes
  ask,        ///< asks about a stream or event, or waits for it
  look,       ///< asks about an event without asking its stream
  capturing,  ///< begins or ends a capture: has rules of its own
};

CaptureClass capture_class(CallKind kind) {
  switch (kind) {
    case CallKind::launch:
    case CallKind::copy:
    case CallKind::fill:
    case CallKind::host_function:
    case CallKind::record:
    case CallKind::wait:
    case CallKind::set_flag:
    case CallKind::await_flag:
      return CaptureClass::work;
    case CallKind::allocate:
    case CallKind::free:
      return CaptureClass::memory;
    case CallKind::launch_graph:
      return CaptureClass::graph;
    case CallKind::query_stream:
    case CallKind::query_event:
    case CallKind::synchronize_stream:
    case CallKind::synchronize_event:
      return CaptureClass::ask;
    case CallKind::elapsed_time:
      return CaptureClass::look;
    case CallKind::begin_capture:
    case CallKind::end_capture:
      return CaptureClass::capturing;
    default:
      return CaptureClass::harmless;
  }
}

std::string_view words(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::global:
      return "global";
    case CaptureMode::thread_local_mode:
      return "thread-local";
    case CaptureMode::relaxed:
      return "relaxed";
  }
  return "";
}

}  // namespace

// Captures as messages speak of them, and their breaking.

std::string SimBackend::describe(const CaptureRecord& capture) const {
  const Origin& origin = streams_[capture.origin].origin;
  std::string text = "the capture of " + mention("stream", origin.name, origin.made);
  return text.append(" (").append(words(capture.mode)).append(" mode, begun at ") +
         place(capture.begun) + ")";
}

template <typename Which>
std::vector<CaptureRecord*> SimBackend::live_captures(Which which) {
  std::vector<CaptureRecord*> found;
  if (live_captures_ == 0) return found;
  for (CaptureRecord& capture : captures_) {
    if (!capture.ended && which(capture)) found.push_back(&capture);
  }
  return found;
}

void SimBackend::spoil(const std::vector<CaptureRecord*>& captures, const std::string& reason,
                       Call& call) {
  for (CaptureRecord* const capture : captures) {
    if (capture->spoiled) continue;
    capture->spoiled = true;
    capture->reason = std::string(call.site.call) + " at " + place(call.site.where);
    capture->reason.append(", since ").append(reason);
  }
}

// The rules.

/// Unsafe calls: they would happen once, now, and not at each launch.
bool SimBackend::forbids_unsafe(const CaptureRecord& capture, const Call& call) const {
  const auto found = thread_modes_.find(call.thread);
  const CaptureMode own = found == thread_modes_.end() ? CaptureMode::global : found->second;
  if (own == CaptureMode::relaxed || capture.mode == CaptureMode::relaxed) return false;
  if (capture.thread == call.thread) return true;
  return capture.mode == CaptureMode::global && own == CaptureMode::global;
}

void SimBackend::refuse_unsafe(Call& call) {
  if (call.site.silent) return;
  const std::vector<CaptureRecord*> broken =
      live_captures([&](const CaptureRecord& capture) { return forbids_unsafe(capture, call); });
  if (broken.empty()) return;
  const std::string reason = "it is unsafe during a capture: it would not be part of the graph; " +
                             describe(*broken.front()) + " forbids it to this host thread";
  spoil(broken, reason, call);
  fail(Errc::StreamCaptureUnsupported, call, reason);
}

bool SimBackend::has_blocking_stream(const CaptureRecord& capture, int device) const {
  for (const std::size_t member : capture.members) {
    if (streams_[member].blocking && streams_[member].device == device) return true;
  }
  return false;
}

std::vector<CaptureRecord*> SimBackend::captures_beside_legacy(int device) {
  return live_captures(
      [&](const CaptureRecord& capture) { return has_blocking_stream(capture, device); });
}

/// The legacy stream would have to wait for the blocking streams, and what is captured never runs.
void SimBackend::refuse_implicit(const StreamRecord& legacy, Call& call) {
  const std::vector<CaptureRecord*> broken = captures_beside_legacy(legacy.device);
  if (broken.empty()) return;
  const std::string reason =
      "the legacy stream waits for all blocking streams, and one of them is part of " +
      describe(*broken.front());
  spoil(broken, reason, call);
  fail(Errc::StreamCaptureImplicit, call, reason);
}

void SimBackend::heed_captures(StreamRecord& on, Call& call) {
  if (live_captures_ == 0 || call.site.silent) return;
  const CaptureClass kind = capture_class(call.kind);
  if (kind == CaptureClass::harmless || on.builds != no_index) return;
  if (on.kind == StreamKind::legacy) refuse_implicit(on, call);
  const bool asks = kind == CaptureClass::ask;
  if (!on.capturing()) {
    if (asks || kind == CaptureClass::memory) refuse_unsafe(call);
    return;
  }
  CaptureRecord& capture = captures_[on.capture];
  if (asks) refuse_to_wait_for(capture, call);
  if (kind == CaptureClass::graph && !capture.spoiled) {
    refuse_to_capture(capture, "a graph cannot be launched", call);
  }
  if (capture.spoiled && kind != CaptureClass::capturing) {
    fail(Errc::StreamCaptureInvalidated, call,
         describe(capture) + " was broken by " + capture.reason + "; it has to be ended");
  }
}

void SimBackend::refuse_to_capture(CaptureRecord& capture, const std::string& what, Call& call) {
  const std::string reason = what + " into " + describe(capture);
  spoil({&capture}, reason, call);
  fail(Errc::StreamCaptureUnsupported, call, reason);
}

void SimBackend::refuse_to_wait_for(CaptureRecord& capture, Call& call) {
  const std::string reason =
      "what is captured does not run, so that it cannot be waited for: " + describe(capture);
  spoil({&capture}, reason, call);
  fail(Errc::StreamCaptureUnsupported, call, reason);
}

void SimBackend::heed_captures(EventRecord& event, Call& call) {
  if (call.site.silent) return;
  const CaptureClass kind = capture_class(call.kind);
  if (kind != CaptureClass::ask && kind != CaptureClass::look) return;
  if (!event.captured()) {
    if (kind == CaptureClass::ask) refuse_unsafe(call);
    return;
  }
  CaptureRecord& capture = captures_[event.capture];
  const std::string reason = mention("event", event.origin.name, event.origin.made) +
                             " was last recorded in " + describe(capture);
  if (!capture.active()) {
    fail(Errc::InvalidValue, call, reason + ", which is over: it stands for nothing now");
  }
  if (kind == CaptureClass::ask) spoil({&capture}, reason, call);
  fail(Errc::CapturedEvent, call, reason);
}

/// The device includes the captured streams.
void SimBackend::heed_captures_of(int device, Call& call) {
  if (call.site.silent) return;
  const std::vector<CaptureRecord*> broken = live_captures(
      [&](const CaptureRecord& capture) { return streams_[capture.origin].device == device; });
  if (broken.empty()) return;
  const std::string reason = "the device cannot become idle during " + describe(*broken.front());
  spoil(broken, reason, call);
  fail(Errc::StreamCaptureUnsupported, call, reason);
}

}  // namespace millrace::sim
