// SPDX-License-Identifier: Apache-2.0
#include "fiber_scheduler.hpp"

#include <boost/context/stack_context.hpp>
#include <boost/context/stack_traits.hpp>
#include <boost/fiber/algo/round_robin.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/properties.hpp>
#include <boost/fiber/scheduler.hpp>
#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace millrace::sim {
namespace {

/// Stacks of ended fibers, kept for the next ones: mapping one costs as much as twenty switches.
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool() {
    for (void* const memory : free_) munmap(memory, mapped_bytes());
  }

  void* take() {
    if (free_.empty()) return map();
    void* const memory = free_.back();
    free_.pop_back();
    forget_stack(memory, mapped_bytes());
    return memory;
  }
  void give_back(void* memory) noexcept {
    if (free_.size() == kept_at_most) {
      munmap(memory, mapped_bytes());
    } else {
      free_.push_back(memory);
    }
  }

  static std::size_t guard_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
  }
  static std::size_t mapped_bytes() { return guard_bytes() + fiber_stack_bytes; }

 private:
  static constexpr std::size_t kept_at_most = 64;

  void* map() {
    free_.reserve(kept_at_most);  // giving back cannot fail
    void* const memory = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, guard_bytes(), PROT_NONE);
    forget_stack(memory, mapped_bytes());
    return memory;
  }

  std::vector<void*> free_;
};

StackPool& stack_pool() {
  static thread_local StackPool pool;
  return pool;
}

/// Boost's notion of a stack allocator, over the pool.
class FiberStack {
 public:
  explicit FiberStack(Fiber& fiber) : fiber_(&fiber) {}

  boost::context::stack_context allocate() {
    auto* const memory = static_cast<std::byte*>(stack_pool().take());
    fiber_->sanitizer.set_stack(memory + StackPool::guard_bytes(), fiber_stack_bytes);
    boost::context::stack_context stack;
    stack.size = fiber_stack_bytes;
    stack.sp = memory + StackPool::mapped_bytes();
    return stack;
  }
  void deallocate(boost::context::stack_context& stack) noexcept {
    stack_pool().give_back(static_cast<std::byte*>(stack.sp) - StackPool::mapped_bytes());
  }

 private:
  Fiber* fiber_;
};

/// Leads from Boost's fiber to ours.
class FiberTag final : public boost::fibers::fiber_properties {
 public:
  explicit FiberTag(Fiber& fiber) : fiber_properties(nullptr), fiber_(fiber) {}
  Fiber& fiber() noexcept { return fiber_; }

 private:
  Fiber& fiber_;
};

/// Where Boost made the stack: the context lies at its upper end. Near enough for a sanitizer.
void guess_stack(Fiber& fiber) noexcept {
  constexpr std::size_t above = 512;
  const std::size_t bytes = boost::context::stack_traits::default_size() - 4096;
  auto* const end = reinterpret_cast<std::byte*>(fiber.context) + above;
  fiber.sanitizer.set_stack(end - bytes, bytes);
}

void exchange_exceptions(Fiber& from, Fiber& to) noexcept {
  void* const here = abi::__cxa_get_globals();
  std::memcpy(&from.exceptions, here, sizeof from.exceptions);
  std::memcpy(here, &to.exceptions, sizeof to.exceptions);
}

}  // namespace

// Taking a thread over.

void FiberScheduler::install() {
  main_.context = boost::fibers::context::active();
  running_ = &main_;
  handing_over_ = true;
  main_.context->get_scheduler()->set_algo(this);
  handing_over_ = false;
}

void FiberScheduler::remove() {
  handing_over_ = true;
  const boost::fibers::algo::algorithm::ptr_t keep(this);
  main_.context->get_scheduler()->set_algo(new boost::fibers::algo::round_robin);
  handing_over_ = false;
}

bool FiberScheduler::has_ready_fibers() const noexcept {
  if (!handing_over_) return policy_.any_ready();
  return dispatcher_.context != nullptr || !foreign_.empty();
}

// From Boost's fibers to ours.

void FiberScheduler::awakened(boost::fibers::context* context) noexcept {
  if (context->is_context(boost::fibers::type::dispatcher_context)) {
    if (dispatcher_.context == context) return;
    dispatcher_.context = context;
    guess_stack(dispatcher_);
  } else if (handing_over_) {
    foreign_.push_back(context);
  } else {
    notice_dispatch();
    // Who yields goes by way of the dispatcher; others are woken by the fiber that woke them.
    const bool yielded = running_ == &dispatcher_;
    policy_.woken(fiber_of(*context), yielded);
  }
}

/// launch::dispatch switches to the new fiber without asking.
void FiberScheduler::notice_dispatch() noexcept {
  boost::fibers::context* const active = boost::fibers::context::active();
  if (active == running_->context) return;
  running_ = &fiber_of(*active);
  policy_.dispatched(*running_);
}

Fiber& FiberScheduler::fiber_of(boost::fibers::context& context) {
  if (&context == main_.context) return main_;
  if (auto* const tag = dynamic_cast<FiberTag*>(context.get_properties())) {
    tag->fiber().context = &context;
    return tag->fiber();
  }
  Fiber& adopted = policy_.adopt();
  adopted.context = &context;
  guess_stack(adopted);
  context.set_properties(new FiberTag(adopted));
  return adopted;
}

void FiberScheduler::start(Fiber& fiber, std::function<void()> body) {
  std::unique_ptr<boost::fibers::fiber_properties> tag = std::make_unique<FiberTag>(fiber);
  auto run = [this, body = std::move(body)]() mutable {
    arrive();
    std::exchange(body, nullptr)();
  };
  boost::fibers::fiber(boost::fibers::launch::post, tag.release(), std::allocator_arg,
                       FiberStack(fiber), std::move(run))
      .detach();
}

// Switching.

void FiberScheduler::switch_to(Fiber& next) {
  chosen_ = &next;
  switch_away();
}

void FiberScheduler::switch_away() {
  running_->context->suspend();
  arrive();
}

MILLRACE_SWITCHES_FIBERS
boost::fibers::context* FiberScheduler::pick_next() noexcept {
  if (handing_over_) {
    if (dispatcher_.context != nullptr) return std::exchange(dispatcher_.context, nullptr);
    boost::fibers::context* const first = foreign_.front();
    foreign_.erase(foreign_.begin());
    return first;
  }
  notice_dispatch();
  arrive();  // a switch inside Boost's primitives is noticed only now
  if (Fiber* const chosen = std::exchange(chosen_, nullptr)) return enter(*chosen, false);
  if (running_ == &dispatcher_) {
    Fiber* const next = policy_.next();
    return next == nullptr ? nullptr : enter(*next, false);
  }
  // The dispatcher frees the fiber if it has ended, and knows by then whether it only yielded.
  const bool ended = running_->context->is_context(boost::fibers::type::worker_context) &&
                     !running_->context->worker_is_linked();
  policy_.left(ended);
  return enter(dispatcher_, ended);
}

void FiberScheduler::suspend_until(Clock::time_point const& at) noexcept {
  if (at == (Clock::time_point::max)()) return policy_.nobody();
  std::this_thread::sleep_until(at);  // the program asked Boost.Fiber for real time
}

MILLRACE_SWITCHES_FIBERS
boost::fibers::context* FiberScheduler::enter(Fiber& next, bool ended) noexcept {
  exchange_exceptions(*running_, next);
  left_ = std::exchange(running_, &next);
  left_->sanitizer.leave(next.sanitizer, ended);
  return next.context;
}

void FiberScheduler::arrive() noexcept {
  if (Fiber* const former = std::exchange(left_, nullptr)) {
    running_->sanitizer.arrive(former->sanitizer);
  }
}

}  // namespace millrace::sim
