// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"

#include <millrace/memory_pool.hpp>
#include <millrace/mention.hpp>

namespace millrace {

struct MemoryPool::State {
  State(const Device& device_, const MemoryPoolDescription& description, const CallSite& site)
      : device(device_),
        name(description.name),
        made(site.where),
        handle(device.backend().create_memory_pool(description, site)) {}
  /// One that others keep.
  State(const Device& device_, Handle handle_, const CallSite& site)
      : State(device_, handle_, device_.backend().memory_pool_info(handle_, site)) {}
  ~State() {
    if (!owned) return;
    destroy_quietly([this] {
      device.backend().destroy_memory_pool(handle, CallSite{"~MemoryPool", made});
    });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Device device;
  Name name;
  SourceLocation made{};
  Handle handle;
  bool owned = true;

 private:
  State(const Device& device_, Handle handle_, const MemoryPoolInfo& info)
      : device(device_), name(info.name), made(info.made), handle(handle_), owned(false) {}
};

MemoryPool::MemoryPool(SourceLocation where) : MemoryPool(MemoryPoolOptions{}, where) {}

MemoryPool::MemoryPool(const MemoryPoolOptions& options, SourceLocation where) {
  const CallSite site = enter("MemoryPool", where);
  Device device = options.device ? *options.device : current_device(where);
  const MemoryPoolDescription description{
      .device = device.index(),
      .settings = options.settings,
      .largest_bytes = options.largest_bytes,
      .name = options.name,
  };
  state_ = std::make_shared<const State>(std::move(device), description, site);
}

PoolSettings MemoryPool::settings(SourceLocation where) const {
  const CallSite site = enter("MemoryPool::settings", where);
  return state_->device.backend().memory_pool_info(state_->handle, site).settings;
}

void MemoryPool::set_settings(const PoolSettings& settings, SourceLocation where) const {
  state_->device.backend().configure_memory_pool(state_->handle, settings,
                                                 enter("MemoryPool::set_settings", where));
}

PoolStats MemoryPool::stats(SourceLocation where) const {
  const CallSite site = enter("MemoryPool::stats", where);
  return state_->device.backend().memory_pool_info(state_->handle, site).stats;
}

void MemoryPool::reset_peak_stats(SourceLocation where) const {
  state_->device.backend().reset_memory_pool_peaks(state_->handle,
                                                   enter("MemoryPool::reset_peak_stats", where));
}

void MemoryPool::trim_to(std::uint64_t bytes_to_keep, SourceLocation where) const {
  state_->device.backend().trim_memory_pool(state_->handle, bytes_to_keep,
                                            enter("MemoryPool::trim_to", where));
}

Device MemoryPool::device() const noexcept { return state_->device; }

std::string MemoryPool::mention() const {
  return millrace::mention("pool", state_->name, state_->made);
}

Handle MemoryPool::handle_for(const Device& device, const CallSite& site) const {
  if (device.shared_backend() == state_->device.shared_backend()) return state_->handle;
  throw Error(Errc::InvalidValue, site.call,
              mention() + " belongs to another backend than " + device.to_string(), site.where);
}

bool operator==(const MemoryPool& a, const MemoryPool& b) noexcept {
  return a.state_->handle == b.state_->handle && a.state_->device == b.state_->device;
}

MemoryPool default_memory_pool(const Device& device, SourceLocation where) {
  const CallSite site = enter("default_memory_pool", where);
  const Handle handle = device.backend().default_memory_pool(device.index(), site);
  return MemoryPool(std::make_shared<const MemoryPool::State>(device, handle, site));
}

MemoryPool default_memory_pool(SourceLocation where) {
  return default_memory_pool(current_device(where), where);
}

MemoryPool current_memory_pool(const Device& device, SourceLocation where) {
  const CallSite site = enter("current_memory_pool", where);
  const Handle handle = device.backend().current_memory_pool(device.index(), site);
  return MemoryPool(std::make_shared<const MemoryPool::State>(device, handle, site));
}

MemoryPool current_memory_pool(SourceLocation where) {
  return current_memory_pool(current_device(where), where);
}

void set_memory_pool(const MemoryPool& pool, SourceLocation where) {
  const CallSite site = enter("set_memory_pool", where);
  const Device device = pool.device();
  device.backend().set_memory_pool(pool.handle_for(device, site), site);
}

}  // namespace millrace
