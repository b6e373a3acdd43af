// SPDX-License-Identifier: Apache-2.0
#include "event_state.hpp"

#include "host_thread.hpp"

#include <millrace/mention.hpp>

namespace millrace {
namespace {

EventDescription describe(const EventOptions& options, int device) {
  return EventDescription{
      .device = device,
      .timing = options.enable_timing,
      .blocking = options.blocking,
      .interprocess = options.interprocess,
      .name = options.name,
  };
}

}  // namespace

BoundEvent::BoundEvent(std::shared_ptr<Backend> backend_, int device, const EventOptions& options,
                       SourceLocation made_)
    : backend(std::move(backend_)),
      made(made_),
      handle(backend->create_event(describe(options, device), CallSite{"Event", made})) {}

BoundEvent::~BoundEvent() {
  destroy_quietly([this] { backend->destroy_event(handle, destructor_site("~Event", made)); });
}

EventState::EventState(const EventOptions& options, SourceLocation made)
    : options_(options), made_(made) {
  const CallSite site = enter("Event", made);
  if (options.interprocess && options.enable_timing) {
    throw Error(Errc::InvalidValue, site.call,
                mention() + " cannot be shared between processes and have timing", site.where);
  }
  if (options.device) bind(*options.device, options.device->index());
}

EventState::EventState(const Device& device, const IpcEventHandle& handle, Name name,
                       const CallSite& site)
    : options_{.device = device, .interprocess = true, .name = name}, made_(site.where) {
  const std::shared_ptr<Backend>& backend = device.shared_backend();
  const Handle opened = backend->import_event(device.index(), handle, name, site);
  bound_ = new BoundEvent(backend, opened, made_);
}

EventState::~EventState() { delete bound_.load(); }

/// Without a lock: making an event may switch fibers, and a lock held then would never be released.
const BoundEvent& EventState::bind(const Device& device, int description_device) {
  if (const BoundEvent* const bound = bound_.load()) return *bound;
  auto fresh = std::make_unique<const BoundEvent>(device.shared_backend(), description_device,
                                                  options_, made_);
  const BoundEvent* former = nullptr;
  if (!bound_.compare_exchange_strong(former, fresh.get())) return *former;  // another was first
  return *fresh.release();
}

const BoundEvent& EventState::on_backend(SourceLocation where) {
  if (const BoundEvent* const bound = bound_.load()) return *bound;
  return bind(current_device(where), -1);
}

const BoundEvent& EventState::bind_to_backend_of(const StreamState& stream, const CallSite& site) {
  const BoundEvent& bound = bind(stream.device, -1);
  if (bound.backend == stream.device.shared_backend()) return bound;
  const std::string_view type = bound.backend->type();
  std::string reason = mention() + " belongs to " + std::string(type) + ", ";
  reason.append(millrace::mention(stream)).append(" to ").append(stream.device.to_string());
  if (type == stream.device.type()) reason.append(" of another run");
  throw Error(Errc::InvalidResourceHandle, site.call, reason, site.where);
}

Handle EventState::handle_for(const Device& device, const CallSite& site) {
  const BoundEvent& bound = bind(device, -1);
  if (bound.backend == device.shared_backend()) return bound.handle;
  throw Error(Errc::InvalidResourceHandle, site.call,
              mention() + " belongs to another backend than " + device.to_string(), site.where);
}

IpcEventHandle EventState::ipc_handle(const CallSite& site) {
  const Device device = options_.device ? *options_.device : current_device(site.where);
  const BoundEvent& bound = bind(device, device.index());
  int none_yet = -1;
  first_device_.compare_exchange_strong(none_yet, device.index());
  return bound.backend->export_event(bound.handle, site);
}

void EventState::record(const StreamState& stream, const CallSite& site, bool external) {
  const BoundEvent& bound = bind_to_backend_of(stream, site);
  bound.backend->record_event(bound.handle, stream.handle, external, site);
  int none_yet = -1;
  first_device_.compare_exchange_strong(none_yet, stream.device.index());
}

void EventState::make_wait(const StreamState& stream, const CallSite& site, bool external) {
  const BoundEvent& bound = bind_to_backend_of(stream, site);
  bound.backend->wait_event(stream.handle, bound.handle, external, site);
}

std::optional<Device> EventState::device() const {
  if (options_.device) return options_.device;
  const int index = first_device_.load();
  if (index < 0) return std::nullopt;
  return Device(bound()->backend, index);
}

std::string EventState::mention() const { return millrace::mention("event", options_.name, made_); }

}  // namespace millrace
