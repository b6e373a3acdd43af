// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What host threads wait for beside devices: locks and signals, each first come, first served.

#include "fiber_hosts.hpp"

#include <millrace/backend.hpp>

#include <cstdint>
#include <deque>
#include <memory>

namespace millrace::sim {

/// A host thread in an object's queue. It takes itself out when the wait ends otherwise.
class QueuedWaiting final : public Waiting {
 public:
  using Queue = std::deque<QueuedWaiting*>;

  /// `owner` keeps the queue alive.
  QueuedWaiting(Queue& queue, std::shared_ptr<void> owner, HostFiber& thread);
  ~QueuedWaiting() override;
  QueuedWaiting(const QueuedWaiting&) = delete;
  QueuedWaiting& operator=(const QueuedWaiting&) = delete;

  bool ready() override { return granted; }
  /// Takes the first out of the queue: it may go on, by that call.
  static QueuedWaiting& grant_first(Queue& queue, TraceIndex by);

  HostFiber& thread;
  bool granted = false;
  TraceIndex granted_by = none;  ///< the call that did

 private:
  Queue& queue_;
  std::shared_ptr<void> owner_;
};

/// Counts raises; each lets one await pass, in order.
class Signal {
 public:
  explicit Signal(Name name) : name_(name) {}
  void raise(const CallSite& site);
  void await(const CallSite& site);
  [[nodiscard]] Name name() const { return name_; }

 private:
  class Raised;
  TraceIndex traced(FiberHosts& run);
  /// Who it is to the choosers of explored runs.
  [[nodiscard]] std::uint64_t thing() const { return name_.id() | std::uint64_t{1} << 48U; }

  Name name_;
  TraceIndex traced_ = none;
  std::deque<TraceIndex> raised_;  // calls that no await has used yet
  QueuedWaiting::Queue queue_;
};

}  // namespace millrace::sim
