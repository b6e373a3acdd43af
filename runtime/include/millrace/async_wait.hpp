// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Waiting for events and streams with Boost.Asio: callbacks, futures, `co_await`. Needs the
/// headers of Boost.Asio 1.81 or newer.

#include <millrace/event.hpp>
#include <millrace/pending_wait.hpp>
#include <millrace/stream.hpp>
#include <millrace/system_error.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <list>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace millrace {

namespace async_wait_detail {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

/// One async_wait, whatever its handler.
class Operation : public std::enable_shared_from_this<Operation> {
 public:
  explicit Operation(PendingWait&& wait) : wait_(std::move(wait)) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

 protected:
  PendingWait& wait() { return wait_; }
  /// What the handler is told; calls the runtime.
  ErrorCode result();

 private:
  friend class Undecided;
  /// Brings the handler's call to where it belongs.
  virtual void post() = 0;

  PendingWait wait_;
  bool is_cancelled_ = false;
  std::list<std::shared_ptr<Operation>>::iterator place_;
};

/// The operations that are neither over nor cancelled. They belong to an execution context, which
/// takes them with it when it goes: posting and that exclude each other.
class Undecided {
 public:
  void add(const std::shared_ptr<Operation>& operation) {
    const std::lock_guard lock(mutex_);
    operation->place_ = operations_.insert(operations_.end(), operation);
  }
  /// The first decision counts.
  void decide(Operation& operation, bool is_cancelled) {
    std::shared_ptr<Operation> keep;  // it may go with this, and must not under the lock
    const std::lock_guard lock(mutex_);
    if (operation.place_ == operations_.end()) return;
    keep = std::move(*operation.place_);
    operations_.erase(std::exchange(operation.place_, operations_.end()));
    operation.is_cancelled_ = is_cancelled;
    operation.post();
  }
  void drop() {
    std::list<std::shared_ptr<Operation>> dropped;
    const std::lock_guard lock(mutex_);
    for (const auto& operation : operations_) operation->place_ = operations_.end();
    dropped.swap(operations_);
  }

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<Operation>> operations_;
};

class UndecidedService final : public asio::execution_context::service {
 public:
  inline static asio::execution_context::id id;

  explicit UndecidedService(asio::execution_context& context) : service(context) {}
  [[nodiscard]] const std::shared_ptr<Undecided>& operations() const { return operations_; }

 private:
  void shutdown() override { operations_->drop(); }

  std::shared_ptr<Undecided> operations_ = std::make_shared<Undecided>();
};

inline ErrorCode Operation::result() {
  if (is_cancelled_) return asio::error::operation_aborted;
  try {
    wait_.finish();
    return {};
  } catch (const Error& error) {
    return error.code();
  }
}

/// The executor of handlers that have none: they run where PendingWait::post lets them.
struct NoExecutor {};

/// Keeps the handler's execution context at work, and knows what else belongs to it.
template <typename Executor>
class Home {
 public:
  explicit Home(const Executor& executor) : work_(executor) {}

  std::shared_ptr<Undecided> operations() {
    asio::execution_context& context = asio::query(work_.get_executor(), asio::execution::context);
    return asio::use_service<UndecidedService>(context).operations();
  }
  template <typename Function>
  void post(PendingWait&, Function&& function) {
    asio::post(work_.get_executor(), std::forward<Function>(function));
  }

 private:
  asio::executor_work_guard<Executor> work_;
};

template <>
class Home<NoExecutor> {
 public:
  explicit Home(NoExecutor) {}

  static std::shared_ptr<Undecided> operations() { return std::make_shared<Undecided>(); }
  template <typename Function>
  static void post(PendingWait& wait, Function&& function) {
    wait.post(std::forward<Function>(function));
  }
};

template <typename Handler>
class HandlerOperation final : public Operation {
 public:
  template <typename Given>
  HandlerOperation(PendingWait&& wait, Given&& handler)
      : Operation(std::move(wait)),
        handler_(std::forward<Given>(handler)),
        home_(asio::associated_executor<Handler, NoExecutor>::get(handler_, NoExecutor{})),
        operations_(home_.operations()) {}

  void start() {
    operations_->add(shared_from_this());
    if (auto slot = asio::get_associated_cancellation_slot(handler_); slot.is_connected()) {
      slot.assign(
          [weak = weak_from_this(), operations = operations_](asio::cancellation_type type) {
            const auto self = weak.lock();
            if (self && type != asio::cancellation_type::none) operations->decide(*self, true);
          });
    }
    wait().notify([weak = weak_from_this(), operations = operations_] {
      if (const auto self = weak.lock()) operations->decide(*self, false);
    });
  }

 private:
  using Executor = asio::associated_executor_t<Handler, NoExecutor>;

  void post() override {
    auto self = std::static_pointer_cast<HandlerOperation>(shared_from_this());
    const auto allocator = asio::get_associated_allocator(handler_);
    home_.post(wait(), asio::bind_allocator(allocator, [self = std::move(self)] { self->call(); }));
  }
  void call() {
    if (auto slot = asio::get_associated_cancellation_slot(handler_); slot.is_connected()) {
      slot.clear();
    }
    const ErrorCode error = result();
    std::move(handler_)(error);
  }

  Handler handler_;
  Home<Executor> home_;
  std::shared_ptr<Undecided> operations_;
};

/// What starts once the token has become a handler.
struct Initiation {
  SourceLocation where;

  template <typename Handler, typename Waited>
  void operator()(Handler&& handler, const Waited& waited) const {
    using Own = HandlerOperation<std::decay_t<Handler>>;
    const auto allocator = asio::get_associated_allocator(handler);
    std::allocate_shared<Own>(allocator, PendingWait(waited, where), std::forward<Handler>(handler))
        ->start();
  }
};

}  // namespace async_wait_detail

/// Completes when the latest record of `event` at this call is complete, or the work that `stream`
/// has now is done. Any completion token does; its signature is void(boost::system::error_code).
/// The code is what `synchronize` would have answered, as an Errc: the sticky error after a fault,
/// InvalidResourceHandle when the run has ended before. The handler's calls are ordered behind the
/// work as behind `synchronize`.
///
/// A lazy token, like use_awaitable, begins the wait when it starts it, and keeps what it is for.
/// Inside an operation's body async_wait throws Error{NotPermitted}.
///
/// The handler runs on its associated executor, never inside this call, exactly once; a handler
/// without executor runs on a host thread that the run has for them, outside of runs on one of the
/// runtime, and what it throws leaves sim::run, or reaches the next thread that waits for a device.
/// An execution context that goes takes its handlers with it, uncalled; a run takes those without
/// executor. Per-operation cancellation of any type completes it with operation_aborted; the work
/// itself goes on. For a timeout, wait for a timer too and cancel what is late.
///
/// Inside sim::run, run the io_context with sim::run_context (sim_asio.hpp), which lets virtual
/// time go on; io_context::run would block all host threads, and so would a std::future. There, a
/// handler on an executor of other threads than the run's is told NotPermitted, and nothing else
/// may cancel from such a thread.
template <boost::asio::completion_token_for<void(boost::system::error_code)> Token>
auto async_wait(const Event& event, Token&& token,
                SourceLocation where = SourceLocation::current()) {
  return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
      async_wait_detail::Initiation{where}, token, event);
}
template <boost::asio::completion_token_for<void(boost::system::error_code)> Token>
auto async_wait(const Stream& stream, Token&& token,
                SourceLocation where = SourceLocation::current()) {
  return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
      async_wait_detail::Initiation{where}, token, stream);
}

}  // namespace millrace
