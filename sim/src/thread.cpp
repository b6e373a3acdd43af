// SPDX-License-Identifier: Apache-2.0
#include "host_call.hpp"
#include "host_threads.hpp"

#include <millrace/error.hpp>
#include <millrace/sim.hpp>

#include <utility>

namespace millrace::sim {
namespace {

class ThreadEnd final : public Waiting {
 public:
  ThreadEnd(const HostFiber& thread, TraceIndex by_call) : thread_(thread) {
    kind = ObjectKind::thread;
    object = thread.index;
    call = by_call;
  }
  bool ready() override { return thread_.state == HostFiber::State::ended; }

 private:
  const HostFiber& thread_;
};

// A handle is the run's number and the thread's, both from 1 on.

Handle handle_of(const FiberHosts& run, const HostFiber& thread) {
  return (Handle{run.number()} << 32U) | (thread.index + 1U);
}

/// Null when the thread belongs to a run that has ended, and has ended with it.
HostFiber* thread_of(FiberHosts& run, Handle handle) {
  if (handle >> 32U != run.number()) return nullptr;
  return &run.thread(static_cast<TraceIndex>(handle & 0xffff'ffffU) - 1);
}

void wait_for_end(FiberHosts& run, HostFiber& thread, const CallSite& site) {
  HostCallScope call(run, CallKind::join_thread, site, ObjectKind::thread, thread.index);
  if (&thread == &run.running()) {
    call.fails(Errc::InvalidValue, "a host thread that joins itself would wait for ever");
  }
  ThreadEnd end(thread, call.index());
  run.join(thread, end);
  if (call.index() != none) {
    run.order(thread, run.next_call(), run.running(), call.index(), DependencyKind::thread_join);
  }
  call.returns();
}

}  // namespace

Handle start_thread(Name name, std::function<void()> body, const CallSite& site) {
  FiberHosts& run = run_for(site);
  if (!run.may_go_on()) return 0;
  run.take_turn();
  HostCallScope call(run, CallKind::start_thread, site, ObjectKind::thread, none);
  if (!body) call.fails(Errc::InvalidValue, "a host thread needs a body");
  HostFiber& thread = run.start(name, std::move(body), site.where);
  if (HostCall* const traced = run.recorder().call(call.index())) traced->object = thread.index;
  call.returns();
  return handle_of(run, thread);
}

void join_thread(Handle handle, const CallSite& site) {
  FiberHosts& run = run_for(site);
  if (handle == 0) {
    throw Error(Errc::InvalidValue, site.call, "there is no thread to join", site.where);
  }
  if (HostFiber* const thread = thread_of(run, handle)) wait_for_end(run, *thread, site);
}

thread::thread(Name name, std::function<void()> body, SourceLocation where)
    : id_(start_thread(name, std::move(body), {"sim::thread", where})) {}

thread::thread(thread&& other) noexcept : id_(std::exchange(other.id_, 0)) {}

thread& thread::operator=(thread&& other) noexcept {
  if (this == &other) return *this;
  join_quietly();
  id_ = std::exchange(other.id_, 0);
  return *this;
}

thread::~thread() { join_quietly(); }

void thread::join(SourceLocation where) {
  join_thread(std::exchange(id_, 0), {"sim::thread::join", where});
}

/// In a run that is given up the next call of this thread throws again.
void thread::join_quietly() noexcept {
  FiberHosts* const run = FiberHosts::of_this_thread();
  const Handle id = std::exchange(id_, 0);
  if (id == 0 || run == nullptr) return;
  try {
    if (HostFiber* const joined = thread_of(*run, id)) {
      wait_for_end(*run, *joined, {"sim::thread::~thread", joined->started});
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor has no one to tell
  }
}

}  // namespace millrace::sim
