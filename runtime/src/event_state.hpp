// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the copies of an Event share. An event made without a device is made on a backend when it
/// is first used.

#include "stream_state.hpp"

#include <millrace/event.hpp>

#include <atomic>
#include <string>

namespace millrace {

/// An event on its backend.
struct BoundEvent {
  BoundEvent(std::shared_ptr<Backend> backend_, int device, const EventOptions& options,
             SourceLocation made_);
  /// Takes over an event that was opened.
  BoundEvent(std::shared_ptr<Backend> backend_, Handle handle_, SourceLocation made_)
      : backend(std::move(backend_)), made(made_), handle(handle_) {}
  ~BoundEvent();
  BoundEvent(const BoundEvent&) = delete;
  BoundEvent& operator=(const BoundEvent&) = delete;

  std::shared_ptr<Backend> backend;
  SourceLocation made;
  Handle handle;
};

class EventState {
 public:
  /// Throws Error{InvalidValue} for flags that exclude each other.
  EventState(const EventOptions& options, SourceLocation made);
  /// Opens another process's event on that device.
  EventState(const Device& device, const IpcEventHandle& handle, Name name, const CallSite& site);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  void record(const StreamState& stream, const CallSite& site, bool external = false);
  void make_wait(const StreamState& stream, const CallSite& site, bool external = false);
  /// The event on its backend: that of the current device if none knows it yet.
  const BoundEvent& on_backend(SourceLocation where);
  /// What the device's backend calls it; for nodes of a graph of that device.
  Handle handle_for(const Device& device, const CallSite& site);

  IpcEventHandle ipc_handle(const CallSite& site);

  /// Null while no backend knows the event: then it is not recorded.
  [[nodiscard]] const BoundEvent* bound() const noexcept { return bound_.load(); }
  [[nodiscard]] std::optional<Device> device() const;
  [[nodiscard]] const EventOptions& options() const noexcept { return options_; }
  /// "event 'done' (made at app.cpp:12)"
  [[nodiscard]] std::string mention() const;

 private:
  const BoundEvent& bind(const Device& device, int description_device);
  const BoundEvent& bind_to_backend_of(const StreamState& stream, const CallSite& site);

  EventOptions options_;
  SourceLocation made_;
  std::atomic<const BoundEvent*> bound_ = nullptr;  // owned; set once
  std::atomic<int> first_device_ = -1;              // that of the first record
};

}  // namespace millrace
