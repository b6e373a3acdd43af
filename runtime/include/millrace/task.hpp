// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// `Task`: what an operation does when it executes.

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace millrace {

/// A callable without arguments, held by value and called at most once per execution. Move-only;
/// callables of up to 48 bytes with a noexcept move are stored without an allocation. A callable
/// that is null (a function pointer, a std::function) makes an empty task.
class Task {
 public:
  static constexpr std::size_t inline_size = 48;

  Task() = default;
  Task(std::nullptr_t) {}                        // NOLINT(google-explicit-constructor)
  Task(void (&function)()) : Task(&function) {}  // NOLINT(google-explicit-constructor)

  template <typename F>
    requires(std::is_object_v<std::remove_reference_t<F>> &&
             !std::same_as<std::remove_cvref_t<F>, Task> && std::invocable<std::decay_t<F>&>)
  Task(F&& function) {  // NOLINT: a task is a callable, and no Task comes here
    using Callable = std::decay_t<F>;
    if constexpr (may_be_null<Callable>) {
      if (function == nullptr) return;
    }
    if constexpr (fits_inline<Callable>) {
      ::new (storage_) Callable(std::forward<F>(function));
      actions_ = &inline_actions<Callable>;
    } else {
      ::new (storage_) Callable*(new Callable(std::forward<F>(function)));
      actions_ = &heap_actions<Callable>;
    }
  }

  Task(Task&& other) noexcept { take(other); }
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { reset(); }

  explicit operator bool() const { return actions_ != nullptr; }
  void operator()() { actions_->call(storage_); }

  void reset() noexcept {
    if (actions_ != nullptr) actions_->destroy(storage_);
    actions_ = nullptr;
  }

 private:
  struct Actions {
    void (*call)(void*);
    void (*move)(void* to, void* from) noexcept;
    void (*destroy)(void*) noexcept;
  };

  /// Not lambdas without captures: they compare with nullptr only because they convert to function
  /// pointers, which are never null.
  template <typename F>
  static constexpr bool may_be_null = !std::is_empty_v<F> && requires(const F& function) {
    { function == nullptr } -> std::convertible_to<bool>;
  };

  template <typename F>
  static constexpr bool fits_inline = std::is_nothrow_move_constructible_v<F> &&
                                      sizeof(F) <= inline_size && alignof(F) <= alignof(void*);

  template <typename F>
  static constexpr Actions inline_actions{
      [](void* self) { static_cast<void>((*static_cast<F*>(self))()); },
      [](void* to, void* from) noexcept {
        ::new (to) F(std::move(*static_cast<F*>(from)));
        static_cast<F*>(from)->~F();
      },
      [](void* self) noexcept { static_cast<F*>(self)->~F(); }};

  template <typename F>
  static constexpr Actions heap_actions{
      [](void* self) { static_cast<void>((**static_cast<F**>(self))()); },
      [](void* to, void* from) noexcept { ::new (to) F*(*static_cast<F**>(from)); },
      [](void* self) noexcept { delete *static_cast<F**>(self); }};

  void take(Task& other) noexcept {
    actions_ = std::exchange(other.actions_, nullptr);
    if (actions_ != nullptr) actions_->move(storage_, other.storage_);
  }

  const Actions* actions_ = nullptr;
  alignas(void*) std::byte storage_[inline_size];
};

}  // namespace millrace
