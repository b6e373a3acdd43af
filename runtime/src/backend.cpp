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
constexpr std::string_view callbacks = "a callback that is told of faults";
constexpr std::string_view events_between_processes = "sharing events with other processes";
constexpr std::string_view asynchronous_waiting = "waiting without blocking";
constexpr std::string_view stream_ordered_memory = "stream-ordered memory";
constexpr std::string_view memory_pools = "memory pools";
constexpr std::string_view free_memory = "asking for free memory";
constexpr std::string_view stream_memory_operations = "waiting for flags in stream order";
constexpr std::string_view capture = "graph capture";
constexpr std::string_view graphs = "graphs";

}  // namespace

IpcEventHandle Backend::export_event(Handle, const CallSite& site) {
  not_supported(*this, events_between_processes, site);
}
Handle Backend::import_event(int, const IpcEventHandle&, Name, const CallSite& site) {
  not_supported(*this, events_between_processes, site);
}

std::unique_ptr<BackendWait> Backend::begin_wait(Handle, const CallSite& site) {
  not_supported(*this, asynchronous_waiting, site);
}
void Backend::post(Task, const CallSite& site) { not_supported(*this, asynchronous_waiting, site); }

void Backend::fault(Handle, Errc, const CallSite& site) { not_supported(*this, faults, site); }

// Backends keep the callback. NOLINTNEXTLINE(performance-unnecessary-value-param)
void Backend::add_callback(Handle, Name, std::function<void(Errc)>, const CallSite& site) {
  not_supported(*this, callbacks, site);
}

Allocation Backend::allocate_async(Handle, const MemoryDescription&, const CallSite& site) {
  not_supported(*this, stream_ordered_memory, site);
}
void Backend::free_async(Handle, Handle, const CallSite& site) {
  not_supported(*this, stream_ordered_memory, site);
}

MemoryInfo Backend::memory_info(int, const CallSite& site) {
  not_supported(*this, free_memory, site);
}

Handle Backend::create_memory_pool(const MemoryPoolDescription&, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}
void Backend::destroy_memory_pool(Handle, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}
Handle Backend::default_memory_pool(int, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}
Handle Backend::current_memory_pool(int, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}
void Backend::set_memory_pool(Handle, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}
MemoryPoolInfo Backend::memory_pool_info(Handle, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}
void Backend::configure_memory_pool(Handle, const PoolSettings&, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}
void Backend::reset_memory_pool_peaks(Handle, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}
void Backend::trim_memory_pool(Handle, std::uint64_t, const CallSite& site) {
  not_supported(*this, memory_pools, site);
}

Handle Backend::create_flag(Name, const CallSite& site) {
  not_supported(*this, stream_memory_operations, site);
}
void Backend::destroy_flag(Handle, const CallSite& site) {
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
void Backend::begin_capture_to_graph(Handle, Handle, std::span<const NodeId>, CaptureMode,
                                     const CallSite& site) {
  not_supported(*this, capture, site);
}
Handle Backend::end_capture(Handle, Name, const CallSite& site) {
  not_supported(*this, capture, site);
}
CaptureInfo Backend::capture_info(Handle, const CallSite& site) {
  not_supported(*this, capture, site);
}
CaptureMode Backend::exchange_capture_mode(CaptureMode, const CallSite& site) {
  not_supported(*this, capture, site);
}

Handle Backend::create_graph(int, Name, const CallSite& site) {
  not_supported(*this, graphs, site);
}
AddedNode Backend::add_node(Handle, std::span<const NodeId>, NodeWork, const CallSite& site) {
  not_supported(*this, graphs, site);
}
void Backend::add_dependency(Handle, NodeId, NodeId, const CallSite& site) {
  not_supported(*this, graphs, site);
}
GraphInfo Backend::graph_info(Handle, const CallSite& site) { not_supported(*this, graphs, site); }
void Backend::destroy_graph(Handle, const CallSite& site) { not_supported(*this, graphs, site); }
Handle Backend::instantiate_graph(Handle, const CallSite& site) {
  not_supported(*this, graphs, site);
}
void Backend::update_graph(Handle, Handle, const CallSite& site) {
  not_supported(*this, graphs, site);
}
void Backend::destroy_executable(Handle, const CallSite& site) {
  not_supported(*this, graphs, site);
}
void Backend::launch_graph(Handle, Handle, const CallSite& site) {
  not_supported(*this, graphs, site);
}

}  // namespace millrace
