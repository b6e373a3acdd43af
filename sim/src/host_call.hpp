// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Host calls that concern host threads only, not devices: what sim::mutex and the like share.

#include "fiber_hosts.hpp"

#include <millrace/backend.hpp>

#include <string_view>

namespace millrace::sim {

/// The run of the caller, for `site.call`. Throws Error{NotPermitted} outside of one, and inside
/// the body of a kernel, copy or fill, which takes no part in host threads' order.
FiberHosts& run_for(const CallSite& site);

/// One call of the running host thread, from its beginning to its end in the trace. Made inside a
/// host function it is ordered with that operation, both ways. Never returned from: stays blocked.
class HostCallScope {
 public:
  HostCallScope(FiberHosts& run, CallKind kind, const CallSite& site, ObjectKind object_kind,
                TraceIndex object);

  [[nodiscard]] TraceIndex index() const { return index_; }
  void comes_after(Step step, DependencyKind kind) {
    run_.recorder().depend(step, Step::call(index_), kind);
  }
  void returns(CallOutcome outcome = CallOutcome::success, Errc error = Errc::Success);
  [[noreturn]] void fails(Errc code, std::string_view reason);

 private:
  FiberHosts& run_;
  CallSite site_;
  TraceIndex operation_;
  TraceIndex index_;
};

/// The running host thread computes for so long.
void work(Duration duration, const CallSite& site);

}  // namespace millrace::sim
