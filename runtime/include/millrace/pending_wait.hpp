// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Waits that call back instead of blocking: what async_wait.hpp brings to Asio, for those who
/// adapt other ways of waiting.

#include <millrace/event.hpp>
#include <millrace/stream.hpp>

#include <exception>
#include <memory>

namespace millrace {

/// A wait for what `synchronize` would have waited for at the time when this was made. Destroying
/// it calls it off.
class PendingWait {
 public:
  /// What the wait is refused for is thrown by finish(). Throws Error itself inside an operation's
  /// body, and when there is no device.
  explicit PendingWait(const Event& event, SourceLocation where = SourceLocation::current());
  explicit PendingWait(const Stream& stream, SourceLocation where = SourceLocation::current());

  /// `ready` is called once, when finish() would return at once: from any thread, maybe before this
  /// returns. It must not block, nor call the runtime but post(). When this is destroyed meanwhile,
  /// `ready` may still be under way.
  void notify(Task ready);
  /// Runs `task` soon, after this has returned, where calls of the runtime are allowed: inside
  /// sim::run on a host thread of the run, elsewhere on a thread of the runtime; one after another.
  /// A run that ends first destroys it instead.
  void post(Task task);
  /// Returns, or throws Error, as `synchronize` would have. Only after `ready`.
  void finish();

 private:
  void begin(Handle handle);

  CallSite site_;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<BackendWait> wait_;  ///< null: there is nothing to wait for
  std::exception_ptr failure_;
};

}  // namespace millrace
