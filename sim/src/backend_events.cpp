// SPDX-License-Identifier: Apache-2.0
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

namespace millrace::sim {

Handle SimBackend::create_event(const EventDescription& description, const CallSite& site) {
  return perform(CallKind::create_event, site, [&](Call& call) {
    if (description.device >= 0) static_cast<void>(device(description.device, call));
    refuse_failed(description.device, call);
    if (description.interprocess && description.timing) {
      fail(Errc::InvalidValue, call, "an interprocess event cannot have timing");
    }
    add_event(description, call);
    return make_handle(HandleKind::event, events_.size() - 1);
  });
}

EventRecord& SimBackend::add_event(const EventDescription& description, Call& call) {
  EventRecord& added = events_.emplace_back();
  added.origin.name = description.name;
  added.origin.made = call.site.where;
  added.device = description.device;
  added.timing = description.timing;
  added.interprocess = description.interprocess;
  if (recorder_.enabled()) {
    auto& table = recorder_.trace().events;
    added.origin.traced = static_cast<TraceIndex>(table.size());
    table.push_back(
        {.name = recorder_.string(description.name),
         .device = description.device < 0 ? none : static_cast<TraceIndex>(description.device),
         .timing = description.timing,
         .created_by = call.traced});
  }
  about(call, ObjectKind::event, added.origin.traced);
  return added;
}

void SimBackend::destroy_event(Handle handle, const CallSite& site) {
  perform(CallKind::destroy_event, site, [&](Call& call) {
    EventRecord& found = event(handle, call);
    found.origin.gone = true;
    found.origin.destroyed = site.where;
    if (found.sharing != nullptr) stop_sharing(found);
  });
}

void SimBackend::refuse_external(const StreamRecord& on, bool external, const Call& call) const {
  if (external && !on.capturing()) {
    fail(Errc::IllegalState, call,
         "the external flag is for streams that are being captured, and " +
             mention("stream", on.origin.name, on.origin.made) + " is not");
  }
}

void SimBackend::record_event(Handle handle, Handle stream_handle, bool external,
                              const CallSite& site) {
  perform(CallKind::record, site, [&](Call& call) {
    if (event(handle, call).timing) pay(profile_.host.timed_record - cost_of_call(call), call);
    StreamRecord& on = stream(stream_handle, call);
    EventRecord& found = event(handle, call);
    refuse_external(on, external, call);
    if (found.device < 0) {
      found.device = on.device;
      if (recorder_.enabled()) {
        recorder_.trace().events[found.origin.traced].device = static_cast<TraceIndex>(on.device);
      }
    }
    if (found.device != on.device) {
      fail(Errc::InvalidResourceHandle, call,
           mention("event", found.origin.name, found.origin.made) +
               " belongs to sim:" + std::to_string(found.device) + ", " +
               mention("stream", on.origin.name, on.origin.made) +
               " to sim:" + std::to_string(on.device));
    }
    if (record_in_capture(on, found, external)) return;
    refuse_unshared_record(found, call);
    const Demand demand{.timed = found.timing};
    await_place(on, OperationKind::record, demand, call);
    const TraceIndex traced = describe(on, OperationKind::record, {}, found.origin.traced, 0, call);
    if (!on.capturing()) begin_record(found, on.queue);
    const OperationRef record =
        enqueue(on,
                {.kind = OperationKind::record,
                 .duration = found.timing ? profile_.timed_record : profile_.record,
                 .traced = traced,
                 .object = static_cast<std::uint32_t>(handle_index(handle)),
                 .demand = demand},
                call);
    if (!on.capturing()) found.latest = record;
  });
}

/// The engine may complete it before it returns, so the event must know what is its latest.
void SimBackend::begin_record(EventRecord& event, std::uint32_t stream) {
  event.recorded = true;
  event.completed = Time{-1};
  event.capture = no_index;
  event.frontier.clear();
  event.latest_stream = stream;
  event.latest = {};
  event.latest.serial = engine_.next_serial();
  if (event.sharing != nullptr) begin_shared_record(event, event.latest.serial);
}

void SimBackend::recorded(std::uint32_t index, std::uint64_t serial, Time at) {
  EventRecord& found = events_[index];
  if (found.latest.serial == serial) found.completed = at;
  if (found.sharing != nullptr) finish_shared_record(found, serial, at);
}

void SimBackend::wait_event(Handle stream_handle, Handle handle, bool external,
                            const CallSite& site) {
  perform(CallKind::wait, site, [&](Call& call) {
    StreamRecord& on = stream(stream_handle, call);
    EventRecord& found = event(handle, call);
    refuse_external(on, external, call);
    if (wait_in_capture(on, found, external, call)) return;
    if (found.sharing != nullptr) refuse_lost(*found.sharing, found.sharing->current, call);
    if (!found.recorded && !external) {  // legal, and orders nothing
      if (HostCall* const traced = recorder_.call(call.traced)) traced->unrecorded = true;
      return;
    }
    need(found);
    const TraceIndex traced = describe(on, OperationKind::wait, {}, found.origin.traced, 0, call);
    if (found.latest_stream != on.queue) {
      recorder_.depend(Step::operation(found.latest.traced), Step::operation(traced),
                       DependencyKind::record_wait);
    }
    if (!on.capturing() && found.latest_stream != unordered_record) {
      note_order({on.queue, engine_.next_serial()}, {found.latest_stream, found.latest.serial});
    }
    const Prerequisite recorded{found.latest, ConstraintKind::record_wait};
    enqueue(on,
            {.kind = OperationKind::wait,
             .traced = traced,
             .object = static_cast<std::uint32_t>(handle_index(handle))},
            call, {&recorded, 1});
  });
}

bool SimBackend::query_event(Handle handle, const CallSite& site) {
  return perform(CallKind::query_event, site, [&](Call& call) {
    const EventRecord& found = event(handle, call);
    Until until(engine_);
    until.add(found.latest_stream, found.latest);
    const bool complete = ready(until, call);
    if (found.sharing != nullptr) refuse_lost(*found.sharing, found.sharing->current, call);
    return complete;
  });
}

void SimBackend::synchronize_event(Handle handle, const CallSite& site) {
  perform(CallKind::synchronize_event, site, [&](Call& call) {
    const EventRecord& found = event(handle, call);
    Until until(engine_);
    until.kind = ObjectKind::event;
    until.object = found.origin.traced;
    until.add(found.latest_stream, found.latest);
    need(found);
    const std::shared_ptr<EventSharing> sharing = found.sharing;
    const std::uint64_t record = sharing == nullptr ? 0 : sharing->current;
    wait_until(until, DependencyKind::synchronize, call);
    settle_frees(until.targets);
    refuse_failed(found.device, call);
    if (sharing != nullptr) refuse_lost(*sharing, record, call);
  });
}

Duration SimBackend::elapsed_time(Handle first, Handle last, const CallSite& site) {
  return perform(CallKind::elapsed_time, site, [&](Call& call) {
    const EventRecord& start = event(first, call);
    const EventRecord& end = event(last, call);
    const auto check = [&](auto&& bad, Errc code, std::string_view reason) {
      for (const EventRecord* const one : {&start, &end}) {
        if (!bad(*one)) continue;
        about(call, ObjectKind::event, one->origin.traced);
        fail(code, call,
             mention("event", one->origin.name, one->origin.made).append(" ").append(reason));
      }
    };
    check([](const EventRecord& e) { return !e.timing; }, Errc::InvalidResourceHandle,
          "was made without timing");
    check([](const EventRecord& e) { return !e.recorded; }, Errc::InvalidResourceHandle,
          "was never recorded");
    check([](const EventRecord& e) { return e.completed.ns < 0; }, Errc::NotReady,
          "is not complete");
    if (start.device != end.device) {
      fail(Errc::InvalidResourceHandle, call,
           mention("event", start.origin.name, start.origin.made) +
               " belongs to sim:" + std::to_string(start.device) + ", " +
               mention("event", end.origin.name, end.origin.made) +
               " to sim:" + std::to_string(end.device));
    }
    cover({{start.latest_stream, start.latest}, {end.latest_stream, end.latest}},
          DependencyKind::query_ready, call);
    const auto tick = [clock = profile_.event_clock.ns](Time at) { return at.ns / clock * clock; };
    return Duration{tick(end.completed) - tick(start.completed)};
  });
}

bool SimBackend::event_was_recorded(Handle handle, const CallSite& site) {
  Look look(*this, site);
  return event(handle, look.call).recorded;
}

}  // namespace millrace::sim
