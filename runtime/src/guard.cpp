// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"

#include <millrace/guard.hpp>

namespace millrace {

DeviceGuard::DeviceGuard(const Device& device, SourceLocation where)
    : former_(current_device(where)), former_of_type_(last_device_of(device.shared_backend())) {
  set_device(device, where);
}

DeviceGuard::~DeviceGuard() {
  make_current(former_of_type_);
  make_current(former_);
}

StreamGuard::StreamGuard(const Stream& stream, SourceLocation where) {
  scope_.emplace(stream, where);
}

StreamGuard::StreamGuard(const std::optional<Stream>& stream, SourceLocation where) {
  if (stream) scope_.emplace(*stream, where);
}

StreamGuard::Scope::Scope(const Stream& stream, SourceLocation where)
    : device(stream.device(), where), former(current_stream(stream.device())) {
  make_current(stream);
}

StreamGuard::Scope::~Scope() { make_current(former); }

}  // namespace millrace
