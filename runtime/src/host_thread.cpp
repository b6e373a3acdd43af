// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"

#include <cstddef>
#include <new>
#include <utility>

namespace millrace {

constinit thread_local HostThread* current_host_thread = nullptr;

namespace {

/// The operating-system thread's own state, in storage of the thread. It ends before the thread's
/// last destructors have run; those that call the API even then get a new one, which has no end.
constinit thread_local HostThread* own_host_thread = nullptr;
alignas(HostThread) constinit thread_local std::byte own_storage[sizeof(HostThread)] = {};

struct OwnHostThreadEnd {
  ~OwnHostThreadEnd() {
    HostThread* const own = own_host_thread;
    own->~HostThread();  // destroys streams, which look for this state: still there until now
    if (current_host_thread == own) current_host_thread = nullptr;
    own_host_thread = nullptr;
  }
};

HostThread& make_own_host_thread() {
  own_host_thread = ::new (static_cast<void*>(own_storage)) HostThread;
  static thread_local OwnHostThreadEnd end;
  static_cast<void>(end);
  return *own_host_thread;
}

constexpr int patience = 64;  // not-ready answers, see poll()

}  // namespace

HostThread& use_own_host_thread() {
  current_host_thread = own_host_thread != nullptr ? own_host_thread : &make_own_host_thread();
  return *current_host_thread;
}

void refuse_in_body(const char* call, SourceLocation where) {
  throw Error(Errc::NotPermitted, call,
              "the body of an operation must not call the runtime: it runs in stream order, where "
              "the call could wait for itself",
              where);
}

bool poll(Backend& backend, Handle object, bool (Backend::*query)(Handle, const CallSite&),
          const char* call, SourceLocation where) {
  HostThread& thread = host_thread();
  if (thread.in_body) refuse_in_body(call, where);
  const CallSite site{call, where};
  int answers = thread.polling.answers;
  const bool again = std::exchange(thread.polling.object, 0) == object;
  if (again || answers >= patience) {
    answers = 0;
    backend.idle(site);
  }
  const bool ready = (backend.*query)(object, site);
  thread.polling = ready ? Polling{0, answers} : Polling{object, answers + 1};
  return ready;
}

std::shared_ptr<HostThread> make_host_thread(std::string_view type,
                                             std::shared_ptr<Backend> backend) {
  auto thread = std::make_shared<HostThread>();
  if (backend != nullptr) {
    thread->type = type;
    thread->backend = std::move(backend);
  }
  return thread;
}

HostThread* exchange_host_thread(HostThread* thread) noexcept {
  HostThread* const former = std::exchange(current_host_thread, thread);
  return former == own_host_thread ? nullptr : former;
}

OperationBodyScope::OperationBodyScope() noexcept
    : thread_(&host_thread()), former_(std::exchange(thread_->in_body, true)) {}

OperationBodyScope::~OperationBodyScope() { thread_->in_body = former_; }

void set_last_error(Errc code) noexcept { host_thread().last_error = code; }

Errc last_error() noexcept { return std::exchange(host_thread().last_error, Errc::Success); }

Errc peek_last_error() noexcept { return host_thread().last_error; }

}  // namespace millrace
