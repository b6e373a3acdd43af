// SPDX-License-Identifier: Apache-2.0
#include "host_call.hpp"
#include "sync_objects.hpp"
#include "thread_hosts.hpp"

#include <millrace/error.hpp>
#include <millrace/mention.hpp>
#include <millrace/sim.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

namespace millrace::sim {
// Host calls.

FiberHosts& run_for(const CallSite& site) {
  FiberHosts* const run = FiberHosts::of_this_thread();
  if (run == nullptr) {
    throw Error(Errc::NotPermitted, site.call, "only host threads inside sim::run may call it",
                site.where);
  }
  if (run->in_operation()) {
    throw Error(Errc::NotPermitted, site.call,
                "the body of a kernel, copy or fill runs on a device, not on a host thread",
                site.where);
  }
  return *run;
}

HostCallScope::HostCallScope(FiberHosts& run, CallKind kind, const CallSite& site,
                             ObjectKind object_kind, TraceIndex object)
    : run_(run), site_(site), operation_(run.running().operation) {
  const HostId self = run.current(&site);
  index_ = run.recorder().begin_call(kind, self.index, site, run.now(), object_kind, object);
  comes_after(Step::operation(operation_), DependencyKind::host_function);
}

void HostCallScope::returns(CallOutcome outcome, Errc error) {
  Recorder& recorder = run_.recorder();
  recorder.end_call(index_, run_.now(), outcome, error);
  recorder.depend(Step::call(index_), Step::operation(operation_), DependencyKind::host_function);
}

void HostCallScope::fails(Errc code, std::string_view reason) {
  returns(CallOutcome::error, code);
  throw Error(code, site_.call, reason, site_.where);
}

// Queues.

QueuedWaiting::QueuedWaiting(Queue& queue, std::shared_ptr<void> owner, HostFiber& waiter)
    : thread(waiter), queue_(queue), owner_(std::move(owner)) {
  queue_.push_back(this);
}

QueuedWaiting::~QueuedWaiting() {
  if (!granted) std::erase(queue_, this);
}

QueuedWaiting& QueuedWaiting::grant_first(Queue& queue, TraceIndex by) {
  QueuedWaiting& first = *queue.front();
  queue.pop_front();
  first.granted = true;
  first.granted_by = by;
  return first;
}

namespace {

/// A number for the chooser: one of the run's where it is made in a run, so that it is the same
/// when the run is repeated; else one of the process's.
std::uint64_t new_thing() {
  static std::atomic<std::uint64_t> made_outside{0};
  constexpr std::uint64_t outside = std::uint64_t{1} << 32U;
  FiberHosts* const run = FiberHosts::of_this_thread();
  return run != nullptr ? run->new_thing() : outside + made_outside++;
}

}  // namespace

// Locks.

struct mutex::State {
  explicit State(Name name_) : name(name_), number(new_thing()) {}

  /// Forgets a former run.
  void belong_to(FiberHosts& run);
  class Freedom;
  /// `self` keeps this alive while the caller waits. False: the run was given up.
  void lock(FiberHosts& run, const CallSite& site, const std::shared_ptr<State>& self);
  bool try_lock(FiberHosts& run, const CallSite& site);
  void unlock(FiberHosts& run, const CallSite& site);

  Name name;
  std::uint64_t number;  // to the choosers of explored runs
  std::uint32_t run_number = 0;
  TraceIndex traced = none;
  HostFiber* owner = nullptr;
  TraceIndex locked_by = none;    // the call that gave it to the owner
  TraceIndex unlocked_by = none;  // the last call that set it free
  QueuedWaiting::Queue queue;
};

void mutex::State::belong_to(FiberHosts& run) {
  if (run_number == run.number()) return;
  run_number = run.number();
  traced = run.recorder().add_mutex(name);
  owner = nullptr;
  locked_by = unlocked_by = none;
  queue.clear();
}

/// In an explored run: whoever is chosen takes the lock, when it is free.
class mutex::State::Freedom final : public Waiting {
 public:
  Freedom(const State& lock, TraceIndex by_call) : lock_(lock) {
    kind = ObjectKind::mutex;
    object = lock.traced;
    call = by_call;
  }
  bool ready() override {
    behind = Step::call(lock_.locked_by);
    return lock_.owner == nullptr;
  }

 private:
  const State& lock_;
};

void mutex::State::lock(FiberHosts& run, const CallSite& site, const std::shared_ptr<State>& self) {
  HostFiber& thread = run.running();
  HostCallScope call(run, CallKind::lock, site, ObjectKind::mutex, traced);
  if (owner == &thread) {
    call.fails(Errc::InvalidValue, millrace::mention("mutex", name) +
                                       " is locked by this host thread already, which would wait "
                                       "for itself");
  }
  if (run.chooser() != nullptr) {
    Freedom freedom(*this, call.index());
    run.take_turn(&freedom);
    if (run.given_up()) return;
    run.chooser()->touch(Thing::lock, number, Touch::write);
  }
  if (owner != nullptr) {
    QueuedWaiting waiting(queue, self, thread);
    waiting.kind = ObjectKind::mutex;
    waiting.object = traced;
    waiting.behind = Step::call(locked_by);
    waiting.call = call.index();
    std::unique_lock<std::mutex> nothing;
    run.wait(waiting, nothing);
    if (!waiting.granted) return;
  }
  owner = &thread;
  locked_by = call.index();
  call.comes_after(Step::call(unlocked_by), DependencyKind::lock);
  call.returns();
}

bool mutex::State::try_lock(FiberHosts& run, const CallSite& site) {
  if (run.chooser() != nullptr) {
    run.take_turn();
    run.chooser()->touch(Thing::lock, number, Touch::write);
  }
  HostCallScope call(run, CallKind::try_lock, site, ObjectKind::mutex, traced);
  if (owner != nullptr) {
    call.returns(CallOutcome::not_ready);
    return false;
  }
  owner = &run.running();
  locked_by = call.index();
  call.comes_after(Step::call(unlocked_by), DependencyKind::lock);
  call.returns();
  return true;
}

void mutex::State::unlock(FiberHosts& run, const CallSite& site) {
  if (run.given_up()) {  // guards unwind, whatever they really hold
    if (owner == &run.running()) owner = nullptr;
    return;
  }
  HostCallScope call(run, CallKind::unlock, site, ObjectKind::mutex, traced);
  if (owner != &run.running()) {
    call.fails(Errc::NotPermitted, millrace::mention("mutex", name) +
                                       " is not locked by this host thread but by " +
                                       (owner == nullptr ? "none" : mention(*owner)));
  }
  unlocked_by = call.index();
  call.returns();
  owner = nullptr;
  if (run.chooser() != nullptr) run.chooser()->touch(Thing::lock, number, Touch::release);
  if (queue.empty()) return;
  const QueuedWaiting& next = QueuedWaiting::grant_first(queue, call.index());
  owner = &next.thread;
  for (QueuedWaiting* const other : queue) other->behind = Step::call(next.call);
  run.changed(run.now());
}

mutex::mutex(Name name) : state_(std::make_shared<State>(name)) {}
mutex::~mutex() = default;

namespace {

/// std::lock_guard and its kind call from a header of the standard library, which is no place in
/// the user's program: better none than that one.
SourceLocation in_program(SourceLocation where) {
  const bool in_library =
      std::string_view(where.file).find("/include/c++/") != std::string_view::npos;
  return in_library ? SourceLocation{} : where;
}

}  // namespace

void mutex::lock(SourceLocation where) {
  const CallSite site{"sim::mutex::lock", in_program(where)};
  FiberHosts& run = run_for(site);
  if (!run.may_go_on()) return;
  state_->belong_to(run);
  state_->lock(run, site, state_);
}

bool mutex::try_lock(SourceLocation where) {
  const CallSite site{"sim::mutex::try_lock", in_program(where)};
  FiberHosts& run = run_for(site);
  if (!run.may_go_on()) return false;
  state_->belong_to(run);
  return state_->try_lock(run, site);
}

void mutex::unlock(SourceLocation where) {
  const CallSite site{"sim::mutex::unlock", in_program(where)};
  FiberHosts& run = run_for(site);
  state_->belong_to(run);
  state_->unlock(run, site);
}

// Conditions. In the trace a notification is the raise of a signal, once for each thread that it
// wakes, and waking up is the await.

struct condition_variable::State {
  explicit State(Name name_) : name(name_), number(new_thing()) {}

  void belong_to(FiberHosts& run) {
    if (run_number == run.number()) return;
    run_number = run.number();
    traced = run.recorder().add_signal(name);
    queue.clear();
  }
  /// In an explored run: a notification before or after a wait begins are two things.
  void touch(FiberHosts& run) const {
    if (run.chooser() != nullptr) run.chooser()->touch(Thing::signal, number, Touch::write);
  }
  void notify_first(FiberHosts& run, const CallSite& site) {
    HostCallScope call(run, CallKind::raise, site, ObjectKind::signal, traced);
    call.returns();
    QueuedWaiting::grant_first(queue, call.index());
    run.changed(run.now());
  }
  bool wait(FiberHosts& run, Time deadline, const CallSite& site,
            const std::shared_ptr<State>& self);

  Name name;
  std::uint64_t number;  // to the choosers of explored runs
  std::uint32_t run_number = 0;
  TraceIndex traced = none;
  QueuedWaiting::Queue queue;
};

bool condition_variable::State::wait(FiberHosts& run, Time deadline, const CallSite& site,
                                     const std::shared_ptr<State>& self) {
  touch(run);
  HostCallScope call(run, CallKind::await, site, ObjectKind::signal, traced);
  QueuedWaiting waiting(queue, self, run.running());
  waiting.kind = ObjectKind::signal;
  waiting.object = traced;
  waiting.call = call.index();
  waiting.deadline = deadline;
  std::unique_lock<std::mutex> nothing;
  run.wait(waiting, nothing);
  call.comes_after(Step::call(waiting.granted_by), DependencyKind::signal);
  call.returns(waiting.granted ? CallOutcome::success : CallOutcome::not_ready);
  return waiting.granted;
}

condition_variable::condition_variable(Name name) : state_(std::make_shared<State>(name)) {}
condition_variable::~condition_variable() = default;

void condition_variable::notify_one(SourceLocation where) {
  const CallSite site{"sim::condition_variable::notify_one", where};
  FiberHosts& run = run_for(site);
  if (run.given_up()) return;
  state_->belong_to(run);
  run.take_turn();
  state_->touch(run);
  if (!state_->queue.empty()) state_->notify_first(run, site);
}

void condition_variable::notify_all(SourceLocation where) {
  const CallSite site{"sim::condition_variable::notify_all", where};
  FiberHosts& run = run_for(site);
  if (run.given_up()) return;
  state_->belong_to(run);
  run.take_turn();
  state_->touch(run);
  while (!state_->queue.empty()) state_->notify_first(run, site);
}

void condition_variable::wait(std::unique_lock<mutex>& lock, SourceLocation where) {
  wait_until(lock, Time::never(), {"sim::condition_variable::wait", where});
}

bool condition_variable::wait_for(std::unique_lock<mutex>& lock, Duration timeout,
                                  SourceLocation where) {
  const CallSite site{"sim::condition_variable::wait_for", where};
  const Time now = run_for(site).now();
  const bool for_ever = timeout > Duration::longest();
  return wait_until(lock, for_ever ? Time::never() : now + std::max(timeout, Duration{0}), site);
}

bool condition_variable::wait_until(std::unique_lock<mutex>& lock, Time deadline,
                                    const CallSite& site) {
  FiberHosts& run = run_for(site);
  if (!run.may_go_on()) return false;
  state_->belong_to(run);
  if (lock.mutex() != nullptr) lock.mutex()->state_->belong_to(run);
  if (!lock.owns_lock() || lock.mutex()->state_->owner != &run.running()) {
    throw Error(Errc::InvalidValue, site.call,
                "the lock must hold its sim::mutex when the wait begins", site.where);
  }
  mutex::State& locked = *lock.mutex()->state_;
  locked.unlock(run, site);
  const bool notified = state_->wait(run, deadline, site, state_);
  if (run.may_go_on()) locked.lock(run, site, lock.mutex()->state_);
  return notified;
}

// Signals.

void Signal::raise(const CallSite& site) {
  FiberHosts& run = run_for(site);
  if (!run.may_go_on()) return;
  run.take_turn();
  if (run.chooser() != nullptr) run.chooser()->touch(Thing::signal, thing(), Touch::write);
  HostCallScope call(run, CallKind::raise, site, ObjectKind::signal, traced(run));
  call.returns();
  if (queue_.empty()) {
    raised_.push_back(call.index());
    return;
  }
  QueuedWaiting::grant_first(queue_, call.index());
  run.changed(run.now());
}

/// In an explored run: whoever is chosen takes the raise.
class Signal::Raised final : public Waiting {
 public:
  Raised(const Signal& signal, TraceIndex by_call) : signal_(signal) {
    kind = ObjectKind::signal;
    object = signal.traced_;
    call = by_call;
  }
  bool ready() override { return !signal_.raised_.empty(); }

 private:
  const Signal& signal_;
};

void Signal::await(const CallSite& site) {
  FiberHosts& run = run_for(site);
  if (!run.may_go_on()) return;
  HostCallScope call(run, CallKind::await, site, ObjectKind::signal, traced(run));
  if (run.chooser() != nullptr) {
    Raised raised(*this, call.index());
    run.take_turn(&raised);
    run.chooser()->touch(Thing::signal, thing(), Touch::write);
  }
  QueuedWaiting waiting(queue_, nullptr, run.running());
  waiting.kind = ObjectKind::signal;
  waiting.object = traced_;
  waiting.call = call.index();
  if (!raised_.empty()) {
    QueuedWaiting::grant_first(queue_, raised_.front());
    raised_.pop_front();
  }
  std::unique_lock<std::mutex> nothing;
  run.wait(waiting, nothing);
  call.comes_after(Step::call(waiting.granted_by), DependencyKind::signal);
  call.returns();
}

TraceIndex Signal::traced(FiberHosts& run) {
  if (traced_ == none) traced_ = run.recorder().add_signal(name_);
  return traced_;
}

// Time.

namespace {

void check_length(Duration duration, const CallSite& site) {
  if (duration <= Duration::longest()) return;
  throw Error(Errc::InvalidValue, site.call, to_string(duration) + " is longer than a run can be",
              site.where);
}

}  // namespace

void work(Duration duration, const CallSite& site) {
  FiberHosts& run = run_for(site);
  if (!run.may_go_on()) return;
  check_length(duration, site);
  HostCallScope call(run, CallKind::work, site, ObjectKind::nothing, none);
  std::unique_lock<std::mutex> nothing;
  run.spend(std::max(duration, Duration{0}), nothing);
  call.returns();
}

Time now() {
  FiberHosts* const run = FiberHosts::of_this_thread();
  return run != nullptr ? run->now() : process_hosts({"sim::now", {}}).now();
}

void sleep_for(Duration duration, SourceLocation where) {
  const CallSite site{"sim::sleep_for", where};
  if (FiberHosts::of_this_thread() != nullptr) return work(duration, site);
  check_length(duration, site);
  ThreadHosts& hosts = process_hosts(site);
  std::unique_lock<std::mutex> lock = hosts.lock();
  hosts.spend(std::max(duration, Duration{0}), lock);
}

}  // namespace millrace::sim
