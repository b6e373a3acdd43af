// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Tells AddressSanitizer and ThreadSanitizer, where the build has one of them, on which stack the
/// program runs. Otherwise nothing.

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MILLRACE_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define MILLRACE_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MILLRACE_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define MILLRACE_THREAD_SANITIZER 1
#endif

#if defined(MILLRACE_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(MILLRACE_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

/// Functions that switch must neither note their entry nor their exit.
#if defined(MILLRACE_THREAD_SANITIZER) && defined(__clang__)
#define MILLRACE_SWITCHES_FIBERS __attribute__((disable_sanitizer_instrumentation))
#elif defined(MILLRACE_THREAD_SANITIZER)
#define MILLRACE_SWITCHES_FIBERS __attribute__((no_sanitize("thread")))
#else
#define MILLRACE_SWITCHES_FIBERS
#endif

namespace millrace::sim {

class FiberSanitizer {
 public:
  /// The memory that the fiber runs in; not needed for the one that the thread started with.
  void set_stack(void* bottom, std::size_t bytes) noexcept {
    bottom_ = bottom;
    bytes_ = bytes;
  }

#if defined(MILLRACE_ADDRESS_SANITIZER)
  /// This fiber's last act before `next` runs. `ended`: it will not run again.
  void leave(FiberSanitizer& next, bool ended) noexcept {
    __sanitizer_start_switch_fiber(ended ? nullptr : &fake_stack_, next.bottom_, next.bytes_);
  }
  /// Its first act when it runs again; `former` ran before.
  void arrive(FiberSanitizer& former) noexcept {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &bytes);
    former.bottom_ = bottom;
    former.bytes_ = bytes;
  }
#elif defined(MILLRACE_THREAD_SANITIZER)
  ~FiberSanitizer() {
    if (is_made_) __tsan_destroy_fiber(context_);
  }
  FiberSanitizer() = default;
  FiberSanitizer(const FiberSanitizer&) = delete;
  FiberSanitizer& operator=(const FiberSanitizer&) = delete;

  MILLRACE_SWITCHES_FIBERS void leave(FiberSanitizer& next, bool) noexcept {
    if (context_ == nullptr) context_ = __tsan_get_current_fiber();
    if (next.context_ == nullptr) {
      next.context_ = __tsan_create_fiber(0);
      next.is_made_ = true;
    }
    __tsan_switch_to_fiber(next.context_, 0);
  }
  void arrive(FiberSanitizer&) noexcept {}
#else
  void leave(FiberSanitizer&, bool) noexcept {}
  void arrive(FiberSanitizer&) noexcept {}
#endif

 private:
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
#if defined(MILLRACE_ADDRESS_SANITIZER)
  void* fake_stack_ = nullptr;
#elif defined(MILLRACE_THREAD_SANITIZER)
  void* context_ = nullptr;
  bool is_made_ = false;
#endif
};

/// A stack that is used again: nothing on it is off limits.
inline void forget_stack(void* bottom, std::size_t bytes) noexcept {
#if defined(MILLRACE_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(bottom, bytes);
#else
  static_cast<void>(bottom);
  static_cast<void>(bytes);
#endif
}

}  // namespace millrace::sim
