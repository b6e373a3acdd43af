// SPDX-License-Identifier: Apache-2.0
// Memory pools, as an H200's were measured: a block is looked for among the freed ones by the rules
// of reuse, safest first, then in what was never used, then more is reserved, and last the
// allocation is made to wait for a free.

#include "backend_impl.hpp"

#include <millrace/mention.hpp>

#include <limits>

namespace millrace::sim {
namespace {

/// All operations of a stream, those that come included.
StreamPlace end_of(const StreamRecord& stream) {
  return {stream.queue, std::numeric_limits<std::uint64_t>::max()};
}

}  // namespace

// From handles to records.

PoolRecord& SimBackend::pool(Handle handle, Call& call) {
  if (!is_handle(HandleKind::pool, handle) || handle_index(handle) >= pools_.size()) {
    fail(Errc::InvalidValue, call, "the handle is not a memory pool of this machine");
  }
  PoolRecord& found = pools_[handle_index(handle)];
  if (found.origin.gone) {
    fail(Errc::InvalidResourceHandle, call,
         mention("pool", found.origin.name, found.origin.made) + " was destroyed at " +
             place(found.origin.destroyed));
  }
  refuse_failed(found.device, call);
  return found;
}

std::size_t SimBackend::add_pool(const MemoryPoolDescription& description,
                                 const SourceLocation& made) {
  const std::size_t index = pools_.size();
  pools_.emplace_back(BlockPool::addresses * (index + 1), profile_.pool_chunk);
  PoolRecord& added = pools_.back();
  added.origin.name = description.name;
  added.origin.made = made;
  added.device = description.device;
  added.settings = description.settings;
  added.largest_bytes = description.largest_bytes;
  return index;
}

/// The device is reset: what its pools had is gone, and it gets a new default pool.
void SimBackend::destroy_pools_of(int index, const CallSite& site) {
  for (PoolRecord& record : pools_) {
    if (record.device != index || record.origin.gone) continue;
    record.origin.gone = true;
    record.origin.destroyed = site.where;
    record.blocks.clear();
  }
  DeviceRecord& device = devices_[static_cast<std::size_t>(index)];
  device.default_pool = device.current_pool = no_index;
}

std::size_t SimBackend::default_pool(int index) {
  DeviceRecord& record = devices_[static_cast<std::size_t>(index)];
  if (record.default_pool == no_index) {
    record.default_pool = add_pool({.device = index, .settings = {}, .name = "default"}, {});
  }
  return record.default_pool;
}

std::size_t SimBackend::current_pool(int index) {
  const std::size_t set = devices_[static_cast<std::size_t>(index)].current_pool;
  return set == no_index ? default_pool(index) : set;
}

// What programs ask of them.

Handle SimBackend::create_memory_pool(const MemoryPoolDescription& description,
                                      const CallSite& site) {
  Look look(*this, site);
  static_cast<void>(device(description.device, look.call));
  refuse_failed(description.device, look.call);
  return make_handle(HandleKind::pool, add_pool(description, site.where));
}

void SimBackend::destroy_memory_pool(Handle handle, const CallSite& site) {
  Look look(*this, site);
  PoolRecord& found = pool(handle, look.call);
  DeviceRecord& device = devices_[static_cast<std::size_t>(found.device)];
  if (device.default_pool == handle_index(handle)) {
    fail(Errc::InvalidValue, look.call, "a device's default pool lives on");
  }
  if (device.current_pool == handle_index(handle)) device.current_pool = no_index;
  found.origin.gone = true;
  found.origin.destroyed = site.where;
  release_reserved(found, 0);
}

Handle SimBackend::default_memory_pool(int index, const CallSite& site) {
  Look look(*this, site);
  static_cast<void>(device(index, look.call));
  return make_handle(HandleKind::pool, default_pool(index));
}

Handle SimBackend::current_memory_pool(int index, const CallSite& site) {
  Look look(*this, site);
  static_cast<void>(device(index, look.call));
  return make_handle(HandleKind::pool, current_pool(index));
}

void SimBackend::set_memory_pool(Handle handle, const CallSite& site) {
  Look look(*this, site);
  const PoolRecord& set = pool(handle, look.call);
  devices_[static_cast<std::size_t>(set.device)].current_pool = handle_index(handle);
}

MemoryPoolInfo SimBackend::memory_pool_info(Handle handle, const CallSite& site) {
  Look look(*this, site);
  const PoolRecord& found = pool(handle, look.call);
  return {found.settings,
          {.reserved_bytes = found.blocks.reserved(),
           .peak_reserved_bytes = found.peak_reserved_bytes,
           .used_bytes = found.used_bytes,
           .peak_used_bytes = found.peak_used_bytes},
          found.origin.name,
          found.origin.made};
}

void SimBackend::configure_memory_pool(Handle handle, const PoolSettings& settings,
                                       const CallSite& site) {
  Look look(*this, site);
  pool(handle, look.call).settings = settings;
}

void SimBackend::reset_memory_pool_peaks(Handle handle, const CallSite& site) {
  Look look(*this, site);
  PoolRecord& found = pool(handle, look.call);
  found.peak_reserved_bytes = found.blocks.reserved();
  found.peak_used_bytes = found.used_bytes;
}

void SimBackend::trim_memory_pool(Handle handle, std::uint64_t bytes_to_keep,
                                  const CallSite& site) {
  Look look(*this, site);
  release_reserved(pool(handle, look.call), bytes_to_keep);
}

MemoryInfo SimBackend::memory_info(int index, const CallSite& site) {
  Look look(*this, site);
  const DeviceRecord& found = device(index, look.call);
  refuse_failed(index, look.call);
  return {device_bytes_ - found.used_bytes, device_bytes_};
}

// Blocks.

/// What the next operation of the stream comes after.
Reach SimBackend::reach_of(const StreamRecord& stream) const {
  std::vector<StreamPlace> places{end_of(stream)};
  const DeviceRecord& record = devices_[static_cast<std::size_t>(stream.device)];
  if (stream.kind == StreamKind::legacy) {
    for (const std::size_t other : record.since_legacy) {
      places.push_back({static_cast<std::uint32_t>(other), streams_[other].tail.serial});
    }
  } else if (stream.blocking) {
    const StreamRecord& legacy = streams_[record.legacy];
    places.push_back({legacy.queue, legacy.tail.serial});
  }
  return order_.before(places);
}

/// Takes a block by the first rule that gives one. What it must wait for goes to `after`.
std::uint64_t SimBackend::take_block(PoolRecord& from, std::uint64_t bytes,
                                     const StreamRecord& stream, std::vector<Prerequisite>& after,
                                     Call& call) {
  const ReusePolicy& policy = from.settings.reuse;
  const Reach reach = reach_of(stream);
  const auto own = [&](const Freed& freed) {
    return freed.by.serial == 0 || freed.stream == stream.queue;
  };
  const auto ordered = [&](const Freed& freed) {
    return own(freed) ||
           (policy.follow_event_dependencies && reach.covers({freed.stream, freed.by.serial}));
  };
  const auto finished = [&](const Freed& freed) {
    return ordered(freed) || (policy.allow_opportunistic && engine_.finished(freed.by));
  };
  for (const BlockPool::MayUse& rule :
       {BlockPool::MayUse(own), BlockPool::MayUse(ordered), BlockPool::MayUse(finished)}) {
    if (const auto block = from.blocks.take(bytes, rule, BlockPool::From::freed)) {
      return block->address;
    }
  }
  if (const auto block = from.blocks.take(bytes, finished)) return block->address;
  if (const auto growth = from.blocks.growth(bytes, finished)) {
    if (reserve(from, growth->bytes)) return from.blocks.grow(growth->address, bytes).address;
  }
  if (policy.allow_internal_dependencies) {
    if (const auto block = from.blocks.take(bytes, [](const Freed&) { return true; })) {
      for (const Freed& freed : block->freed) {
        after.push_back({freed.by, ConstraintKind::memory_reuse});
      }
      return block->address;
    }
  }
  refuse_block(from, bytes, call);
}

/// Whether the device gives the pool so much more.
bool SimBackend::reserve(PoolRecord& to, std::uint64_t bytes) {
  if (to.largest_bytes != 0 &&
      to.blocks.reserved() + bytes > round_up(to.largest_bytes, to.blocks.chunk())) {
    return false;
  }
  DeviceRecord& record = devices_[static_cast<std::size_t>(to.device)];
  if (!make_room(to.device, bytes)) return false;
  record.used_bytes += bytes;
  to.peak_reserved_bytes = std::max(to.peak_reserved_bytes, to.blocks.reserved() + bytes);
  return true;
}

void SimBackend::refuse_block(const PoolRecord& from, std::uint64_t bytes, const Call& call) const {
  std::string reason = "there is no room for " + std::to_string(bytes) + " bytes in " +
                       mention("pool", from.origin.name, from.origin.made) + ", which has " +
                       std::to_string(from.blocks.reserved()) + " reserved, " +
                       std::to_string(from.used_bytes) + " of them in use";
  if (from.largest_bytes != 0) {
    reason += ", and may have " + std::to_string(from.largest_bytes);
  }
  reason += "; sim:" + std::to_string(from.device) + " has " +
            std::to_string(free_bytes(from.device)) + " left";
  fail(Errc::MemoryAllocation, call, reason);
}

/// Whether so much of the device's memory is free, after its pools gave back what they could.
bool SimBackend::make_room(int index, std::uint64_t bytes) {
  if (bytes <= free_bytes(index)) return true;
  for (PoolRecord& record : pools_) {
    if (record.device == index) release_reserved(record, 0);
  }
  return bytes <= free_bytes(index);
}

std::uint64_t SimBackend::free_bytes(int index) const {
  return device_bytes_ - devices_[static_cast<std::size_t>(index)].used_bytes;
}

void SimBackend::release_reserved(PoolRecord& from, std::uint64_t keep) {
  devices_[static_cast<std::size_t>(from.device)].used_bytes -= from.blocks.release(keep);
}

/// The pool has its block back, to be used again behind `freed`.
void SimBackend::give_block(const MemoryRecord& memory, const Freed& freed) {
  if (memory.bytes == 0) return;
  PoolRecord& to = pools_[memory.pool];
  to.blocks.give(memory.address, memory.bytes, freed);
  to.used_bytes -= memory.bytes;
  follows_frees_ |= freed.by.serial != 0;
  if (to.origin.gone) release_reserved(to, 0);
}

// The order between streams, kept while a free is not known to be over.

void SimBackend::note_order(const StreamPlace& later, const StreamPlace& earlier) {
  if (!follows_frees_) return;
  order_.note(later, earlier);
  if (order_.size() < remembered_orders_) return;
  std::optional<std::uint64_t> oldest;
  for (const PoolRecord& record : pools_) {
    const auto mine = record.blocks.oldest_free();
    if (mine && (!oldest || *mine < *oldest)) oldest = mine;
  }
  order_.forget_before(oldest.value_or(later.serial + 1));
  follows_frees_ = oldest.has_value();
  remembered_orders_ = std::max(least_remembered_orders, 2 * order_.size());
}

/// A host thread has synchronized: the frees before that are over, and pools go back to their
/// thresholds.
void SimBackend::settle_frees(const std::vector<std::pair<std::size_t, OperationRef>>& done) {
  if (pools_.empty()) return;
  if (follows_frees_) {
    std::vector<StreamPlace> places;
    for (const auto& [stream, operation] : done) {
      if (stream == unordered_record) continue;
      places.push_back({static_cast<std::uint32_t>(stream), operation.serial});
    }
    const Reach reach = order_.before(places);
    for (PoolRecord& record : pools_) {
      record.blocks.settle([&](const Freed& freed) {
        return engine_.finished(freed.by) && reach.covers({freed.stream, freed.by.serial});
      });
    }
  }
  for (PoolRecord& record : pools_) {
    release_reserved(record, record.origin.gone ? 0 : record.settings.release_threshold);
  }
}

}  // namespace millrace::sim
