// SPDX-License-Identifier: Apache-2.0
#include "event_state.hpp"
#include "host_thread.hpp"

#include <millrace/pending_wait.hpp>

#include <utility>

namespace millrace {

PendingWait::PendingWait(const Event& event, SourceLocation where)
    : site_(enter("async_wait", where)) {
  if (const BoundEvent* const bound = event.state_->bound()) {
    backend_ = bound->backend;
    begin(bound->handle);
  } else {
    backend_ = current_device(where).shared_backend();
  }
}

PendingWait::PendingWait(const Stream& stream, SourceLocation where)
    : site_(enter("async_wait", where)), backend_(stream.device().shared_backend()) {
  begin(stream.handle());
}

void PendingWait::begin(Handle handle) {
  try {
    wait_ = backend_->begin_wait(handle, site_);
  } catch (const Error&) {
    failure_ = std::current_exception();
  }
}

void PendingWait::notify(Task ready) {
  if (wait_ == nullptr) return ready();
  wait_->notify(std::move(ready));
}

void PendingWait::post(Task task) { backend_->post(std::move(task), site_); }

void PendingWait::finish() {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (wait_ != nullptr) wait_->finish(enter(site_.call, site_.where));
}

}  // namespace millrace
