// SPDX-License-Identifier: Apache-2.0
#include "thread_hosts.hpp"

#include <millrace/error.hpp>
#include <millrace/host.hpp>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace millrace::sim {
namespace {

std::atomic<std::uint64_t> machines_made{0};

/// How long a thread that polls leaves the others to themselves when no device can go on.
constexpr std::chrono::microseconds polling_pause{200};

}  // namespace

/// What an operating-system thread is to the machine that it used last.
struct ThreadHosts::Self {
  std::uint64_t machine = 0;
  TraceIndex index = none;
  Time clock;
};

ThreadHosts::ThreadHosts(std::chrono::milliseconds patience)
    : patience_(patience), number_(++machines_made) {}

ThreadHosts::Self& ThreadHosts::self() {
  static thread_local Self self;
  if (self.machine != number_) self = {number_, threads_++, Time{now_ns_}};
  return self;
}

HostId ThreadHosts::current(const CallSite*) { return {self().index}; }

Time ThreadHosts::now() { return std::max(self().clock, Time{now_ns_}); }

void ThreadHosts::note_change() {
  ++changes_;
  something_changed_.notify_all();
}

void ThreadHosts::changed(Time) { note_change(); }

void ThreadHosts::failed(std::exception_ptr exception) {
  if (failure_ == nullptr) failure_ = std::move(exception);
}

/// Bodies run on the thread that drives, which is the one to hear of what they threw.
void ThreadHosts::rethrow_failure() {
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// The process's machine has no run whose end could be told: the calling thread hears of it.
void ThreadHosts::refuse_beyond_latest(Time time) {
  if (time <= Time::latest()) return;
  throw Error(Errc::LaunchTimeout, "sim",
              "virtual time would pass " + to_string(Time::latest()) +
                  ", the last that the process's machine can reach",
              {});
}

void ThreadHosts::step_to(Time event) {
  refuse_beyond_latest(event);
  now_ns_ = std::max(now_ns_.load(), event.ns);
  clockwork_->advance_to(event);
  note_change();
  rethrow_failure();
}

void ThreadHosts::spend(Duration cost, std::unique_lock<std::mutex>&) {
  Self& thread = self();
  const Time after = std::max(thread.clock, Time{now_ns_}) + cost;
  refuse_beyond_latest(after);
  thread.clock = after;
  ++changes_;
  for (Time event = clockwork_->next_event(); event <= thread.clock;
       event = clockwork_->next_event()) {
    step_to(event);
  }
  now_ns_ = std::max(now_ns_.load(), thread.clock.ns);
}

void ThreadHosts::wait(Waiting& waiting, std::unique_lock<std::mutex>& lock) {
  while (!waiting.ready()) {
    if (waiting.deadline <= Time{now_ns_}) break;
    if (!waiting.drives() || !go_on(waiting.deadline, News::needed, lock))
      wait_for_others(waiting, lock);
  }
  self().clock = std::max(self().clock, Time{now_ns_});
}

bool ThreadHosts::idle(Time deadline, std::unique_lock<std::mutex>& lock) {
  const std::uint64_t before = changes_;
  if (!go_on(deadline, News::asked_for, lock)) something_changed_.wait_for(lock, polling_pause);
  self().clock = std::max(self().clock, Time{now_ns_});
  return changes_ != before;
}

/// Does the next thing that is to be done, if any, at most up to `limit`; that may be to look for
/// news of at least this weight.
bool ThreadHosts::go_on(Time limit, News weight, std::unique_lock<std::mutex>& lock) {
  if (run_pending(lock)) return true;
  const Time event = std::min(clockwork_->next_event(), limit);
  if (event == Time::never() && clockwork_->awaited_news() < weight) return false;
  if (event > clockwork_->stands_still_at() || event == Time::never()) {
    hear(lock);
  } else {
    step_to(event);
  }
  return true;
}

/// Looks once for what other processes say, or lets others go on a little.
void ThreadHosts::hear(std::unique_lock<std::mutex>& lock) {
  if (clockwork_->take_news()) {
    looks_ = 0;
    return note_change();
  }
  something_changed_.wait_for(lock, news_pause);
  if (++looks_ < looks_for_news) return;
  looks_ = 0;
  clockwork_->go_on_without_news();
}

void ThreadHosts::wait_for_others(const Waiting& waiting, std::unique_lock<std::mutex>& lock) {
  const std::uint64_t before = changes_;
  const auto has_changed = [&] { return changes_ != before; };
  if (waiting.background) return something_changed_.wait(lock, has_changed);
  something_changed_.wait_for(lock, patience_, has_changed);
  if (changes_ != before || busy_ > 0) return;
  throw Error(Errc::LaunchTimeout, "sim",
              "this thread waits for a " + std::string(to_string(waiting.kind)) +
                  " that can never be ready by itself, and for " +
                  std::to_string(patience_.count()) + " ms no other thread did anything",
              {});
}

/// What it throws reaches the next thread that drives, as what bodies throw does. It has no end.
void ThreadHosts::stand_by(Name, std::function<void()> body, std::function<void()>) {
  std::thread([this, body = std::move(body)] {
    while (true) {
      try {
        body();
      } catch (...) {
        const std::lock_guard guard(mutex_);
        failed(std::current_exception());
      }
    }
  }).detach();
}

// Host functions run on the thread that drives, without the lock.

void ThreadHosts::run_host_function(int server, Time at, std::function<void()> body,
                                    std::function<void(Time)> done, TraceIndex) {
  const auto index = static_cast<std::size_t>(server);
  while (servers_.size() <= index) servers_.emplace_back();
  servers_[index].functions.push_back({at, std::move(body), std::move(done)});
  note_change();
}

bool ThreadHosts::run_pending(std::unique_lock<std::mutex>& lock) {
  for (Server& server : servers_) {
    if (server.busy || server.functions.empty()) continue;
    run(server, lock);
    return true;
  }
  return false;
}

void ThreadHosts::run(Server& server, std::unique_lock<std::mutex>& lock) {
  HostFunction function = std::move(server.functions.front());
  server.functions.pop_front();
  server.busy = true;
  ++busy_;
  Self& thread = self();
  const Time outside = std::exchange(thread.clock, function.at);
  std::exception_ptr thrown;
  lock.unlock();
  try {
    const OperationBodyScope scope;
    function.body();
  } catch (...) {
    thrown = std::current_exception();
  }
  function.body = nullptr;
  lock.lock();
  const Time returned = std::exchange(thread.clock, outside);
  server.busy = false;
  --busy_;
  function.done(returned);
  note_change();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace millrace::sim
