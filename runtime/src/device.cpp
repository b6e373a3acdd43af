// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"
#include "registry.hpp"

#include <millrace/device.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <ostream>

namespace millrace {
namespace {

/// All of `text` as a whole number; too large ones are too large for any device.
std::optional<int> parse_index(std::string_view text) {
  int index = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, index);
  if (stop != end || text.empty() || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc::result_out_of_range ? -1 : index;
}

/// A device by its text, which was found in `origin` ("" if the caller gave it).
class DeviceText {
 public:
  DeviceText(std::string_view text, std::string_view origin, const CallSite& site)
      : text_(text), origin_(origin), site_(site) {}

  [[nodiscard]] Device resolve() const {
    const std::size_t colon = text_.find(':');
    const std::string_view type = text_.substr(0, colon);
    if (type.empty()) fail(Errc::InvalidValue, malformed);
    std::shared_ptr<Backend> backend = find_backend(type);
    if (backend == nullptr) fail(Errc::InvalidDevice, no_backend_text(type));
    if (colon == std::string_view::npos) return last_device_of(backend);
    const int index = index_in(*backend, text_.substr(colon + 1));
    return Device(std::move(backend), index);
  }

 private:
  static constexpr std::string_view malformed = "a device is written TYPE:INDEX or TYPE";

  [[nodiscard]] int index_in(const Backend& backend, std::string_view text) const {
    const std::optional<int> index = parse_index(text);
    if (!index) fail(Errc::InvalidValue, malformed);
    const int count = backend.device_count();
    if (*index >= 0 && *index < count) return *index;
    std::string reason(backend.type());
    reason.append(" has ").append(std::to_string(count));
    fail(Errc::InvalidDevice, reason.append(count == 1 ? " device" : " devices"));
  }

  [[noreturn]] void fail(Errc code, std::string_view why) const {
    std::string reason(origin_);
    reason.append("device '").append(text_).append("': ").append(why);
    throw Error(code, site_.call, reason, site_.where);
  }

  std::string_view text_;
  std::string_view origin_;
  const CallSite& site_;
};

Device initial_device(const CallSite& site) {
  if (const auto& backend = host_thread().backend) return Device(backend, 0);
  const char* const wish = std::getenv("MILLRACE_DEVICE");
  if (wish != nullptr && *wish != '\0') {
    return DeviceText(wish, "environment variable MILLRACE_DEVICE: ", site).resolve();
  }
  return DeviceText(device_count("cuda") > 0 ? "cuda:0" : "sim:0", "", site).resolve();
}

}  // namespace

Device::Device(std::string_view text, SourceLocation where)
    : Device(DeviceText(text, "", enter("Device", where)).resolve()) {}

void Device::synchronize(SourceLocation where) const {
  backend_->synchronize_device(index_, enter("Device::synchronize", where));
}

void Device::reset(SourceLocation where) const {
  backend_->reset_device(index_, enter("Device::reset", where));
}

MemoryInfo Device::memory_info(SourceLocation where) const {
  return backend_->memory_info(index_, enter("Device::memory_info", where));
}

std::string Device::to_string() const {
  return std::string(type()).append(":").append(std::to_string(index_));
}

std::ostream& operator<<(std::ostream& out, const Device& device) {
  return out << device.to_string();
}

Device current_device(SourceLocation where) {
  HostThread& thread = host_thread();
  if (thread.devices.empty()) {
    thread.devices.push_back(initial_device(CallSite{"current_device", where}));
  }
  return thread.devices.front();
}

Device last_device_of(const std::shared_ptr<Backend>& backend) {
  for (const Device& device : host_thread().devices) {
    if (device.shared_backend() == backend) return device;
  }
  return Device(backend, 0);
}

void set_device(const Device& device, SourceLocation where) {
  enter("set_device", where);
  make_current(device);
}

void make_current(const Device& device) {
  std::vector<Device>& devices = host_thread().devices;
  const auto same_backend = [&](const Device& other) {
    return &other.backend() == &device.backend();
  };
  auto found = std::find_if(devices.begin(), devices.end(), same_backend);
  if (found == devices.end()) {
    found = devices.insert(found, device);
  } else {
    *found = device;
  }
  std::rotate(devices.begin(), found, found + 1);
}

int device_count(std::string_view type) noexcept {
  try {
    const std::shared_ptr<Backend> backend = find_backend(type);
    return backend == nullptr ? 0 : backend->device_count();
  } catch (...) {
    return 0;  // a backend that cannot start offers nothing
  }
}

}  // namespace millrace
