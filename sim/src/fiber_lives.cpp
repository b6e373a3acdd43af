// SPDX-License-Identifier: Apache-2.0
//
// How host threads begin and end, and how a run does.
#include "fiber_hosts.hpp"

#include <millrace/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

namespace millrace::sim {
namespace {

/// Null outside of a run. Fibers do not move between operating-system threads.
constinit thread_local FiberHosts* this_run = nullptr;

/// Tells objects of former runs apart; never reaches a result.
std::atomic<std::uint32_t> runs_begun{0};

}  // namespace

std::string mention(const HostFiber& thread) {
  return thread.name.empty() ? "host thread " + std::to_string(thread.index)
                             : "host thread '" + std::string(thread.name.text()) + "'";
}

FiberHosts* FiberHosts::of_this_thread() noexcept { return this_run; }

FiberHosts::FiberHosts(Recorder& recorder, Time latest, Chooser* chooser)
    : recorder_(recorder), latest_(latest), number_(++runs_begun) {
  chooser_ = chooser;
}

FiberHosts::~FiberHosts() = default;

/// The calling thread's fibers are the run's for a scope.
class FiberHosts::Installation {
 public:
  Installation(FiberHosts& hosts, HostFiber& main)
      : hosts_(hosts), former_(exchange_host_thread(main.runtime.get())) {
    hosts_.scheduler_ = new FiberScheduler(hosts, main);
    hosts_.scheduler_->install();
    this_run = &hosts;
  }
  ~Installation() {
    this_run = nullptr;
    hosts_.scheduler_->remove();
    exchange_host_thread(former_);
  }
  Installation(const Installation&) = delete;
  Installation& operator=(const Installation&) = delete;

 private:
  FiberHosts& hosts_;
  HostThread* former_;
};

void FiberHosts::run(std::shared_ptr<SimMachine> machine, const std::function<void()>& body) {
  machine_ = std::move(machine);
  clockwork_ = &machine_->clockwork();
  HostFiber& main = add_thread("main", {});
  --away_;
  main.uncaught_at_start = std::uncaught_exceptions();
  {
    const Installation installation(*this, main);
    enter(main);
    live(main, [&body] { body(); });
    finish(main);
  }
  machine_.reset();
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  write_orders();
}

// Threads.

HostFiber& FiberHosts::add_thread(Name name, SourceLocation where) {
  HostFiber& fiber = threads_.emplace_back();
  fiber.index = static_cast<TraceIndex>(threads_.size() - 1);
  fiber.actor = Actor::thread(fiber.index);
  fiber.name = name;
  fiber.text = name.text().data();
  fiber.started = where;
  if (running_ != nullptr) fiber.clock = now();
  fiber.runtime = make_host_thread("sim", machine_);
  recorder_.add_thread(name);
  living_.push_back(&fiber);
  ++programs_;
  ++away_;
  return fiber;
}

HostFiber& FiberHosts::launch(HostFiber& fiber, std::function<void()> body) {
  try {
    scheduler_->start(fiber, [this, &fiber, body = std::move(body)]() mutable {
      live(fiber, std::move(body));
      end(fiber);
    });
  } catch (...) {  // no memory for a stack
    --away_;
    fiber.state = HostFiber::State::ended;
    std::erase(living_, &fiber);
    throw;
  }
  return fiber;
}

HostFiber& FiberHosts::start(Name name, std::function<void()> body, SourceLocation where) {
  HostFiber& fiber = add_thread(name, where);
  order(*running_, next_call(), fiber, next_call(), DependencyKind::thread_start);
  return launch(fiber, std::move(body));
}

/// Runs `body` and destroys it, and lets go of the streams that were current to it.
void FiberHosts::live(HostFiber& self, std::function<void()> body) {
  try {
    if (!given_up_) body();
  } catch (const RunStopped&) {  // NOLINT(bugprone-empty-catch): unwound, as it was meant to be
  } catch (...) {
    give_up(std::current_exception());
  }
  body = nullptr;
  self.runtime.reset();  // still the current one: it may destroy streams
  exchange_host_thread(nullptr);
}

void FiberHosts::end(HostFiber& self) {
  self.state = HostFiber::State::ended;
  self.runtime.reset();
  exchange_host_thread(nullptr);
  std::erase(living_, &self);
  if (!self.serves) --programs_;
  end_ = std::max(end_, self.clock);
  changed(self.clock);
}

HostId FiberHosts::current(const CallSite* site) {
  if (this_run != this) {
    throw Error(Errc::NotPermitted, site == nullptr ? "" : site->call,
                "an operating-system thread that is no host thread of the run must not use what "
                "belongs to it: start a sim::thread instead",
                site == nullptr ? SourceLocation{} : site->where);
  }
  if (site != nullptr) progress_.calls(site->where);
  return {running_->index};
}

// Servers: threads that are not the program's.

HostFiber& FiberHosts::add_server(Name name) {
  HostFiber& fiber = add_thread(name, {});
  fiber.serves = true;
  --programs_;
  return fiber;
}

/// The end is that of the run: RunStopped, or what the body threw.
void FiberHosts::stand_by(Name name, std::function<void()> body, std::function<void()> at_end) {
  launch(add_server(name), [body = std::move(body), at_end = std::move(at_end)] {
    struct AtEnd {
      const std::function<void()>& call;
      ~AtEnd() { call(); }
    } const guard{at_end};
    body();
  });
}

bool FiberHosts::servers_stand_by() const {
  return std::ranges::all_of(living_, [](const HostFiber* fiber) {
    Waiting* const waiting = fiber->waiting;
    return !fiber->serves || (waiting != nullptr && waiting->background && !waiting->ready());
  });
}

// Host functions: one fiber a device serves them, first in, first out.

class FiberHosts::ServerWaiting final : public Waiting {
 public:
  explicit ServerWaiting(const Server& server) : server_(server) { background = true; }
  bool ready() override { return !server_.functions.empty(); }

 private:
  const Server& server_;
};

void FiberHosts::run_host_function(int server, Time at, std::function<void()> body,
                                   std::function<void(Time)> done, TraceIndex operation) {
  if (given_up_) return;
  const auto index = static_cast<std::size_t>(server);
  if (servers_.size() <= index) servers_.resize(index + 1);
  std::unique_ptr<Server>& found = servers_[index];
  if (found == nullptr) {
    found = std::make_unique<Server>();
    HostFiber& fiber = add_server("host functions of sim:" + std::to_string(server));
    found->fiber = &fiber;
    launch(fiber, [this, &fiber, &served = *found] { serve(fiber, served); });
  }
  found->functions.push_back({at, std::move(body), std::move(done), operation});
  ++serving_;
  serving_now_ = found->fiber;
  changed(at);
}

void FiberHosts::serve(HostFiber& self, Server& server) {
  ServerWaiting work(server);
  std::unique_lock<std::mutex> lock;
  while (true) {
    wait(work, lock);  // at the run's end it leaves by RunStopped
    HostFunction function = std::move(server.functions.front());
    server.functions.pop_front();
    self.clock = std::max(self.clock, function.at);
    self.operation = function.operation;
    {
      const OperationBodyScope scope;
      function.body();
    }
    function.body = nullptr;
    self.operation = none;
    --serving_;
    function.done(self.clock);
    changed(self.clock);
  }
}

// Ends of a run.

/// Ready when nothing is left to do.
class FiberHosts::EndWaiting final : public Waiting {
 public:
  explicit EndWaiting(const FiberHosts& hosts) : hosts_(hosts) { background = true; }
  bool ready() override {
    return hosts_.programs_ == 1 && hosts_.serving_ == 0 &&
           hosts_.clockwork_->next_event() == Time::never() &&
           hosts_.clockwork_->awaited_news() != News::needed && hosts_.servers_stand_by();
  }

 private:
  const FiberHosts& hosts_;
};

void FiberHosts::finish(HostFiber& main) {
  EndWaiting all_done(*this);
  std::unique_lock<std::mutex> lock;
  end_ = std::max(end_, main.clock);
  try {
    wait(all_done, lock);
    if (!machine_->drained()) give_up_in_deadlock();
  } catch (const RunStopped&) {  // NOLINT(bugprone-empty-catch): goes on below
  }
  give_up(nullptr);  // ends the servers
  finishing_ = true;
  main.state = HostFiber::State::waiting;
  while (living_.size() > 1) pass_turn(main);
}

void FiberHosts::give_up(std::exception_ptr failure) {
  if (given_up_) return;
  given_up_ = true;
  failure_ = std::move(failure);
  ready_.clear();
  waiting_.clear();
  polling_.clear();
}

void FiberHosts::give_up_in_deadlock() {
  if (given_up_) return;
  deadlocked_ = true;
  std::vector<Blocked>& blocked = recorder_.trace().blocked;
  for (const HostFiber* const fiber : living_) {
    const Waiting* const waiting = fiber->waiting;
    if (waiting != nullptr && !waiting->background) {
      blocked.push_back(
          {Step::call(waiting->call), waiting->kind, waiting->object, waiting->behind});
      if (!blocked_text_.empty()) blocked_text_ += ", ";
      blocked_text_ += mention(*fiber) + " waits for a " + std::string(to_string(waiting->kind));
    } else if (fiber->state == HostFiber::State::polling ||
               fiber->fruitless_polls == fruitless_polls_allowed) {
      blocked.push_back(poll_of(*fiber));
    }
  }
  machine_->report_blocked(blocked);
  recorder_.stop();
  give_up(nullptr);
}

/// A thread that asks for ever is blocked in its latest call, a query.
Blocked FiberHosts::poll_of(const HostFiber& fiber) const {
  const std::vector<HostCall>& calls = recorder_.trace().calls;
  for (std::size_t i = calls.size(); i-- > 0;) {
    if (calls[i].thread != fiber.index) continue;
    return {Step::call(static_cast<TraceIndex>(i)), calls[i].object_kind, calls[i].object, {}};
  }
  return {Step::call(none), ObjectKind::nothing, none, {}};
}

void FiberHosts::give_up_too_late() {
  give_up(std::make_exception_ptr(
      Error(Errc::LaunchTimeout, "sim::run",
            "virtual time has passed " + to_string(latest_) +
                (latest_ == Time::latest() ? ", the last that a run can reach"
                                           : ", the options' max_time"),
            {})));
}

void FiberHosts::die_stuck() const {
  std::string text =
      "millrace: sim::run cannot go on: nothing will ever wake these host threads, which block in "
      "primitives of Boost.Fiber or have yielded, and cannot be unwound:";
  for (const HostFiber* const fiber : living_) {
    if (fiber->state != HostFiber::State::away) continue;
    text += "\n  " + mention(*fiber);
    if (fiber->started.line == 0) continue;
    text += std::string(", started at ") + fiber->started.file + ":" +
            std::to_string(fiber->started.line);
  }
  std::fprintf(stderr, "%s\n", text.c_str());
  std::terminate();
}

// Order between threads, known by call only when all calls are.

TraceIndex FiberHosts::next_call() {
  return static_cast<TraceIndex>(recorder_.trace().calls.size());
}

void FiberHosts::order(const HostFiber& from_thread, TraceIndex from, const HostFiber& to_thread,
                       TraceIndex to, DependencyKind kind) {
  if (!recorder_.enabled()) return;
  if (kind == DependencyKind::thread_start) {
    threads_[to_thread.index].birth = static_cast<TraceIndex>(orders_.size());
  }
  orders_.push_back({from_thread.index, from, to_thread.index, to, kind});
}

void FiberHosts::write_orders() {
  if (orders_.empty()) return;
  const std::vector<HostCall>& calls = recorder_.trace().calls;
  calls_.assign(threads_.size(), {});
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls_[calls[i].thread].push_back(static_cast<TraceIndex>(i));
  }
  for (const Order& order : orders_) {
    const std::vector<TraceIndex>& of_thread = calls_[order.to_thread];
    const auto to = std::lower_bound(of_thread.begin(), of_thread.end(), order.to);
    if (to == of_thread.end()) continue;
    const Step from = last_call(order.from_thread, order.from);
    if (from.exists()) {
      recorder_.trace().dependencies.push_back(
          {.from = from, .to = Step::call(*to), .kind = order.kind});
    }
  }
}

/// A thread without calls stands for the one that started it.
Step FiberHosts::last_call(TraceIndex thread, TraceIndex before) const {
  while (true) {
    const std::vector<TraceIndex>& of_thread = calls_[thread];
    const auto behind = std::lower_bound(of_thread.begin(), of_thread.end(), before);
    if (behind != of_thread.begin()) return Step::call(*std::prev(behind));
    if (threads_[thread].birth == none) return {};
    const Order& birth = orders_[threads_[thread].birth];
    thread = birth.from_thread;
    before = birth.from;
  }
}

}  // namespace millrace::sim
