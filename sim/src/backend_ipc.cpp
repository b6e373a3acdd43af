// SPDX-License-Identifier: Apache-2.0
//
// Events between processes. Virtual time has one origin in all of them. What another process has
// recorded stands here as an operation of its own, which ends when that process says it did.
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

#include <boost/interprocess/exceptions.hpp>

#include <algorithm>

namespace millrace::sim {

IpcEventHandle SimBackend::export_event(Handle handle, const CallSite& site) {
  return perform(CallKind::query_event, site, [&](Call& call) {
    EventRecord& found = event(handle, call);
    const std::string subject = mention("event", found.origin.name, found.origin.made);
    if (!found.interprocess) {
      fail(Errc::InvalidResourceHandle, call,
           subject + " was made without `interprocess`, so no other process can open it");
    }
    if (found.sharing == nullptr) share(found, call);
    if (found.sharing->imported) {
      fail(Errc::InvalidResourceHandle, call,
           subject + " is of another process, which alone can give handles of it");
    }
    SharedEventName name = found.sharing->memory->name();
    name.exported = hosts_.now();
    return name.handle();
  });
}

/// Other processes see its latest record, and all later ones.
void SimBackend::share(EventRecord& event, Call& call) try {
  event.sharing = std::make_shared<EventSharing>();
  event.sharing->memory = SharedEvent::create();
  if (!event.recorded) return;
  begin_shared_record(event, event.latest.serial);
  if (event.completed >= Time{}) finish_shared_record(event, event.latest.serial, event.completed);
} catch (const boost::interprocess::interprocess_exception& error) {
  event.sharing.reset();
  fail(Errc::OperatingSystem, call, std::string("no shared memory can be made: ") + error.what());
}

Handle SimBackend::import_event(int index, const IpcEventHandle& handle, Name name,
                                const CallSite& site) {
  return perform(CallKind::create_event, site, [&](Call& call) {
    static_cast<void>(device(index, call));
    refuse_failed(index, call);
    const std::optional<SharedEventName> shared = SharedEventName::read(handle);
    if (!shared) {
      fail(Errc::MapBufferObjectFailed, call, "the bytes are no handle of a simulated event");
    }
    if (shared->exporter == Process::self()) {
      fail(Errc::DeviceUninitialized, call,
           "the handle is of this very process, where the event itself is to be used");
    }
    auto sharing = std::make_shared<EventSharing>();
    sharing->memory = SharedEvent::open(*shared);
    sharing->imported = true;
    if (sharing->memory == nullptr) {
      fail(Errc::MapBufferObjectFailed, call,
           "the event is gone: the process that made it has destroyed it, or has ended");
    }
    // The handle cannot come before it was given.
    if (shared->exported > hosts_.now()) {
      hosts_.spend(shared->exported - hosts_.now(), call.lock);
    }
    EventRecord& added = add_event({.device = index, .interprocess = true, .name = name}, call);
    added.sharing = std::move(sharing);
    return make_handle(HandleKind::event, events_.size() - 1);
  });
}

/// The event is destroyed here. Records that are unfinished are still told of.
void SimBackend::stop_sharing(EventRecord& event) {
  if (!event.sharing->imported) event.sharing->memory->abandon();
  if (event.sharing->unfinished.empty()) event.sharing.reset();
}

// This process's records.

void SimBackend::begin_shared_record(EventRecord& event, std::uint64_t serial) {
  EventSharing& sharing = *event.sharing;
  sharing.current = sharing.memory->begin();
  sharing.unfinished.push_back({serial, sharing.current});
  ++unfinished_shared_;
  if (!hosts_.moves_time()) notice_soon();  // the others wait, and nobody here may
}

void SimBackend::finish_shared_record(EventRecord& event, std::uint64_t serial, Time at) {
  const auto finished = std::ranges::find(event.sharing->unfinished, serial, &SharedSerial::own);
  if (finished == event.sharing->unfinished.end()) return;
  event.sharing->memory->complete(finished->shared, at);
  event.sharing->unfinished.erase(finished);
  --unfinished_shared_;
}

/// What is unfinished on this device will never be complete.
void SimBackend::lose_shared_records(int device) {
  for (EventRecord& event : events_) {
    if (event.sharing == nullptr || event.device != device) continue;
    for (const SharedSerial& record : std::exchange(event.sharing->unfinished, {})) {
      event.sharing->memory->lose(record.shared);
      --unfinished_shared_;
    }
  }
}

void SimBackend::refuse_unshared_record(const EventRecord& event, const Call& call) const {
  if (event.sharing == nullptr || event.sharing->memory->has_room()) return;
  fail(Errc::LaunchOutOfResources, call,
       mention("event", event.origin.name, event.origin.made) + " has " +
           std::to_string(SharedEvent::capacity) +
           " unfinished records, the most that processes can share");
}

// Those of other processes.

/// Makes the event's latest record what it is for all processes together.
void SimBackend::look_elsewhere(EventRecord& event, Call& call) {
  EventSharing& sharing = *event.sharing;
  if (sharing.imported && sharing.memory->is_abandoned()) {
    fail(Errc::InvalidResourceHandle, call,
         mention("event", event.origin.name, event.origin.made) +
             " was destroyed by the process that made it");
  }
  if (call.kind == CallKind::record) return;  // it replaces whatever there is
  const std::uint64_t latest = sharing.memory->latest();
  if (latest != sharing.current) adopt_record(event, latest, call);
  static_cast<void>(take_news());
}

void SimBackend::adopt_record(EventRecord& event, std::uint64_t number, Call& call) {
  EventSharing& sharing = *event.sharing;
  if (sharing.elsewhere == no_index) {
    sharing.elsewhere = streams_.size();
    StreamRecord& added = streams_.emplace_back();  // no stream of the device's
    added.origin.name = "another process";
    added.device = event.device;
    added.queue = engine_.add_stream({.device = event.device});
  }
  StreamRecord& elsewhere = streams_[sharing.elsewhere];
  traced_stream(elsewhere);
  sharing.current = number;
  event.recorded = true;
  event.capture = no_index;
  event.frontier.clear();
  event.latest_stream = unordered_record;
  const TraceIndex traced =
      describe(elsewhere, OperationKind::record, {}, event.origin.traced, 0, call);
  event.latest = engine_.begin_foreign(elsewhere.queue, traced, call.traced, hosts_.now());
  foreign_.push_back({event.sharing, number, event.latest});
}

/// Somebody's going on depends on the event's latest record.
void SimBackend::need(const EventRecord& event) {
  if (event.sharing == nullptr) return;
  for (ForeignRecord& record : foreign_) {
    if (record.operation.serial != event.latest.serial || record.since != Time::never()) continue;
    record.since = hosts_.now();
  }
}

void SimBackend::refuse_lost(const EventSharing& sharing, std::uint64_t number,
                             const Call& call) const {
  if (std::ranges::find(sharing.lost, number) == sharing.lost.end()) return;
  fail(Errc::ContextIsDestroyed, call,
       "the process that recorded the event has ended, or its device was reset or failed, before "
       "the record was complete");
}

bool SimBackend::take_news() {
  constexpr unsigned looks_between_visits = 64;  // whether it lives takes longer to see
  const bool visits = looks_++ % looks_between_visits == 0;
  return std::erase_if(foreign_, [&](const ForeignRecord& record) {
           SharedEvent::Record now = record.sharing->memory->record(record.number);
           if (now.state == SharedEvent::Record::State::pending) {
             if (!visits || now.owner.is_alive()) return false;
             now = record.sharing->memory->record(record.number);  // its last word
           }
           const bool complete = now.state == SharedEvent::Record::State::complete;
           if (!complete) record.sharing->lost.push_back(record.number);
           engine_.end_foreign(record.operation, now.completed);
           return true;
         }) > 0;
}

News SimBackend::awaited_news() const {
  if (foreign_.empty()) return News::none;
  const bool needed = std::ranges::any_of(
      foreign_, [](const ForeignRecord& record) { return record.since != Time::never(); });
  return needed ? News::needed : News::asked_for;
}

Time SimBackend::stands_still_at() const {
  Time at = Time::never();
  for (const ForeignRecord& record : foreign_) {
    if (!record.is_late) at = std::min(at, record.since);
  }
  return at;
}

void SimBackend::go_on_without_news() {
  for (ForeignRecord& record : foreign_) record.is_late = record.since != Time::never();
}

}  // namespace millrace::sim
