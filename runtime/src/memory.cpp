// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"

#include <millrace/memory.hpp>
#include <millrace/mention.hpp>

#include <limits>

namespace millrace {
namespace {

std::string_view noun(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::device:
      return "device buffer";
    case MemoryKind::pinned:
      return "pinned buffer";
    case MemoryKind::pageable:
      return "pageable buffer";
    case MemoryKind::managed:
      return "managed buffer";
  }
  return "buffer";
}

/// More than any device has when it does not fit.
std::uint64_t product(std::uint64_t count, std::uint64_t size) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return size != 0 && count > most / size ? most : count * size;
}

}  // namespace

struct Memory::State {
  State(const Device& device_, const MemoryDescription& description_, const CallSite& site)
      : device(device_),
        description(description_),
        made(site.where),
        allocation(device.backend().allocate(description, site)) {}
  ~State() {
    destroy_quietly([this] {
      device.backend().free(allocation.memory, CallSite{"~Buffer", made});
    });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Device device;
  MemoryDescription description;
  SourceLocation made;
  Allocation allocation;
};

Memory::Memory(std::uint64_t count, std::uint64_t size, const BufferOptions& options,
               SourceLocation where) {
  const CallSite site = enter("Buffer", where);
  Device device = options.device ? *options.device : current_device(where);
  const MemoryDescription description{
      .device = device.index(),
      .kind = options.kind,
      .bytes = product(count, size),
      .name = options.name,
  };
  state_ = std::make_shared<const State>(std::move(device), description, site);
}

Handle Memory::handle() const noexcept { return state_->allocation.memory; }
std::uint64_t Memory::bytes() const noexcept { return state_->description.bytes; }
MemoryKind Memory::kind() const noexcept { return state_->description.kind; }
Device Memory::device() const noexcept { return state_->device; }
void* Memory::data() const noexcept { return state_->allocation.data; }

void Memory::host_access(AccessMode mode, const Access& region, SourceLocation where) const {
  const bool reads = mode == AccessMode::read || mode == AccessMode::update;
  const bool writes = mode == AccessMode::write || mode == AccessMode::update;
  const CallSite site = enter(writes ? "Buffer::write" : "Buffer::read", where);
  if (kind() == MemoryKind::device) {
    throw Error(Errc::InvalidValue, site.call,
                mention(noun(kind()), state_->description.name, state_->made) +
                    " is not for the host to touch: copy it to host memory first",
                where);
  }
  const std::span<const Access> touched(&region, 1);
  const std::span<const Access> nothing;
  state_->device.backend().host_access(reads ? touched : nothing, writes ? touched : nothing, site);
}

}  // namespace millrace
