// SPDX-License-Identifier: Apache-2.0
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

#include <algorithm>

namespace millrace::sim {
namespace {

NodeKind node_kind(OperationKind kind) {
  switch (kind) {
    case OperationKind::kernel:
      return NodeKind::kernel;
    case OperationKind::copy:
      return NodeKind::copy;
    case OperationKind::fill:
      return NodeKind::fill;
    case OperationKind::host_function:
      return NodeKind::host_function;
    case OperationKind::record:
      return NodeKind::record;
    case OperationKind::wait:
      return NodeKind::wait;
    case OperationKind::allocate:
      return NodeKind::allocate;
    case OperationKind::free:
      return NodeKind::free;
    case OperationKind::set_flag:
      return NodeKind::set_flag;
    case OperationKind::await_flag:
      return NodeKind::await_flag;
    case OperationKind::graph_node:
      return NodeKind::empty;
  }
  return NodeKind::empty;
}

void add_missing(std::vector<NodeId>& to, const std::vector<NodeId>& from) {
  for (const NodeId node : from) {
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
  }
}

}  // namespace

// Beginning and ending.

std::size_t SimBackend::start_capture(std::size_t on, std::size_t graph, CaptureMode mode,
                                      Call& call) {
  StreamRecord& origin = streams_[on];
  const std::size_t index = captures_.size();
  CaptureRecord& capture = captures_.emplace_back();
  capture.mode = mode;
  capture.thread = call.thread;
  capture.origin = on;
  capture.members = {on};
  capture.graph = graph;
  capture.begun = call.site.where;
  origin.capture = index;
  origin.frontier.clear();
  ++live_captures_;
  return index;
}

void SimBackend::check_beginning(const StreamRecord& on, const Call& call) const {
  if (on.kind == StreamKind::legacy) {
    fail(Errc::StreamCaptureUnsupported, call, "the legacy default stream cannot be captured");
  }
  if (on.capturing()) {
    fail(Errc::IllegalState, call,
         mention("stream", on.origin.name, on.origin.made) + " is being captured already, by " +
             describe(captures_[on.capture]));
  }
}

void SimBackend::begin_capture(Handle handle, CaptureMode mode, const CallSite& site) {
  perform(CallKind::begin_capture, site, [&](Call& call) {
    const StreamRecord& on = stream(handle, call);
    check_beginning(on, call);
    start_capture(handle_index(handle), add_graph(on.device, call), mode, call);
  });
}

void SimBackend::begin_capture_to_graph(Handle handle, Handle graph_handle,
                                        std::span<const NodeId> after, CaptureMode mode,
                                        const CallSite& site) {
  perform(CallKind::begin_capture, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    check_beginning(on, call);
    const GraphRecord& into = graph(graph_handle, call);
    for (const NodeId node : after) check_node(into, node, call);
    const std::size_t index =
        start_capture(handle_index(handle), handle_index(graph_handle), mode, call);
    captures_[index].into_given_graph = true;
    add_missing(on.frontier, {after.begin(), after.end()});
    about(call, ObjectKind::stream, on.origin.traced);
  });
}

/// Only the stream on which a capture began can end it, and unless relaxed only the same thread.
void SimBackend::check_origin(const StreamRecord& on, CaptureRecord& capture, Call& call) {
  if (&on != &streams_[capture.origin]) {
    const std::string reason = mention("stream", on.origin.name, on.origin.made) +
                               " was only forked off " + describe(capture);
    spoil({&capture}, reason, call);
    fail(Errc::StreamCaptureUnmatched, call, reason);
  }
  if (capture.mode != CaptureMode::relaxed && capture.thread != call.thread) {
    drop(capture);
    fail(Errc::StreamCaptureWrongThread, call,
         describe(capture) + " was begun by another host thread");
  }
}

/// The graph's end must come after all of its work: after each node some path leads to the origin.
void SimBackend::check_joined(const CaptureRecord& capture, Call& call) {
  const GraphBody& body = graphs_[capture.graph].body;
  const std::vector<bool> joined = body.leads_to(streams_[capture.origin].frontier);
  for (const NodeId node : capture.added) {
    if (joined[node]) continue;
    const GraphNode& lost = *body.nodes[node];
    fail(Errc::StreamCaptureUnjoined, call,
         "work of a forked stream, the last one captured at " + std::string(lost.made.file) + ":" +
             std::to_string(lost.made.line) + ", is not joined to the stream that " +
             describe(capture) + " began on");
  }
}

Handle SimBackend::end_capture(Handle handle, Name name, const CallSite& site) {
  return perform(CallKind::end_capture, site, [&](Call& call) {
    const StreamRecord& on = stream(handle, call);
    if (!on.capturing()) {
      fail(Errc::IllegalState, call,
           mention("stream", on.origin.name, on.origin.made) + " is not being captured");
    }
    CaptureRecord& capture = captures_[on.capture];
    check_origin(on, capture, call);
    if (capture.spoiled) {
      drop(capture);
      fail(Errc::StreamCaptureInvalidated, call,
           describe(capture) + " was broken by " + capture.reason);
    }
    try {
      check_joined(capture, call);
    } catch (const Error&) {
      drop(capture);
      throw;
    }
    end(capture);
    GraphRecord& made = graphs_[capture.graph];
    if (!capture.into_given_graph) name_graph(made, name);
    about(call, ObjectKind::graph, made.origin.traced);
    return make_handle(HandleKind::graph, capture.graph);
  });
}

void SimBackend::end(CaptureRecord& capture) {
  for (const std::size_t member : capture.members) {
    streams_[member].capture = no_index;
    streams_[member].frontier.clear();
  }
  capture.ended = true;
  --live_captures_;
}

/// Ends a capture that gives no graph.
void SimBackend::drop(CaptureRecord& capture) {
  end(capture);
  if (!capture.into_given_graph) graphs_[capture.graph].origin.gone = true;
}

CaptureInfo SimBackend::capture_info(Handle handle, const CallSite& site) {
  Look look(*this, site);
  Call& call = look.call;
  const StreamRecord& on = stream(handle, call);
  if (on.kind == StreamKind::legacy) {
    const std::vector<CaptureRecord*> beside = captures_beside_legacy(on.device);
    if (beside.empty()) return {};
    fail(Errc::StreamCaptureImplicit, call,
         "a blocking stream is part of " + describe(*beside.front()));
  }
  if (!on.capturing()) return {};
  const CaptureRecord& capture = captures_[on.capture];
  return {.status = capture.spoiled ? CaptureStatus::invalidated : CaptureStatus::active,
          .id = on.capture + 1,
          .mode = capture.mode,
          .nodes = graphs_[capture.graph].body.nodes.size(),
          .frontier = on.frontier};
}

bool SimBackend::stream_is_capturing(Handle handle, const CallSite& site) {
  return capture_info(handle, site).status != CaptureStatus::idle;
}

CaptureMode SimBackend::exchange_capture_mode(CaptureMode mode, const CallSite& site) {
  Lock lock = hosts_.lock();
  const TraceIndex thread = hosts_.current(&site).index;
  const auto found = thread_modes_.try_emplace(thread, CaptureMode::global).first;
  return std::exchange(found->second, mode);
}

// Events: how streams join a capture and its nodes get their edges.

/// Whether the record is taken up by a capture instead of the stream.
bool SimBackend::record_in_capture(StreamRecord& on, EventRecord& event, bool external) {
  if (!on.capturing() || external) return false;
  event.recorded = true;
  event.capture = on.capture;
  event.frontier = on.frontier;
  event.latest = {};
  event.completed = Time{-1};
  return true;
}

/// Whether the wait is settled by captures: then nothing is to be enqueued or captured.
bool SimBackend::wait_in_capture(StreamRecord& on, const EventRecord& event, bool external,
                                 Call& call) {
  if (event.captured() && !external) {
    join_capture(on, event, call);
    return true;
  }
  if (!on.capturing() || external || !event.recorded) return false;
  CaptureRecord& capture = captures_[on.capture];
  const std::string reason = mention("event", event.origin.name, event.origin.made) +
                             " was recorded outside of " + describe(capture) +
                             "; a wait for it at each launch needs the external flag";
  spoil({&capture}, reason, call);
  fail(Errc::StreamCaptureIsolation, call, reason);
}

void SimBackend::join_capture(StreamRecord& on, const EventRecord& event, Call& call) {
  CaptureRecord& capture = captures_[event.capture];
  const std::string recorded = mention("event", event.origin.name, event.origin.made) +
                               " was last recorded in " + describe(capture);
  if (!capture.active()) {
    const std::string reason = recorded + ", which is over: it stands for nothing now";
    if (on.capturing()) spoil({&captures_[on.capture]}, reason, call);
    fail(Errc::InvalidValue, call, reason);
  }
  if (on.kind == StreamKind::legacy) {
    const std::string reason = recorded + ", which the legacy default stream cannot join";
    spoil({&capture}, reason, call);
    fail(Errc::StreamCaptureImplicit, call, reason);
  }
  if (on.capturing() && on.capture != event.capture) {
    const std::string reason = recorded + ", the stream is part of " +
                               describe(captures_[on.capture]) + ": two captures cannot be joined";
    spoil({&captures_[on.capture], &capture}, reason, call);
    fail(Errc::StreamCaptureMerge, call, reason);
  }
  if (!on.capturing()) {
    on.capture = event.capture;
    on.frontier.clear();
    capture.members.push_back(on.queue);
  }
  add_missing(on.frontier, event.frontier);
}

// Work: what `describe`, `add_access` and `enqueue` do instead for a captured stream.

void SimBackend::draft(OperationKind kind, Name name, TraceIndex object, std::uint64_t bytes,
                       const Call& call) {
  draft_ = GraphNode{};
  draft_.kind = node_kind(kind);
  draft_.name = name;
  draft_.bytes = bytes;
  draft_.object = object;
  draft_.call = call.traced;
  draft_.made = call.site.where;
}

void SimBackend::capture(StreamRecord& on, NewOperation&& operation) {
  if (operation.body) draft_.body = std::make_shared<Task>(std::move(operation.body));
  operation.body.reset();
  draft_.operation = std::move(operation);
  draft_.device = on.device;
  for (const NodeAccess& access : draft_.accesses) {
    MemoryRecord& touched = memories_[handle_index(access.region.memory)];
    touched.in_graph = true;
    if (draft_.kind == NodeKind::allocate) touched.of_graph = true;
  }
  auto node = std::make_shared<const GraphNode>(std::exchange(draft_, GraphNode{}));
  const bool built = on.builds != no_index;
  const std::size_t graph = built ? on.builds : captures_[on.capture].graph;
  const NodeId id = graphs_[graph].body.add(std::move(node), on.frontier);
  if (!built) captures_[on.capture].added.push_back(id);
  on.frontier = {id};
}

}  // namespace millrace::sim
