// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"
#include "registry.hpp"

#include <millrace/backend.hpp>

namespace millrace {
namespace {

[[noreturn]] void not_supported(const Backend& backend, std::string_view capability,
                                const CallSite& site) {
  std::string reason(capability);
  reason.append(" is not supported by backend ").append(backend.type());
  throw Error(Errc::NotSupported, site.call, reason, site.where);
}

constexpr std::string_view faults = "a kernel that faults";
constexpr std::string_view stream_ordered_memory = "stream-ordered memory";
constexpr std::string_view stream_memory_operations = "waiting for flags in stream order";
constexpr std::string_view capture = "graph capture";

}  // namespace

void Backend::fault(Handle, Errc, const CallSite& site) { not_supported(*this, faults, site); }

Allocation Backend::allocate_async(Handle, const MemoryDescription&, const CallSite& site) {
  not_supported(*this, stream_ordered_memory, site);
}
void Backend::free_async(Handle, Handle, const CallSite& site) {
  not_supported(*this, stream_ordered_memory, site);
}

Handle Backend::create_flag(Name, const CallSite& site) {
  not_supported(*this, stream_memory_operations, site);
}
void Backend::set_flag(Handle, Handle, std::uint32_t, const CallSite& site) {
  not_supported(*this, stream_memory_operations, site);
}
void Backend::await_flag(Handle, Handle, FlagCondition, std::uint32_t, const CallSite& site) {
  not_supported(*this, stream_memory_operations, site);
}

void Backend::begin_capture(Handle, CaptureMode, const CallSite& site) {
  not_supported(*this, capture, site);
}
Handle Backend::end_capture(Handle, Name, const CallSite& site) {
  not_supported(*this, capture, site);
}
void Backend::launch_graph(Handle, Handle, const CallSite& site) {
  not_supported(*this, capture, site);
}
void Backend::destroy_graph(Handle, const CallSite& site) { not_supported(*this, capture, site); }

}  // namespace millrace
