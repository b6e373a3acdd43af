// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"
#include "stream_state.hpp"

#include <millrace/memory.hpp>
#include <millrace/mention.hpp>

#include <atomic>
#include <limits>
#include <string>

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
  State(const Device& device_, std::optional<Stream> stream_, const MemoryDescription& description_,
        const CallSite& site)
      : device(device_),
        stream(std::move(stream_)),
        description(description_),
        made(site.where),
        allocation(stream ? backend().allocate_async(stream->handle(), description, site)
                          : backend().allocate(description, site)) {}
  ~State() {
    if (freed) return;
    destroy_quietly([this] {
      const CallSite site{"~Buffer", made};
      if (stream) {
        backend().free_async(stream->handle(), allocation.memory, site);
      } else {
        backend().free(allocation.memory, site);
      }
    });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] Backend& backend() const { return device.backend(); }
  [[nodiscard]] std::string mention() const {
    return millrace::mention(noun(description.kind), description.name, made);
  }

  Device device;
  std::optional<Stream> stream;
  MemoryDescription description;
  SourceLocation made;
  Allocation allocation;
  mutable std::atomic<bool> freed = false;  ///< by a call: the last copy has nothing left to do
};

namespace {

/// Where it is made, when all that the options say fits together.
Device device_of(const BufferOptions& options, const CallSite& site) {
  const auto require = [&](bool holds, const std::string& otherwise) {
    if (!holds) throw Error(Errc::InvalidValue, site.call, otherwise, site.where);
  };
  const std::string subject = mention(noun(options.kind), options.name);
  require(!options.pool || options.stream, subject + " names a pool and no stream");
  if (!options.stream) return options.device ? *options.device : current_device(site.where);
  require(options.kind == MemoryKind::device,
          subject + " is made in a stream's order, which only memory of a device is");
  const Device& made_on = options.pool ? options.pool->device() : options.stream->device();
  require(!options.device || *options.device == made_on,
          subject + " is to be on " + (options.device ? options.device->to_string() : "") + ", " +
              (options.pool ? options.pool->mention() : "its stream") + " is on " +
              made_on.to_string());
  return made_on;
}

}  // namespace

Memory::Memory(std::uint64_t count, std::uint64_t size, const BufferOptions& options,
               SourceLocation where) {
  const CallSite site = enter("Buffer", where);
  Device device = device_of(options, site);
  const MemoryDescription description{
      .device = device.index(),
      .kind = options.kind,
      .bytes = product(count, size),
      .pool = options.pool ? options.pool->handle_for(options.stream->device(), site) : 0,
      .name = options.name,
  };
  state_ = std::make_shared<const State>(std::move(device), options.stream, description, site);
}

Handle Memory::handle() const noexcept { return state_->allocation.memory; }
std::uint64_t Memory::bytes() const noexcept { return state_->description.bytes; }
MemoryKind Memory::kind() const noexcept { return state_->description.kind; }
Device Memory::device() const noexcept { return state_->device; }
void* Memory::data() const noexcept { return state_->allocation.data; }
std::uint64_t Memory::address() const noexcept { return state_->allocation.address; }

void Memory::free(SourceLocation where) const {
  state_->backend().free(handle(), enter("Buffer::free", where));
  state_->freed = true;
}

void Memory::free(const Stream& stream, SourceLocation where) const {
  const CallSite site = enter("Buffer::free", where);
  if (stream.device().shared_backend() != state_->device.shared_backend()) {
    throw Error(Errc::InvalidValue, site.call,
                mention(stream.state()) + " is of another backend than " + state_->mention(),
                where);
  }
  stream.backend().free_async(stream.handle(), handle(), site);
  state_->freed = true;
}

void Memory::host_access(AccessMode mode, const Access& region, SourceLocation where) const {
  const bool reads = mode == AccessMode::read || mode == AccessMode::update;
  const bool writes = mode == AccessMode::write || mode == AccessMode::update;
  const CallSite site = enter(writes ? "Buffer::write" : "Buffer::read", where);
  if (kind() == MemoryKind::device) {
    throw Error(Errc::InvalidValue, site.call,
                state_->mention() + " is not for the host to touch: copy it to host memory first",
                where);
  }
  const std::span<const Access> touched(&region, 1);
  const std::span<const Access> nothing;
  state_->device.backend().host_access(reads ? touched : nothing, writes ? touched : nothing, site);
}

}  // namespace millrace
