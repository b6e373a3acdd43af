// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Boost.Fiber's side of the host threads: who runs is asked of a policy; here are the switch
/// itself and what must follow a fiber beside its registers.

#include "fiber_sanitizer.hpp"

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/context.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace millrace::sim {

/// Address space of a host thread's stack, as generous as it is cheap: memory is taken at first
/// touch. A guard page lies below it.
inline constexpr std::size_t fiber_stack_bytes = std::size_t{1} << 20;

struct Fiber {
  boost::fibers::context* context = nullptr;
  /// The C++ runtime's record of exceptions in flight: it belongs to a flow of control, but lies in
  /// the operating-system thread.
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  } exceptions;
  FiberSanitizer sanitizer;
};

/// Decides who runs. Nothing here may throw.
class FiberPolicy {
 public:
  virtual ~FiberPolicy() = default;
  /// Who goes on; null: nobody can now.
  virtual Fiber* next() noexcept = 0;
  /// The running fiber leaves, and nobody said why: it has ended, or it yields or blocks in one of
  /// Boost.Fiber's own primitives.
  virtual void left(bool ended) noexcept = 0;
  /// A new fiber, or one that left, can run. `yielded`: it never blocked.
  virtual void woken(Fiber& fiber, bool yielded) noexcept = 0;
  /// A fiber that the program made by itself.
  virtual Fiber& adopt() noexcept = 0;
  /// It runs at once, before the one that made it goes on.
  virtual void dispatched(Fiber& fiber) noexcept = 0;
  /// `next` found nobody, and nothing outside will wake one up.
  virtual void nobody() noexcept = 0;
  [[nodiscard]] virtual bool any_ready() const noexcept = 0;
};

/// Runs the fibers of one operating-system thread as its policy says, while it is installed.
class FiberScheduler final : public boost::fibers::algo::algorithm {
 public:
  using Clock = std::chrono::steady_clock;  // style-ok: Boost.Fiber's interface names it

  /// `main` stands for the fiber that installs it; both must outlive the installation.
  FiberScheduler(FiberPolicy& policy, Fiber& main) : policy_(policy), main_(main) {}

  /// Takes over the calling thread. Fibers that were ready there wait until remove().
  void install();
  /// Gives the calling thread its default scheduling back. All fibers but `main` must have ended.
  void remove();

  /// Makes a fiber that runs `body`; it is woken at once. `body` must not throw.
  void start(Fiber& fiber, std::function<void()> body);
  /// Returns when the policy chose the caller again.
  void switch_to(Fiber& next);
  /// The same, but the policy is asked once more, after what others woke meanwhile.
  void switch_away();

  void awakened(boost::fibers::context* context) noexcept override;
  boost::fibers::context* pick_next() noexcept override;
  [[nodiscard]] bool has_ready_fibers() const noexcept override;
  void suspend_until(Clock::time_point const& at) noexcept override;
  void notify() noexcept override {}

 private:
  void notice_dispatch() noexcept;
  Fiber& fiber_of(boost::fibers::context& context);
  boost::fibers::context* enter(Fiber& next, bool ended) noexcept;
  void arrive() noexcept;

  FiberPolicy& policy_;
  Fiber& main_;
  Fiber dispatcher_;  // Boost's own fiber: frees ended ones, and drives when none can run
  Fiber* running_ = nullptr;
  Fiber* left_ = nullptr;    // who ran before
  Fiber* chosen_ = nullptr;  // whom switch_to wants
  bool handing_over_ = false;
  std::vector<boost::fibers::context*> foreign_;  // ready before install()
};

}  // namespace millrace::sim
