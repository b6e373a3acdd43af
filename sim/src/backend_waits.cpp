// SPDX-License-Identifier: Apache-2.0
//
// Waits that call back. One host thread, started at the first of them, notices that waits are over
// and runs what is posted: nothing of the program's ever runs inside the engine.
#include "backend_impl.hpp"

#include <algorithm>

namespace millrace::sim {

class SimBackend::Wait final : public BackendWait {
 public:
  Wait(SimBackend& machine, ObjectKind kind) : until(machine.engine_), machine_(machine) {
    until.kind = kind;
  }
  ~Wait() override {
    const Lock lock = machine_.hosts_.lock();
    if (listed) std::erase(machine_.waits_, this);
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  void notify(Task told) override;
  void finish(const CallSite& site) override;

  Until until;
  int device = -1;  ///< whose fault is the answer
  std::shared_ptr<EventSharing> sharing;
  std::uint64_t record = 0;  ///< where the event is shared
  Task ready;
  bool listed = false;  ///< among waits_

 private:
  SimBackend& machine_;
};

std::unique_ptr<BackendWait> SimBackend::begin_wait(Handle handle, const CallSite& site) {
  const bool on_event = is_handle(HandleKind::event, handle);
  const CallKind kind = on_event ? CallKind::query_event : CallKind::query_stream;
  // Made and, when the call is refused, destroyed without the lock.
  auto wait = std::make_unique<Wait>(*this, on_event ? ObjectKind::event : ObjectKind::stream);
  perform(kind, site, [&](Call& call) {
    if (on_event) {
      const EventRecord& found = event(handle, call);
      wait->until.object = found.origin.traced;
      wait->until.add(found.latest_stream, found.latest);
      wait->device = found.device;
      wait->sharing = found.sharing;
      if (found.sharing != nullptr) wait->record = found.sharing->current;
      need(found);
    } else {
      StreamRecord& found = stream(handle, call);
      wait->until.object = found.origin.traced;
      gather_targets(found, wait->until);
      wait->device = found.device;
    }
    wait->until.call = call.traced;
    if (!wait->until.ready()) call.outcome = CallOutcome::not_ready;
  });
  return wait;
}

void SimBackend::Wait::notify(Task told) {
  const Lock lock = machine_.hosts_.lock();
  ready = std::move(told);
  listed = true;
  machine_.waits_.push_back(this);
  machine_.notice_soon();
}

/// Since the work is done, it is as any call that synchronizes with done work.
void SimBackend::Wait::finish(const CallSite& site) {
  const bool on_event = until.kind == ObjectKind::event;
  const CallKind kind = on_event ? CallKind::synchronize_event : CallKind::synchronize_stream;
  machine_.perform(kind, site, [&](Call& call) {
    machine_.about(call, until.kind, until.object);
    machine_.wait_until(until, DependencyKind::synchronize, call);
    machine_.refuse_failed(device, call);
    if (sharing != nullptr) machine_.refuse_lost(*sharing, record, call);
  });
}

void SimBackend::post(Task task, const CallSite& site) {
  static_cast<void>(site);
  const Lock lock = hosts_.lock();
  if (unattended_) return;
  posted_.push_back(std::move(task));
  notice_soon();
}

// The thread that notices.

class SimBackend::Noticing final : public Waiting {
 public:
  explicit Noticing(const SimBackend& machine) : machine_(machine) { background = true; }
  bool ready() override {
    return !machine_.noticed_.empty() || !machine_.posted_.empty() ||
           std::ranges::any_of(machine_.waits_, [](Wait* wait) { return wait->until.ready(); });
  }
  [[nodiscard]] bool drives() const override {
    return !machine_.waits_.empty() || machine_.unfinished_shared_ > 0;
  }

 private:
  const SimBackend& machine_;
};

void SimBackend::notice_soon() {
  if (!std::exchange(noticing_, true)) {
    hosts_.stand_by(
        "completions", [this] { notice_waits(); }, [this] { dismiss_waits(); });
  }
  hosts_.changed(hosts_.now());
}

void SimBackend::notice_waits() {
  Lock lock = hosts_.lock();
  Noticing something(*this);
  while (true) {
    hosts_.wait(something, lock);  // at a run's end it leaves by an exception
    {
      Task next = take_noticed();
      if (lock.owns_lock()) lock.unlock();
      next();
    }
    lock = hosts_.lock();
    hosts_.changed(hosts_.now());  // the end of a run may have waited for this
  }
}

void SimBackend::note_ready(Wait& wait) {
  wait.listed = false;
  noticed_.push_back(std::move(wait.ready));
}

/// Those that are over are told so before anything posted runs.
Task SimBackend::take_noticed() {
  std::erase_if(waits_, [this](Wait* wait) {
    if (!wait->until.ready()) return false;
    note_ready(*wait);
    return true;
  });
  std::deque<Task>& from = noticed_.empty() ? posted_ : noticed_;
  Task next = std::move(from.front());
  from.pop_front();
  return next;
}

/// Whoever still waits hears of the end; what was posted has no thread to run on any more.
void SimBackend::dismiss_waits() {
  unattended_ = true;
  posted_.clear();
  for (Wait* const wait : std::exchange(waits_, {})) note_ready(*wait);
  for (Task& told : std::exchange(noticed_, {})) told();
}

void SimBackend::close() {
  closed_ = true;
  for (int index = 0; index < device_count(); ++index) lose_shared_records(index);
  for (EventRecord& event : events_) {
    if (event.sharing != nullptr) stop_sharing(event);
  }
  dismiss_waits();
}

}  // namespace millrace::sim
