// SPDX-License-Identifier: Apache-2.0
#include "event_state.hpp"
#include "host_thread.hpp"

#include <millrace/mention.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace millrace {
namespace {

void check_timing(const EventState& event, const CallSite& site) {
  if (event.options().enable_timing) return;
  throw Error(Errc::InvalidResourceHandle, site.call,
              event.mention() + " was made without timing; both events need enable_timing",
              site.where);
}

void check_recorded(const EventState& event, const CallSite& site) {
  const BoundEvent* const bound = event.bound();
  const CallSite look{site.call, site.where, true};
  if (bound != nullptr && bound->backend->event_was_recorded(bound->handle, look)) return;
  throw Error(Errc::InvalidResourceHandle, site.call, event.mention() + " was never recorded",
              site.where);
}

/// Of two backends: what each of them would have checked by itself.
void check_complete(const EventState& event, const CallSite& site) {
  const BoundEvent& bound = *event.bound();
  if (bound.backend->query_event(bound.handle, CallSite{site.call, site.where, true})) return;
  throw Error(Errc::NotReady, site.call, event.mention() + " is not complete", site.where);
}

[[noreturn]] void fail_two_devices(const EventState& start, const EventState& end,
                                   const CallSite& site) {
  throw Error(
      Errc::InvalidResourceHandle, site.call,
      start.mention() + " and " + end.mention() + " are of two devices, which have no common clock",
      site.where);
}

/// The elapsed time of two events that both were recorded.
Duration elapsed(const EventState& start, const EventState& end, const CallSite& site) {
  const BoundEvent& first = *start.bound();
  const BoundEvent& second = *end.bound();
  if (first.backend == second.backend) {
    return first.backend->elapsed_time(first.handle, second.handle, site);
  }
  check_complete(start, site);
  check_complete(end, site);
  fail_two_devices(start, end, site);
}

}  // namespace

Event::Event(SourceLocation where) : Event(EventOptions{}, where) {}

Event::Event(const EventOptions& options, SourceLocation where)
    : state_(std::make_shared<EventState>(options, where)) {}

void Event::record(SourceLocation where) {
  const CallSite site = enter("Event::record", where);
  state_->record(current_stream_slot(current_device(where)).state(), site);
}

void Event::record(const Stream& stream, SourceLocation where) {
  state_->record(stream.state(), enter("Event::record", where));
}

void Event::wait(SourceLocation where) const {
  const CallSite site = enter("Event::wait", where);
  state_->make_wait(current_stream_slot(current_device(where)).state(), site);
}

void Event::wait(const Stream& stream, SourceLocation where) const {
  state_->make_wait(stream.state(), enter("Event::wait", where));
}

bool Event::query(SourceLocation where) const {
  if (host_thread().in_body) refuse_in_body("Event::query", where);
  const BoundEvent& bound = state_->on_backend(where);
  return poll(*bound.backend, bound.handle, &Backend::query_event, "Event::query", where);
}

void Event::synchronize(SourceLocation where) const {
  const CallSite site = enter("Event::synchronize", where);
  const BoundEvent& bound = state_->on_backend(where);
  bound.backend->synchronize_event(bound.handle, site);
}

float Event::elapsed_time(const Event& end, SourceLocation where) const {
  const CallSite site = enter("Event::elapsed_time", where);
  check_timing(*state_, site);
  check_timing(*end.state_, site);
  check_recorded(*state_, site);
  check_recorded(*end.state_, site);
  const Duration duration = elapsed(*state_, *end.state_, site);
  return static_cast<float>(static_cast<double>(duration.ns) / 1e6);
}

IpcEventHandle Event::ipc_handle(SourceLocation where) const {
  return state_->ipc_handle(enter("Event::ipc_handle", where));
}

Event Event::from_ipc_handle(const Device& device, std::span<const std::byte> handle, Name name,
                             SourceLocation where) {
  const CallSite site = enter("Event::from_ipc_handle", where);
  IpcEventHandle bytes{};
  if (handle.size() != bytes.size()) {
    throw Error(Errc::InvalidValue, site.call,
                "an event's handle has 64 bytes, not " + std::to_string(handle.size()), where);
  }
  std::ranges::copy(handle, bytes.begin());
  return Event(std::make_shared<EventState>(device, bytes, name, site));
}

std::optional<Device> Event::device() const { return state_->device(); }

Handle Event::handle() const noexcept {
  const BoundEvent* const bound = state_->bound();
  return bound == nullptr ? 0 : bound->handle;
}

std::string Event::to_string() const {
  std::string text = "<" + mention("Event", state_->options().name);
  const std::optional<Device> of = device();
  if (!of) return text.append(" not recorded>");
  return text + fmt::format(" device={} handle={:#x}>", of->to_string(), handle());
}

std::ostream& operator<<(std::ostream& out, const Event& event) { return out << event.to_string(); }

Event Stream::record_event(SourceLocation where) const {
  const CallSite site = enter("Stream::record_event", where);
  Event event(EventOptions{.device = device()}, where);
  event.state_->record(*state_, site);
  return event;
}

void Stream::record_event(Event& event, SourceLocation where) const {
  event.state_->record(*state_, enter("Stream::record_event", where));
}

void Stream::wait_event(const Event& event, SourceLocation where) const {
  event.state_->make_wait(*state_, enter("Stream::wait_event", where));
}

void Stream::record_external_event(Event& event, SourceLocation where) const {
  event.state_->record(*state_, enter("Stream::record_external_event", where), true);
}

void Stream::wait_external_event(const Event& event, SourceLocation where) const {
  event.state_->make_wait(*state_, enter("Stream::wait_external_event", where), true);
}

void Stream::wait_stream(const Stream& other, SourceLocation where) const {
  const CallSite site = enter("Stream::wait_stream", where);
  EventState event(EventOptions{.device = other.device()}, where);
  event.record(*other.state_, site);
  event.make_wait(*state_, site);
}

}  // namespace millrace
