// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Guards: a current device or stream for a scope.

#include <millrace/device.hpp>
#include <millrace/stream.hpp>

#include <optional>

namespace millrace {

/// Makes a device current until the end of the scope, then the former one again.
class DeviceGuard {
 public:
  [[nodiscard]] explicit DeviceGuard(const Device& device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  Device former_;
};

/// Makes a stream, and with it its device, current until the end of the scope; then restores the
/// device that was current and the stream that was current on the guarded stream's device. The
/// state to restore is kept in the guard, so guards nest in any order of streams and devices.
class StreamGuard {
 public:
  [[nodiscard]] explicit StreamGuard(const Stream& stream);
  /// No stream: does nothing, as PyTorch's `with None`.
  [[nodiscard]] explicit StreamGuard(const std::optional<Stream>& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  struct Former {
    Device device;
    Stream stream;
  };
  std::optional<Former> former_;
};

}  // namespace millrace
