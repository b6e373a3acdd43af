// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Devices: `sim:0`, `cuda:0`, and the current one of each host thread.

#include <millrace/backend.hpp>

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

/// One device of one backend. A small value, never empty; equality is identity.
/// Thread-safe: all members are const.
class Device {
 public:
  /// "TYPE:INDEX", or "TYPE" for the current thread's device of that type (its index 0 until set).
  /// Throws Error{InvalidDevice} for a type that is not linked or an index that does not exist,
  /// Error{InvalidValue} for text of another form.
  Device(std::string_view text,  // NOLINT(google-explicit-constructor)
         SourceLocation where = SourceLocation::current());
  Device(const char* text,  // NOLINT(google-explicit-constructor)
         SourceLocation where = SourceLocation::current())
      : Device(std::string_view(text), where) {}
  Device(std::shared_ptr<Backend> backend, int index)
      : backend_(std::move(backend)), index_(index) {}
  Device(const Device&) noexcept = default;
  Device& operator=(const Device&) noexcept = default;
  ~Device() = default;

  /// Returns when all work that was enqueued on the device before this call is done.
  void synchronize(SourceLocation where = SourceLocation::current()) const;
  /// Cancels pending work, frees the device's memory, destroys its streams, events and graphs.
  void reset(SourceLocation where = SourceLocation::current()) const;
  [[nodiscard]] DeviceProperties properties() const { return backend_->properties(index_); }
  /// What of its memory is free now; what pools have reserved is not.
  [[nodiscard]] MemoryInfo memory_info(SourceLocation where = SourceLocation::current()) const;

  [[nodiscard]] std::string_view type() const noexcept { return backend_->type(); }
  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] std::string to_string() const;  ///< e.g. "sim:0"
  [[nodiscard]] Backend& backend() const noexcept { return *backend_; }
  [[nodiscard]] const std::shared_ptr<Backend>& shared_backend() const noexcept { return backend_; }

  friend bool operator==(const Device& a, const Device& b) noexcept {
    return a.backend_ == b.backend_ && a.index_ == b.index_;
  }

 private:
  std::shared_ptr<Backend> backend_;
  int index_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Device& device);

/// The current device of this host thread. Until one is set: inside sim::run "sim:0"; else what
/// MILLRACE_DEVICE says; else "cuda:0" where there is one; else "sim:0". Throws as Device's
/// constructor when that device does not exist.
Device current_device(SourceLocation where = SourceLocation::current());
/// Makes `device` the current one of this host thread.
void set_device(const Device& device, SourceLocation where = SourceLocation::current());
/// How many devices that type has; 0 for a type that is not linked.
int device_count(std::string_view type) noexcept;

}  // namespace millrace
