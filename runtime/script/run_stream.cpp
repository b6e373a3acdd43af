// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace millrace::script {
namespace {

std::optional<Duration> duration(Cost cost) {
  return cost.given() ? std::optional(Duration{cost.ns}) : std::nullopt;
}

/// The first `bytes` of a region; at most as many as it has, where it is 2D.
Access first_bytes(Access region, std::uint64_t bytes) {
  if (bytes == region.bytes()) return region;
  if (region.pitch == 0) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() - region.begin;
    region.end = region.begin + std::min(bytes, most);
    return region;
  }
  if (bytes == 0) {
    region.end = region.begin;
    return region;
  }
  const std::uint64_t rows = (bytes - 1) / region.width;  // full ones before the last
  region.end = region.begin + rows * region.pitch + (bytes - rows * region.width);
  return region;
}

}  // namespace

Handle Runner::stream(Index thing) const {
  if (thing == legacy_thing) return backend_.legacy_stream(device_);
  if (thing == perthread_thing) return backend_.per_thread_stream(device_);
  return state_->handle(thing);
}

/// The handle of what a statement of the script makes: it may not have come to be.
Handle Runner::made(Index thing, const CallSite& site) const {
  const Handle handle = state_->handle(thing);
  if (handle == 0) {
    throw Error(Errc::InvalidValue, site.call,
                std::string(to_string(program_.things[thing].kind)) + " '" +
                    std::string(program_.name_of(thing)) + "' never came to be",
                site.where);
  }
  return handle;
}

Access Runner::access(Index index, const CallSite& site) const {
  const Region& region = program_.regions[index];
  Access access;
  access.memory = made(region.memory, site);
  access.begin = region.begin;
  access.end = region.open ? std::max(region.begin, state_->bytes(region.memory)) : region.end;
  access.pitch = region.pitch;
  access.width = region.width;
  return access;
}

std::span<const Access> Runner::accesses(Index first, std::size_t count, const CallSite& site) {
  accesses_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    accesses_.push_back(access(first + static_cast<Index>(i), site));
  }
  return accesses_;
}

void Runner::execute(const Kernel& kernel) {
  const CallSite where = site("kernel");
  const Regions& r = kernel.regions;
  const auto all = accesses(r.first, std::size_t{r.reads} + r.writes + r.updates, where);
  backend_.launch(stream(), state_->names().words[kernel.name],
                  {.grid = Dim3{kernel.blocks},
                   .block = Dim3{kernel.threads},
                   .cost = duration(kernel.cost),
                   .reads = all.first(r.reads),
                   .writes = all.subspan(r.reads, r.writes),
                   .updates = all.last(r.updates)},
                  {}, where);
}

void Runner::execute(const Call& call) {
  const CallSite where = site("call");
  const Regions& r = call.regions;
  const auto all = accesses(r.first, std::size_t{r.reads} + r.writes + r.updates, where);
  backend_.call(stream(), state_->names().words[call.name],
                {.cost = duration(call.cost),
                 .reads = all.first(r.reads),
                 .writes = all.subspan(r.reads, r.writes),
                 .updates = all.last(r.updates)},
                {}, where);
}

/// Refuses a SIZE beyond a region but within its memory: only we know the region. What is beyond
/// the memory is the backend's to refuse.
void Runner::check_size(const Copy& copy, Index index, const Access& region,
                        const CallSite& site) const {
  if (!copy.sized || copy.bytes <= region.bytes()) return;
  const Index memory = program_.regions[index].memory;
  const std::uint64_t size = state_->bytes(memory);
  const std::uint64_t room = size - std::min(region.begin, size);
  if (region.pitch == 0 && copy.bytes > room) return;
  throw Error(Errc::InvalidValue, site.call,
              "a copy of " + std::to_string(copy.bytes) + " bytes does not fit into the " +
                  std::to_string(region.bytes()) + " bytes of its region of '" +
                  std::string(program_.name_of(memory)) + "'",
              site.where);
}

void Runner::execute(const Copy& copy) {
  const CallSite where = site("copy");
  const Access from = access(copy.regions, where);
  const Access to = access(copy.regions + 1, where);
  check_size(copy, copy.regions, from, where);
  check_size(copy, copy.regions + 1, to, where);
  const std::uint64_t bytes = copy.sized ? copy.bytes : std::min(from.bytes(), to.bytes());
  backend_.copy(stream(), first_bytes(to, bytes), first_bytes(from, bytes),
                {.cost = duration(copy.cost),
                 .synchronous = copy.synchronous,
                 .name = state_->names().copies[copy.ordinal]},
                where);
}

void Runner::execute(const Fill& fill) {
  const CallSite where = site("fill");
  backend_.fill(stream(), access(fill.region, where), 0,
                {.cost = duration(fill.cost),
                 .synchronous = fill.synchronous,
                 .name = state_->names().fills[fill.ordinal]},
                where);
}

void Runner::execute(const Record& record) {
  backend_.record_event(state_->handle(record.event), stream(), record.external, site("record"));
}

void Runner::execute(const Wait& wait) {
  backend_.wait_event(stream(), state_->handle(wait.event), wait.external, site("wait"));
}

void Runner::execute(const Alloc& alloc) {
  const Index on = statement_->stream;
  const bool of_current_device = on == legacy_thing || on == perthread_thing;
  MemoryDescription description;
  description.device = of_current_device ? device_ : program_.things[on].device;
  description.bytes = alloc.bytes;
  description.backed = false;
  description.name = state_->names().words[program_.things[alloc.memory].name];
  const Allocation made = backend_.allocate_async(stream(), description, site("alloc"));
  state_->keep(alloc.memory, made.memory, alloc.bytes);
}

void Runner::execute(const FreeInOrder& free) {
  const CallSite where = site("free");
  backend_.free_async(stream(), made(free.memory, where), where);
}

void Runner::execute(const SetFlag& set) {
  backend_.set_flag(stream(), state_->handle(set.flag), set.value, site("set"));
}

void Runner::execute(const AwaitFlag& await) {
  backend_.await_flag(stream(), state_->handle(await.flag), await.condition, await.value,
                      site("await"));
}

void Runner::execute(const Begin& begin) {
  backend_.begin_capture(stream(), begin.mode, site("begin"));
}

void Runner::execute(const End& end) {
  const Name name = state_->names().words[program_.things[end.graph].name];
  state_->keep(end.graph, backend_.end_capture(stream(), name, site("end")));
}

void Runner::execute(const Launch& launch) {
  const CallSite where = site("launch");
  backend_.launch_graph(stream(), made(launch.graph, where), where);
}

void Runner::execute(const Fault& fault) { backend_.fault(stream(), fault.code, site("fault")); }

}  // namespace millrace::script
