// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Streams: queues of operations that run first in, first out.

#include <millrace/access.hpp>
#include <millrace/device.hpp>
#include <millrace/error.hpp>
#include <millrace/flag_condition.hpp>
#include <millrace/launch.hpp>
#include <millrace/name.hpp>
#include <millrace/task.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace millrace {

class Event;
class Flag;
struct StreamState;

struct StreamOptions {
  std::optional<Device> device{};  ///< the current device when not given
  int priority = 0;                ///< lower is more urgent; clamped to the device's range
  bool blocking = false;           ///< takes part in the legacy default stream's order
  Name name{};                     ///< what reports call it
};

/// A stream. Copies share it, there is no empty one, and the last to go destroys it, which returns
/// at once and lets pending work complete. Equality is identity. Several host threads may use one
/// stream; the order of their calls is theirs to arrange.
///
/// Every member that takes `where` throws Error: InvalidResourceHandle when the stream (or its run)
/// is gone, the device's sticky error after a fault, NotPermitted inside an operation's body.
class Stream {
 public:
  /// A new non-blocking stream of priority 0 on the current device.
  explicit Stream(SourceLocation where = SourceLocation::current());
  explicit Stream(const Device& device, SourceLocation where = SourceLocation::current());
  explicit Stream(const StreamOptions& options, SourceLocation where = SourceLocation::current());
  Stream(const Stream&) noexcept = default;
  Stream& operator=(const Stream&) noexcept = default;
  ~Stream() = default;

  /// Whether all work enqueued before is done.
  [[nodiscard]] bool query(SourceLocation where = SourceLocation::current()) const;
  /// Returns when all work enqueued before this call is done.
  void synchronize(SourceLocation where = SourceLocation::current()) const;

  /// A new event without timing that captures the work enqueued so far.
  [[nodiscard]] Event record_event(SourceLocation where = SourceLocation::current()) const;
  /// Records `event` here; equals event.record(*this).
  void record_event(Event& event, SourceLocation where = SourceLocation::current()) const;
  /// Later work of this stream starts after the latest record of `event` that there is now.
  /// An event never recorded orders nothing.
  void wait_event(const Event& event, SourceLocation where = SourceLocation::current()) const;
  /// During a capture: a node that records `event` at each launch, for those outside of the graph.
  /// Throws Error{IllegalState} elsewhere.
  void record_external_event(Event& event, SourceLocation where = SourceLocation::current()) const;
  /// During a capture: a node that waits, at each launch, for the record that `event` has then.
  /// Throws Error{IllegalState} elsewhere.
  void wait_external_event(const Event& event,
                           SourceLocation where = SourceLocation::current()) const;
  /// Later work of this stream starts after the work that `other` has now.
  void wait_stream(const Stream& other, SourceLocation where = SourceLocation::current()) const;

  /// Enqueues a kernel. `body`, if given, runs when the operation executes: on sim at its simulated
  /// end, on the host, where it must call nothing of this API. Declared accesses are what the
  /// checker sees. Throws Error{InvalidValue} for an impossible shape,
  /// Error{LaunchOutOfResources} for more registers than a block can have.
  void launch(Name name, const LaunchOptions& options = {}, Task body = nullptr,
              SourceLocation where = SourceLocation::current()) const;
  /// Enqueues a host function: it runs on the host in stream order and holds the stream's later
  /// work. Calls of this API inside it fail with NotPermitted.
  void call(Name name, const CallOptions& options, Task function,
            SourceLocation where = SourceLocation::current()) const;
  void call(Name name, Task function, SourceLocation where = SourceLocation::current()) const {
    call(name, CallOptions{}, std::move(function), where);
  }
  /// As `call`, but `callback` also runs when the device has failed, in the stream's order, and is
  /// told how: Success, or the device's sticky error. Throws Error{StreamCaptureUnsupported} during
  /// a capture.
  void add_callback(Name name, std::function<void(Errc)> callback,
                    SourceLocation where = SourceLocation::current()) const;
  /// Enqueues a copy of `from` to `to`, which must be of equal size; the direction follows from the
  /// memory kinds. Asynchronous: the source of a pageable-to-device copy may be read from this call
  /// on, and pageable memory may be touched by the host only after a synchronization; host-to-host
  /// copies are done on return. Synchronous (options.synchronous): pinned to device and device to
  /// host are done on return, pageable to device has left the host buffer, device to device returns
  /// at once.
  void copy(const Access& to, const Access& from, const TransferOptions& options = {},
            SourceLocation where = SourceLocation::current()) const;
  /// Enqueues a fill of every byte of `region` with `value`. Pageable memory: InvalidValue.
  void fill(const Access& region, std::uint8_t value, const TransferOptions& options = {},
            SourceLocation where = SourceLocation::current()) const;

  /// Enqueues a write of `value` to `flag`.
  void set_flag(const Flag& flag, std::uint32_t value,
                SourceLocation where = SourceLocation::current()) const;
  /// Later work of this stream starts when `flag` fulfils the condition. It may be set later: by
  /// another stream, or never, which is a deadlock.
  void await_flag(const Flag& flag, FlagCondition condition, std::uint32_t value,
                  SourceLocation where = SourceLocation::current()) const;

  [[nodiscard]] Device device() const noexcept;
  /// As clamped to the device's range.
  [[nodiscard]] int priority(SourceLocation where = SourceLocation::current()) const;
  /// Whether it is being captured, be the capture broken or not. See graph.hpp.
  [[nodiscard]] bool is_capturing(SourceLocation where = SourceLocation::current()) const;
  /// Throws Error{StreamCaptureImplicit} for the legacy stream beside a captured blocking one.
  [[nodiscard]] CaptureInfo capture_info(SourceLocation where = SourceLocation::current()) const;
  /// What other libraries call the stream: a cudaStream_t on cuda; opaque on sim.
  [[nodiscard]] void* native_handle(SourceLocation where = SourceLocation::current()) const;

  /// Its name, device and native handle, e.g. "<Stream 'upload' device=sim:0 handle=0x3>".
  [[nodiscard]] std::string to_string() const;

  /// For those who implement backends and tools.
  [[nodiscard]] Backend& backend() const noexcept;
  [[nodiscard]] Handle handle() const noexcept;
  [[nodiscard]] const StreamState& state() const noexcept { return *state_; }

  friend bool operator==(const Stream& a, const Stream& b) noexcept;

 protected:
  explicit Stream(std::shared_ptr<const StreamState> state) noexcept : state_(std::move(state)) {}
  friend Stream default_stream(const Device& device);
  friend Stream per_thread_stream(const Device& device);

 private:
  std::shared_ptr<const StreamState> state_;
};

/// A stream that was made elsewhere. Owns nothing: it must not be used after its owner destroyed it
/// (on sim that is an error that says so and a finding).
class ExternalStream : public Stream {
 public:
  /// `native`: null or 1 for the legacy default stream, 2 for the per-thread one, else what
  /// Stream::native_handle gave. Throws Error{InvalidResourceHandle} for anything else.
  ExternalStream(void* native, const Device& device,
                 SourceLocation where = SourceLocation::current());
};

std::ostream& operator<<(std::ostream& out, const Stream& stream);

/// The legacy default stream of a device: work on it waits for earlier work of every blocking
/// stream of the device, and later work of those waits for it.
Stream default_stream(const Device& device);
Stream default_stream();
/// This host thread's own default stream of a device: an ordinary blocking stream.
Stream per_thread_stream(const Device& device);
Stream per_thread_stream();
/// The current stream of this host thread on a device: its legacy default stream until one is set.
Stream current_stream(const Device& device);
Stream current_stream();
/// Makes `stream`, and with it its device, the current one of this host thread.
void set_stream(const Stream& stream, SourceLocation where = SourceLocation::current());

}  // namespace millrace

template <>
struct std::hash<millrace::Stream> {
  std::size_t operator()(const millrace::Stream& stream) const noexcept;
};
