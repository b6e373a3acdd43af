// SPDX-License-Identifier: Apache-2.0
//
// What the chooser of an explored run is told of calls: what they touch, so that it knows which of
// them may change places, and which queries may be answered either way.
#include "backend_impl.hpp"

namespace millrace::sim {

/// What is plain from its kind. A silent call is none of the program's.
void SimBackend::touch(const Call& call) {
  Chooser& chooser = *hosts_.chooser();
  switch (call.kind) {
    case CallKind::begin_capture:
    case CallKind::end_capture:
      return chooser.touch(Thing::capture, 0, Touch::write);
    case CallKind::allocate:
    case CallKind::free:
      return chooser.touch(Thing::pool, 0, Touch::write);
    case CallKind::malloc:
    case CallKind::host_free:
      chooser.touch(Thing::pool, 0, Touch::write);
      return chooser.touch(Thing::capture, 0, Touch::read);
    case CallKind::synchronize_stream:
    case CallKind::synchronize_event:
    case CallKind::synchronize_device:
    case CallKind::query_stream:
    case CallKind::query_event:
    case CallKind::destroy_stream:
      return chooser.touch(Thing::capture, 0, Touch::read);
    case CallKind::reset_device:  // everything that it has
      for (std::size_t i = 0; i < devices_.size(); ++i) {
        chooser.touch(Thing::device, i, Touch::write);
      }
      return;
    default:
      return;
  }
}

void SimBackend::touch(const StreamRecord& on, const Call& call) {
  Chooser& chooser = *hosts_.chooser();
  const auto device = static_cast<std::uint64_t>(on.device);
  const bool asks = synchronizes(call.kind) || call.kind == CallKind::query_stream;
  chooser.touch(Thing::stream, on.queue, asks ? Touch::read : Touch::write);
  if (asks) {
    if (on.kind == StreamKind::legacy) chooser.touch(Thing::legacy, device, Touch::read);
    return;
  }
  chooser.touch(Thing::device, device, Touch::add);
  if (on.kind == StreamKind::legacy) {
    chooser.touch(Thing::legacy, device, Touch::write);
  } else if (on.blocking) {
    chooser.touch(Thing::legacy, device, Touch::add);
  }
  if (on.capturing()) chooser.touch(Thing::capture, 0, Touch::write);
}

void SimBackend::touch_event(Handle handle, const Call& call) {
  const bool changes = call.kind == CallKind::record || call.kind == CallKind::destroy_event;
  hosts_.chooser()->touch(Thing::event, handle_index(handle), changes ? Touch::write : Touch::read);
}

void SimBackend::touch_memory(Handle handle, const Call& call) {
  if (call.kind != CallKind::read && call.kind != CallKind::write) return;
  hosts_.chooser()->touch(Thing::memory, handle_index(handle),
                          call.kind == CallKind::read ? Touch::read : Touch::write);
}

/// A query may find unfinished work done, by the time that it takes, unless that needs others; and
/// it may not, but not for ever: who asks in vain lets others go on.
void SimBackend::choose_answer(Until& until, const Call& call) {
  Chooser& chooser = *hosts_.chooser();
  for (const auto& [stream, operation] : until.targets) {
    chooser.touch(Thing::progress, stream, Touch::read);
  }
  if (!until.ready()) {
    const bool can_be_done = until.can_be_ready();
    const bool must_be_done = !hosts_.may_wait_longer();
    if (can_be_done && (must_be_done || chooser.finds_done())) {
      until.demand();
      hosts_.run_demanded();
    } else if (must_be_done) {
      hosts_.rest(call.lock);
    }
  }
  hosts_.told_done(until.ready());
}

}  // namespace millrace::sim
