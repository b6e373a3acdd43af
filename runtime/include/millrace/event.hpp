// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Events: marks in streams, to wait for and to measure with.

#include <millrace/device.hpp>
#include <millrace/name.hpp>
#include <millrace/stream.hpp>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace millrace {

class EventState;

struct EventOptions {
  std::optional<Device> device{};  ///< that of its first record when not given
  bool enable_timing = false;      ///< needed for elapsed_time
  bool blocking = false;           ///< the host sleeps instead of spinning while it waits
  bool interprocess = false;       ///< can be shared with other processes; excludes timing
  Name name{};                     ///< what reports call it
};

/// An event. Copies share it, there is no empty one, and the last to go destroys it, which returns
/// at once: waits already enqueued still hold. A record captures its stream's work at the time of
/// the call; `wait`, `query` and `synchronize` use the latest record at the time of their own call.
/// One made without a device belongs to the device type of its first use.
///
/// Every member that takes `where` throws Error: InvalidResourceHandle when the event (or its run)
/// is gone, the device's sticky error after a fault, NotPermitted inside an operation's body.
class Event {
 public:
  explicit Event(SourceLocation where = SourceLocation::current());
  /// Throws Error{InvalidValue} for interprocess together with timing.
  explicit Event(const EventOptions& options, SourceLocation where = SourceLocation::current());
  Event(const Event&) noexcept = default;
  Event& operator=(const Event&) noexcept = default;
  ~Event() = default;

  /// Records on the current stream of this host thread.
  void record(SourceLocation where = SourceLocation::current());
  /// Records on `stream`. Throws Error{InvalidResourceHandle} if the event is of another device.
  void record(const Stream& stream, SourceLocation where = SourceLocation::current());
  /// Makes later work of the current stream wait.
  void wait(SourceLocation where = SourceLocation::current()) const;
  /// Makes later work of `stream` wait; it may be of another device of the event's backend.
  void wait(const Stream& stream, SourceLocation where = SourceLocation::current()) const;
  /// Whether the latest record is complete; true when never recorded.
  [[nodiscard]] bool query(SourceLocation where = SourceLocation::current()) const;
  /// Returns when the latest record is complete; at once when never recorded.
  void synchronize(SourceLocation where = SourceLocation::current()) const;

  /// Milliseconds from this event's record to that of `end`; negative when they are the other way
  /// round. Throws, checked in this order, each with its own message: InvalidResourceHandle when
  /// timing is disabled or an event was never recorded, NotReady when a record is not complete,
  /// InvalidResourceHandle for events of two devices. Resolution: the device's event clock.
  [[nodiscard]] float elapsed_time(const Event& end,
                                   SourceLocation where = SourceLocation::current()) const;

  /// With these 64 bytes another process opens the event, as long as this one keeps it: send them
  /// by a socket, a pipe, shared memory. An event without a device takes the current one. Throws
  /// Error{InvalidResourceHandle} for an event made without `interprocess`, or opened itself.
  [[nodiscard]] IpcEventHandle ipc_handle(SourceLocation where = SourceLocation::current()) const;
  /// Opens an event of another process: each process sees the records of all, may wait for them and
  /// record anew. Throws Error: InvalidValue for other than 64 bytes, MapBufferObjectFailed when
  /// they are no handle or the event is gone with its process, DeviceUninitialized when it is of
  /// this process. Waiting for a record whose process ends before it is complete throws
  /// ContextIsDestroyed, while streams that wait for it go on; when the exporter has destroyed the
  /// event, each call throws InvalidResourceHandle. At most 64 records of one event can be
  /// unfinished in all processes together: one more throws LaunchOutOfResources.
  ///
  /// On simulated devices virtual times of all processes count from the same start: a wait here
  /// ends at the time of the record there, or now when that has passed; opening takes until the
  /// handle was given. A waiting process's time stands still until the other has come so far, for
  /// two real seconds at most; then its other work goes on as fast as it happens to, like `query`.
  static Event from_ipc_handle(const Device& device, std::span<const std::byte> handle,
                               Name name = {}, SourceLocation where = SourceLocation::current());

  /// The event's device; none before the first record of an event made without one.
  [[nodiscard]] std::optional<Device> device() const;

  /// Its name, device and handle, or "<Event 'done' not recorded>" while it has no device.
  [[nodiscard]] std::string to_string() const;

  /// For those who implement backends and tools; 0 before the first record of an event made without
  /// a device, or the first wait for it.
  [[nodiscard]] Handle handle() const noexcept;

  friend bool operator==(const Event& a, const Event& b) noexcept { return a.state_ == b.state_; }

 private:
  explicit Event(std::shared_ptr<EventState> state) noexcept : state_(std::move(state)) {}
  friend class Graph;
  friend class PendingWait;
  friend class Stream;
  std::shared_ptr<EventState> state_;
};

std::ostream& operator<<(std::ostream& out, const Event& event);

}  // namespace millrace
