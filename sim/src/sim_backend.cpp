// SPDX-License-Identifier: Apache-2.0
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

#include <algorithm>

namespace millrace::sim {

std::shared_ptr<SimMachine> make_machine(const Profile& profile, const Machine& machine,
                                         Recorder& recorder, Hosts& hosts) {
  return std::make_shared<SimBackend>(profile, machine, recorder, hosts);
}

SimBackend::SimBackend(const Profile& profile, const Machine& machine, Recorder& recorder,
                       Hosts& hosts)
    : profile_(profile),
      recorder_(recorder),
      hosts_(hosts),
      engine_(profile, machine.devices, recorder, hosts, *this),
      injector_(machine.inject),
      max_operations_(machine.max_operations) {
  if (machine.inject.device_bytes) device_bytes_ = *machine.inject.device_bytes;
  for (const LostDevice& lost : machine.inject.lost) engine_.lose(lost.device, lost.at, lost.code);
  for (int index = 0; index < machine.devices; ++index) {
    if (recorder_.enabled()) {
      recorder_.trace().devices.push_back(
          {.name = recorder_.string(Name("sim:" + std::to_string(index)))});
    }
    DeviceRecord& record = devices_.emplace_back(index);
    record.legacy = add_stream({.device = index, .blocking = true, .name = "legacy"},
                               StreamKind::legacy, nullptr);
  }
}

// Host calls.

void SimBackend::begin(CallKind kind, Call& call) {
  call.kind = kind;
  refuse_closed(call);
  call.thread = hosts_.current(&call.site).index;
  hosts_.spend(Duration{0}, call.lock);
  if (call.site.silent) return;
  call.traced = recorder_.begin_call(kind, call.thread, call.site, hosts_.now());
  if (hosts_.chooser() != nullptr) touch(call);
  pay(profile_.host.of(kind), call);
  engine_.catch_up(hosts_.now());
}

SimBackend::Look::Look(SimBackend& backend, const CallSite& asked)
    : lock(backend.hosts_.lock()), site{asked.call, asked.where, true}, call{site, lock} {
  backend.refuse_closed(call);
}

/// The call costs its thread time; meanwhile others may go on.
void SimBackend::pay(Duration cost, Call& call) {
  if (call.site.silent || call.site.before_start || cost <= Duration{0}) return;
  hosts_.spend(cost, call.lock);
}

void SimBackend::note_error(Call& call, const Error& error) {
  const CallOutcome outcome =
      error.code() == Errc::NotReady ? CallOutcome::not_ready : CallOutcome::error;
  recorder_.end_call(call.traced, hosts_.now(), outcome, error.code());
}

void SimBackend::about(Call& call, ObjectKind kind, TraceIndex object) {
  if (HostCall* const traced = recorder_.call(call.traced)) {
    traced->object_kind = object == none ? ObjectKind::nothing : kind;
    traced->object = object;
  }
}

void SimBackend::fail(Errc code, const Call& call, std::string_view reason) const {
  throw Error(code, call.site.call, reason, call.site.where);
}

// From handles to records.

void SimBackend::refuse_gone(const Origin& origin, ObjectKind kind, Call& call) {
  about(call, kind, origin.traced);
  if (!origin.gone) return;
  if (HostCall* const traced = recorder_.call(call.traced)) {
    traced->used_destroyed = !call.site.of_destructor;  // gone by a reset of its device
  }
  std::string reason = mention(to_string(kind), origin.name, origin.made) + " was destroyed";
  if (origin.destroyed.line != 0) {
    reason +=
        std::string(" at ") + origin.destroyed.file + ":" + std::to_string(origin.destroyed.line);
  }
  fail(Errc::InvalidResourceHandle, call, reason);
}

StreamRecord& SimBackend::known_stream(Handle handle, Call& call) {
  if (!is_handle(HandleKind::stream, handle) || handle_index(handle) >= streams_.size()) {
    fail(Errc::InvalidResourceHandle, call, "the handle is not a stream of this machine");
  }
  StreamRecord& found = streams_[handle_index(handle)];
  traced_stream(found);
  refuse_gone(found.origin, ObjectKind::stream, call);
  return found;
}

StreamRecord& SimBackend::stream(Handle handle, Call& call) {
  if (is_handle(HandleKind::builder, handle) && handle_index(handle) < graphs_.size()) {
    about(call, ObjectKind::graph, graphs_[handle_index(handle)].origin.traced);
    return graphs_[handle_index(handle)].builder;
  }
  StreamRecord& found = known_stream(handle, call);
  refuse_failed(found.device, call);
  heed_captures(found, call);
  if (is_explored(call)) touch(found, call);
  return found;
}

EventRecord& SimBackend::event(Handle handle, Call& call) {
  if (!is_handle(HandleKind::event, handle) || handle_index(handle) >= events_.size()) {
    fail(Errc::InvalidResourceHandle, call, "the handle is not an event of this machine");
  }
  EventRecord& found = events_[handle_index(handle)];
  refuse_gone(found.origin, ObjectKind::event, call);
  refuse_failed(found.device, call);
  heed_captures(found, call);
  if (is_explored(call)) touch_event(handle, call);
  if (found.sharing != nullptr && call.kind != CallKind::destroy_event) {
    look_elsewhere(found, call);
  }
  return found;
}

MemoryRecord& SimBackend::memory(Handle handle, const Call& call) {
  if (!is_handle(HandleKind::memory, handle) || handle_index(handle) >= memories_.size()) {
    fail(Errc::InvalidValue, call,
         "the region is not of this machine's memory: its buffer is of another machine, or "
         "of a run that has ended");
  }
  if (is_explored(call)) touch_memory(handle, call);
  return memories_[handle_index(handle)];
}

FlagRecord& SimBackend::flag(Handle handle, Call& call) {
  if (!is_handle(HandleKind::flag, handle) || handle_index(handle) >= flags_.size()) {
    fail(Errc::InvalidValue, call, "the handle is not a flag of this machine");
  }
  FlagRecord& found = flags_[handle_index(handle)];
  if (found.origin.gone) refuse_gone(found.origin, ObjectKind::flag, call);
  return found;
}

DeviceRecord& SimBackend::device(int index, const Call& call) {
  if (index < 0 || index >= device_count()) {
    fail(Errc::InvalidDevice, call,
         "there is no device sim:" + std::to_string(index) + "; this machine has " +
             std::to_string(device_count()));
  }
  DeviceRecord& found = devices_[static_cast<std::size_t>(index)];
  if (is_explored(call) && synchronizes(call.kind)) {
    hosts_.chooser()->touch(Thing::device, static_cast<std::uint64_t>(index), Touch::read);
  }
  return found;
}

void SimBackend::refuse_closed(const Call& call) const {
  if (closed_) fail(Errc::InvalidResourceHandle, call, "the run that it belongs to has ended");
}

void SimBackend::refuse_failed(int index, const Call& call) const {
  if (index < 0) return;
  const DeviceRecord& record = devices_[static_cast<std::size_t>(index)];
  if (record.fault != Errc::Success) fail(record.fault, call, record.fault_reason);
}

// Devices.

DeviceProperties SimBackend::properties(int index) {
  static_cast<void>(index);
  return {.name = "simulated device, profile " + profile_.name,
          .least_priority = 0,
          .greatest_priority = -5,
          .multiprocessors = static_cast<int>(profile_.multiprocessors.count),
          .memory_bytes = device_bytes_};
}

void SimBackend::synchronize_device(int index, const CallSite& site) {
  perform(CallKind::synchronize_device, site, [&](Call& call) {
    DeviceRecord& record = device(index, call);
    about(call, ObjectKind::device, static_cast<TraceIndex>(index));
    refuse_failed(index, call);
    heed_captures_of(index, call);
    Until until(engine_);
    until.kind = ObjectKind::device;
    until.object = static_cast<TraceIndex>(index);
    for (const std::size_t stream : record.streams) until.add(stream, streams_[stream].tail);
    wait_until(until, DependencyKind::synchronize, call);
    cover_departed(record, call);
    until.targets.insert(until.targets.end(), record.departed.begin(), record.departed.end());
    settle_frees(until.targets);
    refuse_failed(index, call);
  });
}

void SimBackend::reset_device(int index, const CallSite& site) {
  perform(CallKind::reset_device, site, [&](Call& call) {
    DeviceRecord& record = device(index, call);
    about(call, ObjectKind::device, static_cast<TraceIndex>(index));
    lose_shared_records(index);
    engine_.discard_all(index, hosts_.now(), OperationState::cancelled);
    destroy_graphs_of(index, site);
    const auto destroy = [&](Origin& origin) {
      origin.gone = true;
      origin.destroyed = site.where;
    };
    for (const std::size_t stream : record.streams) {
      if (streams_[stream].kind == StreamKind::created) destroy(streams_[stream].origin);
    }
    for (EventRecord& event : events_) {
      if (event.device != index || event.origin.gone) continue;
      destroy(event.origin);
      if (event.sharing != nullptr) stop_sharing(event);
    }
    for (MemoryRecord& memory : memories_) {
      const bool on_device =
          memory.kind == MemoryKind::device || memory.kind == MemoryKind::managed;
      if (memory.device != index || !on_device || memory.origin.gone) continue;
      destroy(memory.origin);
      memory.live = false;
      recorder_.access_of_call(
          call.traced,
          {.end = memory.bytes, .memory = memory.origin.traced, .mode = AccessMode::free});
    }
    destroy_pools_of(index, site);
    record.used_bytes = 0;
    record.addresses = DeviceRecord(index).addresses;
    if (record.fault != Errc::Success) {
      record.fault = Errc::DevicesUnavailable;
      record.fault_reason = "device sim:" + std::to_string(index) +
                            " had failed before it was reset at " + place(site.where) +
                            ", and does not come back to this process";
    }
    hosts_.changed(hosts_.now());
  });
}

void SimBackend::idle(const CallSite& site) {
  static_cast<void>(site);
  Lock lock = hosts_.lock();
  if (!closed_) hosts_.idle(Time::never(), lock);
}

void SimBackend::report_blocked(std::vector<Blocked>& blocked) { engine_.report_blocked(blocked); }

void SimBackend::mark_failed(int index, Errc code, const std::string& how) {
  DeviceRecord& record = devices_[static_cast<std::size_t>(index)];
  record.fault = code;
  record.fault_reason = "device sim:" + std::to_string(index) + " " + how +
                        "; every call answers so until the device is reset";
  lose_shared_records(index);
  hosts_.changed(engine_.end_of_work());
}

void SimBackend::faulted(int index, Errc code, TraceIndex traced) {
  std::string how = "failed";
  if (const Operation* const operation = recorder_.operation(traced)) {
    const HostCall& from = recorder_.trace().calls[operation->call];
    how.append(" in ").append(to_string(operation->kind)).append(" '");
    how += recorder_.trace().describe(traced) + "' (enqueued at " +
           std::string(recorder_.trace().string(from.file)) + ":" + std::to_string(from.line) + ")";
  }
  const auto& injected = injected_operations_;
  if (traced != none && std::find(injected.begin(), injected.end(), traced) != injected.end()) {
    how += ", a fault that the run injects";
  }
  mark_failed(index, code, how);
}

void SimBackend::lost(int index, Errc code, Time at) {
  mark_failed(index, code,
              "was lost at " + millrace::to_string(at) + ", a fault that the run injects");
}

}  // namespace millrace::sim
