// SPDX-License-Identifier: Apache-2.0
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

#include <algorithm>

namespace millrace::sim {

// Making and finding streams.

std::size_t SimBackend::add_stream(const StreamDescription& description, StreamKind kind,
                                   Call* call) {
  const std::size_t index = streams_.size();
  StreamRecord& added = streams_.emplace_back();
  added.origin.name = description.name;
  added.device = description.device;
  added.priority = std::clamp(description.priority, -5, 0);
  added.blocking = description.blocking && kind != StreamKind::legacy;
  added.kind = kind;
  added.queue = engine_.add_stream({.device = description.device,
                                    .priority = added.priority,
                                    .created = kind == StreamKind::created});
  if (call != nullptr) added.origin.made = call->site.where;
  devices_[static_cast<std::size_t>(description.device)].streams.push_back(index);
  return index;
}

/// Default streams enter the trace when they are first used, others when they are made.
TraceIndex SimBackend::traced_stream(StreamRecord& stream) {
  if (stream.origin.traced == none && recorder_.enabled()) {
    auto& table = recorder_.trace().streams;
    stream.origin.traced = static_cast<TraceIndex>(table.size());
    table.push_back({.name = recorder_.string(stream.origin.name),
                     .device = static_cast<TraceIndex>(stream.device),
                     .priority = stream.priority,
                     .kind = stream.kind,
                     .blocking = stream.blocking});
  }
  return stream.origin.traced;
}

Handle SimBackend::create_stream(const StreamDescription& description, const CallSite& site) {
  return perform(CallKind::create_stream, site, [&](Call& call) {
    static_cast<void>(device(description.device, call));
    refuse_failed(description.device, call);
    const std::size_t index = add_stream(description, StreamKind::created, &call);
    const TraceIndex traced = traced_stream(streams_[index]);
    if (traced != none) recorder_.trace().streams[traced].created_by = call.traced;
    about(call, ObjectKind::stream, traced);
    return make_handle(HandleKind::stream, index);
  });
}

void SimBackend::destroy_stream(Handle handle, const CallSite& site) {
  perform(CallKind::destroy_stream, site, [&](Call& call) {
    StreamRecord& found = stream(handle, call);
    if (found.kind != StreamKind::created) {
      fail(Errc::InvalidResourceHandle, call,
           mention("stream", found.origin.name) + " is a default stream, which lives on");
    }
    found.origin.gone = true;
    found.origin.destroyed = site.where;
    if (found.capturing() && captures_[found.capture].origin == handle_index(handle)) {
      drop(captures_[found.capture]);
    }
    let_depart(devices_[static_cast<std::size_t>(found.device)], found);
  });
}

/// The device no longer has to look at a stream that is destroyed and done. Who waits for the
/// device still comes after what it did.
void SimBackend::let_depart(DeviceRecord& from, const StreamRecord& stream) {
  if (!engine_.finished(stream.tail)) return;
  std::erase(from.streams, std::size_t{stream.queue});
  if (stream.tail.serial != 0) from.departed.emplace_back(stream.queue, stream.tail);
}

void SimBackend::cover_departed(DeviceRecord& of, Call& call) {
  if (call.traced == none) return;
  std::size_t& known = of.departed_known[call.thread];
  const std::vector<std::pair<std::size_t, OperationRef>> fresh(
      of.departed.begin() + static_cast<std::ptrdiff_t>(known), of.departed.end());
  known = of.departed.size();
  cover(fresh, DependencyKind::synchronize, call);
}

Handle SimBackend::legacy_stream(int index) {
  return make_handle(HandleKind::stream, devices_[static_cast<std::size_t>(index)].legacy);
}

Handle SimBackend::per_thread_stream(int index) {
  const Lock lock = hosts_.lock();
  DeviceRecord& record = devices_[static_cast<std::size_t>(index)];
  const TraceIndex thread = hosts_.current().index;
  const auto [found, is_new] = record.per_thread.try_emplace(thread, 0);
  if (is_new) {
    found->second = add_stream({.device = index, .blocking = true, .name = "perthread"},
                               StreamKind::per_thread, nullptr);
    const TraceIndex traced = traced_stream(streams_[found->second]);
    if (traced != none) recorder_.trace().streams[traced].thread = thread;
  }
  return make_handle(HandleKind::stream, found->second);
}

Handle SimBackend::stream_from_native(void* native, int index, const CallSite& site) {
  const auto value = reinterpret_cast<std::uintptr_t>(native);
  if (value <= 1) return legacy_stream(index);
  if (value == 2) return per_thread_stream(index);
  const Handle handle = value;
  if (!is_handle(HandleKind::stream, handle) || handle_index(handle) >= streams_.size()) {
    throw Error(Errc::InvalidResourceHandle, site.call,
                "the native handle is not one of a stream of this machine", site.where);
  }
  if (streams_[handle_index(handle)].device != index) {
    throw Error(
        Errc::InvalidResourceHandle, site.call,
        "the stream belongs to sim:" + std::to_string(streams_[handle_index(handle)].device) +
            ", not to sim:" + std::to_string(index),
        site.where);
  }
  return handle;
}

void* SimBackend::native_stream(Handle handle, const CallSite& site) {
  Look look(*this, site);
  if (known_stream(handle, look.call).kind == StreamKind::legacy) return nullptr;
  return reinterpret_cast<void*>(handle);  // NOLINT(performance-no-int-to-ptr): opaque
}

int SimBackend::stream_device(Handle handle, const CallSite& site) {
  Look look(*this, site);
  return known_stream(handle, look.call).device;
}

int SimBackend::stream_priority(Handle handle, const CallSite& site) {
  Look look(*this, site);
  return known_stream(handle, look.call).priority;
}

// Waiting for streams. The legacy stream stands for all blocking streams of its device too; a
// blocking stream only for itself.

void SimBackend::gather_targets(StreamRecord& stream, Until& until) {
  const auto index = static_cast<std::size_t>(stream.queue);
  until.add(index, stream.tail);
  if (stream.kind != StreamKind::legacy) return;
  for (const std::size_t other : devices_[static_cast<std::size_t>(stream.device)].since_legacy) {
    until.add(other, streams_[other].tail);
  }
}

bool SimBackend::query_stream(Handle handle, const CallSite& site) {
  return perform(CallKind::query_stream, site, [&](Call& call) {
    Until until(engine_);
    gather_targets(stream(handle, call), until);
    return ready(until, call);
  });
}

void SimBackend::synchronize_stream(Handle handle, const CallSite& site) {
  perform(CallKind::synchronize_stream, site, [&](Call& call) {
    StreamRecord& found = stream(handle, call);
    Until until(engine_);
    until.kind = ObjectKind::stream;
    until.object = found.origin.traced;
    gather_targets(found, until);
    wait_until(until, DependencyKind::synchronize, call);
    settle_frees(until.targets);
    refuse_failed(found.device, call);
  });
}

bool SimBackend::ready(Until& until, Call& call) {
  if (is_explored(call)) choose_answer(until, call);
  if (until.ready()) {
    cover(until.targets, DependencyKind::query_ready, call);
    return true;
  }
  call.outcome = CallOutcome::not_ready;
  return false;
}

void SimBackend::wait_until(Until& until, DependencyKind kind, Call& call) {
  wait_awake(until, call);
  cover(until.targets, kind, call);
}

/// A thread that had to wait needs its time to notice that it is over.
void SimBackend::wait_awake(Until& until, Call& call) {
  until.call = call.traced;
  if (until.ready()) return;
  const bool for_record = until.ends_with_records();
  hosts_.wait(until, call.lock);
  pay(for_record ? profile_.host.wake_after_record : profile_.host.wake, call);
}

/// The call comes after these operations; says so in the trace unless this thread's earlier calls
/// imply it.
void SimBackend::cover(const std::vector<std::pair<std::size_t, OperationRef>>& targets,
                       DependencyKind kind, Call& call) {
  if (call.traced == none) return;
  if (covered_.size() <= call.thread) covered_.resize(call.thread + 1);
  std::vector<std::uint64_t>& newest = covered_[call.thread];
  for (const auto& [stream, operation] : targets) {
    if (stream == unordered_record) {
      recorder_.depend(Step::operation(operation.traced), Step::call(call.traced), kind);
      continue;
    }
    if (newest.size() <= stream) newest.resize(stream + 1);
    if (newest[stream] >= operation.serial) continue;
    newest[stream] = operation.serial;
    recorder_.depend(Step::operation(operation.traced), Step::call(call.traced), kind);
  }
}

// The legacy stream's order: an operation on it comes after all earlier ones of blocking streams,
// and theirs after all earlier ones on it.

void SimBackend::order_with_legacy(StreamRecord& stream, TraceIndex traced) {
  const auto after = [&](const StreamRecord& other) {
    const OperationRef& earlier = other.tail;
    note_order({stream.queue, engine_.next_serial()}, {other.queue, earlier.serial});
    prerequisites_.push_back({earlier, ConstraintKind::legacy_barrier});
    recorder_.depend(Step::operation(earlier.traced), Step::operation(traced),
                     DependencyKind::legacy_barrier);
  };
  DeviceRecord& record = devices_[static_cast<std::size_t>(stream.device)];
  if (stream.kind == StreamKind::legacy) {
    for (const std::size_t other : record.since_legacy) {
      streams_[other].since_legacy = false;
      after(streams_[other]);
    }
    record.since_legacy.clear();
    return;
  }
  const StreamRecord& legacy = streams_[record.legacy];
  if (legacy.tail.serial != stream.legacy_joined) {
    stream.legacy_joined = legacy.tail.serial;
    after(legacy);
  }
  if (!stream.since_legacy) {
    stream.since_legacy = true;
    record.since_legacy.push_back(stream.queue);
  }
}

}  // namespace millrace::sim
