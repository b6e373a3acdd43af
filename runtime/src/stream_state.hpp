// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the copies of a Stream share.

#include <millrace/device.hpp>
#include <millrace/name.hpp>

#include <string>

namespace millrace {

/// A stream that someone else ends: a default or an external one.
struct StreamState {
  StreamState(const Device& device_, Handle handle_, SourceLocation made_)
      : device(device_), handle(handle_), made(made_) {}
  /// A stream that is made now and destroyed at the end.
  StreamState(const Device& device_, const StreamDescription& description, const CallSite& site);
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  [[nodiscard]] Backend& backend() const noexcept { return device.backend(); }

  Device device;
  Handle handle;
  Name name;
  SourceLocation made;
  bool owned = false;
};

/// "stream 'copy' (made at app.cpp:9)"
std::string mention(const StreamState& stream);

}  // namespace millrace
