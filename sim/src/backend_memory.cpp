// SPDX-License-Identifier: Apache-2.0
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

namespace millrace::sim {
namespace {

constexpr std::uint64_t largest_backed = std::uint64_t{1}
                                         << 40;  // bounded before the host is asked

std::byte* zeroed(std::uint64_t bytes) {
  if (bytes > largest_backed) return nullptr;
  return static_cast<std::byte*>(std::calloc(bytes == 0 ? 1 : bytes, 1));
}

}  // namespace

/// Which of a device's bytes an allocation gets.
struct SimBackend::Block {
  std::uint64_t address = 0;
  std::size_t pool = no_index;
};

Bytes SimBackend::host_bytes(const MemoryDescription& description, const Call& call) const {
  Bytes data(description.backed ? zeroed(description.bytes) : nullptr);
  if (description.backed && data == nullptr) {
    fail(Errc::MemoryAllocation, call,
         "there is no room for the " + std::to_string(description.bytes) + " bytes of " +
             mention("memory", description.name) + " on this computer");
  }
  return data;
}

/// The device's own; none for memory of the host.
SimBackend::Block SimBackend::plain_block(const MemoryDescription& description, const Call& call) {
  const bool on_device = description.kind == MemoryKind::device;
  if (!on_device && description.kind != MemoryKind::managed) return {};
  DeviceRecord& record = devices_[static_cast<std::size_t>(description.device)];
  if (on_device && !make_room(description.device, description.bytes)) {
    refuse_room(description.device, description.bytes, mention("memory", description.name), call);
  }
  if (on_device) record.used_bytes += description.bytes;
  return {description.bytes == 0 ? 0 : record.addresses.take(description.bytes)};
}

/// An address only: launches take the bytes.
SimBackend::Block SimBackend::graph_block(const MemoryDescription& description, const Call& call) {
  if (description.bytes > device_bytes_) {
    refuse_room(description.device, description.bytes, mention("memory", description.name), call);
  }
  DeviceRecord& record = devices_[static_cast<std::size_t>(description.device)];
  return {description.bytes == 0 ? 0 : record.addresses.take(description.bytes)};
}

void SimBackend::refuse_room(int index, std::uint64_t bytes, const std::string& subject,
                             const Call& call) const {
  fail(Errc::MemoryAllocation, call,
       "there is no room for the " + std::to_string(bytes) + " bytes of " + subject +
           ": sim:" + std::to_string(index) + " has " + std::to_string(device_bytes_) +
           ", of which " + std::to_string(device_bytes_ - free_bytes(index)) + " are in use");
}

SimBackend::Block SimBackend::pool_block(const MemoryDescription& description,
                                         const StreamRecord& stream,
                                         std::vector<Prerequisite>& after, Call& call) {
  const std::size_t index =
      description.pool == 0 ? current_pool(stream.device) : handle_index(description.pool);
  PoolRecord& from = pools_[index];
  if (description.bytes == 0) return {0, index};
  const std::uint64_t address = take_block(from, description.bytes, stream, after, call);
  from.used_bytes += description.bytes;
  from.peak_used_bytes = std::max(from.peak_used_bytes, from.used_bytes);
  return {address, index};
}

Handle SimBackend::add_memory(const MemoryDescription& description, Call& call, Bytes data,
                              const Block& block) {
  if (engine_.drained()) graveyard_.clear();
  MemoryRecord& added = memories_.emplace_back();
  added.origin.name = description.name;
  added.origin.made = call.site.where;
  added.device = description.device;
  added.kind = description.kind;
  added.bytes = description.bytes;
  added.address = block.address;
  added.pool = block.pool;
  added.data = std::move(data);
  if (recorder_.enabled()) {
    auto& table = recorder_.trace().memories;
    added.origin.traced = static_cast<TraceIndex>(table.size());
    table.push_back({.name = recorder_.string(description.name),
                     .device = static_cast<TraceIndex>(description.device),
                     .bytes = description.bytes,
                     .kind = description.kind,
                     .created_by = call.traced});
  }
  about(call, ObjectKind::memory, added.origin.traced);
  return make_handle(HandleKind::memory, memories_.size() - 1);
}

Allocation SimBackend::allocation(Handle handle) const {
  const MemoryRecord& made = memories_[handle_index(handle)];
  const bool on_host = made.kind == MemoryKind::pageable || made.kind == MemoryKind::pinned;
  return {handle, made.data.get(),
          on_host ? reinterpret_cast<std::uintptr_t>(made.data.get()) : made.address};
}

/// The memory is gone for the program; its bytes stay until nothing unfinished can touch them.
void SimBackend::bury(MemoryRecord& memory, const Freed& freed, const CallSite& site) {
  memory.origin.gone = true;
  memory.origin.destroyed = site.where;
  DeviceRecord& record = devices_[static_cast<std::size_t>(memory.device)];
  if (memory.pool != no_index) {
    give_block(memory, freed);
  } else {
    if (memory.kind == MemoryKind::device) record.used_bytes -= memory.bytes;
    if (memory.address != 0) record.addresses.give(memory.address, memory.bytes);
  }
  if (!memory.in_graph) graveyard_.push_back(std::move(memory.data));
  if (engine_.drained()) graveyard_.clear();
}

Allocation SimBackend::allocate(const MemoryDescription& description, const CallSite& site) {
  return perform(CallKind::malloc, site, [&](Call& call) {
    static_cast<void>(device(description.device, call));
    refuse_failed(description.device, call);
    if (description.kind != MemoryKind::pageable) refuse_unsafe(call);
    Bytes data = host_bytes(description, call);
    const Block block = plain_block(description, call);
    const Handle handle = add_memory(description, call, std::move(data), block);
    recorder_.access_of_call(call.traced, {.end = description.bytes,
                                           .memory = memories_.back().origin.traced,
                                           .mode = AccessMode::allocate});
    return allocation(handle);
  });
}

void SimBackend::free(Handle handle, const CallSite& site) {
  perform(CallKind::host_free, site, [&](Call& call) {
    MemoryRecord& found = memory(handle, call);
    about(call, ObjectKind::memory, found.origin.traced);
    if (found.kind != MemoryKind::pageable) refuse_unsafe(call);
    if (found.freed()) refuse_freed(found, call);
    if (found.kind != MemoryKind::pageable) {
      refuse_failed(found.device, call);
      if (profile_.free_blocks) wait_for_device(found.device, call);
    }
    recorder_.access_of_call(
        call.traced, {.end = found.bytes, .memory = found.origin.traced, .mode = AccessMode::free});
    release(found, {}, site);
  });
}

void SimBackend::refuse_freed(const MemoryRecord& memory, Call& call) {
  about(call, ObjectKind::memory, memory.origin.traced);
  const SourceLocation& freed = memory.origin.destroyed;
  fail(Errc::InvalidValue, call,
       mention("memory", memory.origin.name, memory.origin.made) + " is already freed" +
           (freed.line != 0 ? ", at " + place(freed) : ""));
}

/// The program may not rely on it: nothing is said of it in the trace.
void SimBackend::wait_for_device(int index, Call& call) {
  Until until(engine_);
  until.kind = ObjectKind::device;
  until.object = static_cast<TraceIndex>(index);
  for (const std::size_t stream : devices_[static_cast<std::size_t>(index)].streams) {
    until.add(stream, streams_[stream].tail);
  }
  wait_awake(until, call);
}

Allocation SimBackend::allocate_async(Handle stream_handle, const MemoryDescription& description,
                                      const CallSite& site) {
  return perform(CallKind::allocate, site, [&](Call& call) {
    StreamRecord& on = stream(stream_handle, call);
    if (description.pool != 0) static_cast<void>(pool(description.pool, call));
    MemoryDescription wanted = description;
    wanted.device =
        description.pool == 0 ? on.device : pools_[handle_index(description.pool)].device;
    Bytes data = host_bytes(wanted, call);
    std::vector<Prerequisite> after;
    const Block block =
        on.capturing() ? graph_block(wanted, call) : pool_block(wanted, on, after, call);
    const Handle handle = add_memory(wanted, call, std::move(data), block);
    const TraceIndex memory = memories_.back().origin.traced;
    const TraceIndex traced = describe(on, OperationKind::allocate, {}, memory, 0, call);
    add_access(traced, {handle, 0, wanted.bytes}, AccessMode::allocate);
    for (const Prerequisite& free : after) {
      recorder_.depend(Step::operation(free.operation.traced), Step::operation(traced),
                       DependencyKind::memory_reuse);
    }
    enqueue(on, {.kind = OperationKind::allocate, .traced = traced}, call, after);
    return allocation(handle);
  });
}

void SimBackend::free_async(Handle stream_handle, Handle handle, const CallSite& site) {
  perform(CallKind::free, site, [&](Call& call) {
    StreamRecord& on = stream(stream_handle, call);
    MemoryRecord& found = memory(handle, call);
    if (on.capturing()) check_free_node(on, found, call);
    if (found.freed() && !on.capturing()) refuse_freed(found, call);
    if (found.kind != MemoryKind::device) {
      about(call, ObjectKind::memory, found.origin.traced);
      fail(found.kind == MemoryKind::managed ? Errc::NotSupported : Errc::InvalidValue, call,
           mention("memory", found.origin.name, found.origin.made) +
               " is not a device's and cannot be freed in stream order");
    }
    const TraceIndex traced = describe(on, OperationKind::free, {}, found.origin.traced, 0, call);
    add_access(traced, {handle, 0, found.bytes}, AccessMode::free);
    const OperationRef operation =
        enqueue(on, {.kind = OperationKind::free, .traced = traced}, call);
    if (!on.capturing()) release(found, {on.queue, operation}, site);
  });
}

void SimBackend::host_access(AccessList reads, AccessList writes, const CallSite& site) {
  const bool writes_only = reads.empty();
  perform(writes_only ? CallKind::write : CallKind::read, site, [&](Call& call) {
    const auto touch = [&](AccessList list, AccessMode mode) {
      for (const Access& region : list) {
        const MemoryRecord& found = check_region(region, call);
        about(call, ObjectKind::memory, found.origin.traced);
        if (found.kind == MemoryKind::device) {
          fail(Errc::InvalidValue, call,
               mention("memory", found.origin.name, found.origin.made) +
                   " is a device's, which the host cannot touch");
        }
        recorder_.access_of_call(call.traced, {.begin = region.begin,
                                               .end = region.end,
                                               .pitch = region.pitch,
                                               .width = region.width,
                                               .memory = found.origin.traced,
                                               .mode = mode});
      }
    };
    touch(reads, AccessMode::read);
    touch(writes, AccessMode::write);
  });
}

}  // namespace millrace::sim
