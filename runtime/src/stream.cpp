// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"
#include "stream_state.hpp"

#include <millrace/event.hpp>
#include <millrace/mention.hpp>
#include <millrace/stream.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <ostream>

namespace millrace {
namespace {

std::shared_ptr<const StreamState> make_stream(const StreamOptions& options, SourceLocation where) {
  const CallSite site = enter("Stream", where);
  Device device = options.device ? *options.device : current_device(where);
  const StreamDescription description{
      .device = device.index(),
      .priority = options.priority,
      .blocking = options.blocking,
      .name = options.name,
  };
  return std::make_shared<const StreamState>(std::move(device), description, site);
}

std::shared_ptr<const StreamState> find_stream(void* native, const Device& device,
                                               SourceLocation where) {
  const CallSite site = enter("ExternalStream", where);
  const Handle handle = device.backend().stream_from_native(native, device.index(), site);
  return std::make_shared<const StreamState>(device, handle, where);
}

/// The native handle as people read it.
std::string native_text(const StreamState& stream) {
  HostThread& thread = host_thread();
  const Errc last_error = thread.last_error;
  try {
    const CallSite look{"Stream::to_string", stream.made, true};
    void* const native = stream.device.backend().native_stream(stream.handle, look);
    return fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(native));
  } catch (const Error&) {
    thread.last_error = last_error;
    return "gone";
  }
}

}  // namespace

StreamState::StreamState(const Device& device_, const StreamDescription& description,
                         const CallSite& site)
    : device(device_),
      handle(device.backend().create_stream(description, site)),
      name(description.name),
      made(site.where),
      owned(true) {}

StreamState::~StreamState() {
  if (!owned) return;
  destroy_quietly(
      [this] { device.backend().destroy_stream(handle, destructor_site("~Stream", made)); });
}

std::string mention(const StreamState& stream) {
  return mention(stream.owned || stream.made.line != 0 ? "stream" : "default stream", stream.name,
                 stream.made);
}

Stream::Stream(SourceLocation where) : Stream(StreamOptions{}, where) {}

Stream::Stream(const Device& device, SourceLocation where)
    : Stream(StreamOptions{.device = device}, where) {}

Stream::Stream(const StreamOptions& options, SourceLocation where)
    : Stream(make_stream(options, where)) {}

ExternalStream::ExternalStream(void* native, const Device& device, SourceLocation where)
    : Stream(find_stream(native, device, where)) {}

bool Stream::query(SourceLocation where) const {
  return poll(state_->backend(), state_->handle, &Backend::query_stream, "Stream::query", where);
}

void Stream::synchronize(SourceLocation where) const {
  state_->backend().synchronize_stream(state_->handle, enter("Stream::synchronize", where));
}

void Stream::launch(Name name, const LaunchOptions& options, Task body,
                    SourceLocation where) const {
  state_->backend().launch(state_->handle, name, options, std::move(body),
                           enter("Stream::launch", where));
}

void Stream::call(Name name, const CallOptions& options, Task function,
                  SourceLocation where) const {
  state_->backend().call(state_->handle, name, options, std::move(function),
                         enter("Stream::call", where));
}

void Stream::add_callback(Name name, std::function<void(Errc)> callback,
                          SourceLocation where) const {
  state_->backend().add_callback(state_->handle, name, std::move(callback),
                                 enter("Stream::add_callback", where));
}

void Stream::copy(const Access& to, const Access& from, const TransferOptions& options,
                  SourceLocation where) const {
  state_->backend().copy(state_->handle, to, from, options, enter("Stream::copy", where));
}

void Stream::fill(const Access& region, std::uint8_t value, const TransferOptions& options,
                  SourceLocation where) const {
  state_->backend().fill(state_->handle, region, value, options, enter("Stream::fill", where));
}

Device Stream::device() const noexcept { return state_->device; }

int Stream::priority(SourceLocation where) const {
  return state_->backend().stream_priority(state_->handle, enter("Stream::priority", where));
}

bool Stream::is_capturing(SourceLocation where) const {
  return state_->backend().stream_is_capturing(state_->handle,
                                               enter("Stream::is_capturing", where));
}

CaptureInfo Stream::capture_info(SourceLocation where) const {
  return state_->backend().capture_info(state_->handle, enter("Stream::capture_info", where));
}

void* Stream::native_handle(SourceLocation where) const {
  return state_->backend().native_stream(state_->handle, enter("Stream::native_handle", where));
}

Backend& Stream::backend() const noexcept { return state_->device.backend(); }

Handle Stream::handle() const noexcept { return state_->handle; }

std::string Stream::to_string() const {
  std::string text = "<" + mention("Stream", state_->name);
  text.append(" device=").append(state_->device.to_string());
  return text.append(" handle=").append(native_text(*state_)).append(">");
}

bool operator==(const Stream& a, const Stream& b) noexcept {
  return a.state_->handle == b.state_->handle && a.state_->device == b.state_->device;
}

std::ostream& operator<<(std::ostream& out, const Stream& stream) {
  return out << stream.to_string();
}

Stream default_stream(const Device& device) {
  const Handle handle = device.backend().legacy_stream(device.index());
  return Stream(std::make_shared<const StreamState>(device, handle, SourceLocation{}));
}

Stream default_stream() { return default_stream(current_device()); }

Stream per_thread_stream(const Device& device) {
  const Handle handle = device.backend().per_thread_stream(device.index());
  return Stream(std::make_shared<const StreamState>(device, handle, SourceLocation{}));
}

Stream per_thread_stream() { return per_thread_stream(current_device()); }

Stream& current_stream_slot(const Device& device) {
  std::vector<Stream>& streams = host_thread().streams;
  for (Stream& stream : streams) {
    if (stream.state().device == device) return stream;
  }
  return streams.emplace_back(default_stream(device));
}

Stream current_stream(const Device& device) { return current_stream_slot(device); }

Stream current_stream() { return current_stream(current_device()); }

void set_stream(const Stream& stream, SourceLocation where) {
  enter("set_stream", where);
  make_current(stream);
}

void make_current(const Stream& stream) {
  current_stream_slot(stream.state().device) = stream;
  make_current(stream.state().device);
}

}  // namespace millrace

std::size_t std::hash<millrace::Stream>::operator()(const millrace::Stream& stream) const noexcept {
  const auto device = static_cast<std::size_t>(stream.state().device.index());
  return std::hash<millrace::Handle>{}(stream.handle()) * 31 + device;
}
