// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Host threads as backends and scripts see them.

#include <millrace/backend.hpp>

#include <functional>

namespace millrace {

/// What the runtime keeps for one host thread: its current device and streams, its last error.
/// A backend whose host threads are not operating-system threads switches these with them.
struct HostThread;

/// Makes the state of a new host thread whose backend for `type` is this one (null: the process's).
/// It starts on the default device and streams. It keeps its backend alive.
std::shared_ptr<HostThread> make_host_thread(std::string_view type,
                                             std::shared_ptr<Backend> backend);
/// Makes `thread` the calling thread's state and returns the former one (null: the thread's own).
/// A state whose thread will not run again should be dropped: it keeps its current streams alive.
HostThread* exchange_host_thread(HostThread* thread) noexcept;

/// Marks that the calling thread runs the body of an operation: calls of the API there fail with
/// NotPermitted. Restores the former state at the end.
class OperationBodyScope {
 public:
  [[nodiscard]] OperationBodyScope() noexcept;
  ~OperationBodyScope();
  OperationBodyScope(const OperationBodyScope&) = delete;
  OperationBodyScope& operator=(const OperationBodyScope&) = delete;

 private:
  HostThread* thread_;
  bool former_;
};

/// Sets this host thread's last error; `Error`'s constructor does it for every code but NotReady.
void set_last_error(Errc code) noexcept;

/// What a script needs of the machine that it runs on, beside its Backend: host threads, signals
/// between them, and host time.
class ScriptHost {
 public:
  ScriptHost() = default;
  ScriptHost(const ScriptHost&) = delete;
  ScriptHost& operator=(const ScriptHost&) = delete;
  virtual ~ScriptHost() = default;

  virtual Backend& backend() = 0;
  /// Starts a host thread; it runs when its turn comes. Returns a number for `join`.
  virtual Handle start_thread(Name name, std::function<void()> body, const CallSite& site) = 0;
  /// Waits until that thread has ended. Rethrows nothing: a script's bodies do not throw.
  virtual void join_thread(Handle thread, const CallSite& site) = 0;
  virtual void raise(Name signal, const CallSite& site) = 0;
  virtual void await(Name signal, const CallSite& site) = 0;
  /// Host computation that takes this long.
  virtual void work(Duration duration, const CallSite& site) = 0;
};

}  // namespace millrace
