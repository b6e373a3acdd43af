// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Guards: a current device or stream for a scope.

#include <millrace/device.hpp>
#include <millrace/stream.hpp>

#include <optional>

namespace millrace {

/// Makes a device current until the end of the scope, then the former one again. The state to
/// restore is kept in the guard, so guards nest in any order of devices.
class DeviceGuard {
 public:
  [[nodiscard]] explicit DeviceGuard(const Device& device,
                                     SourceLocation where = SourceLocation::current());
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  Device former_;
  Device former_of_type_;  ///< what Device{"TYPE"} meant before
};

/// Makes a stream, and with it its device, current until the end of the scope; then restores the
/// device that was current and the stream that was current on the guarded stream's device.
class StreamGuard {
 public:
  [[nodiscard]] explicit StreamGuard(const Stream& stream,
                                     SourceLocation where = SourceLocation::current());
  /// No stream: does nothing, as PyTorch's `with None`.
  [[nodiscard]] explicit StreamGuard(const std::optional<Stream>& stream,
                                     SourceLocation where = SourceLocation::current());
  ~StreamGuard() = default;
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  struct Scope {
    Scope(const Stream& stream, SourceLocation where);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    DeviceGuard device;
    Stream former;
  };
  std::optional<Scope> scope_;
};

}  // namespace millrace
