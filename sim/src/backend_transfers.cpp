// SPDX-License-Identifier: Apache-2.0
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

#include <cstring>

namespace millrace::sim {

/// One side of a copy.
struct SimBackend::Side {
  Access region;
  MemoryRecord* memory = nullptr;

  [[nodiscard]] bool is(MemoryKind kind) const { return memory->kind == kind; }
  [[nodiscard]] bool on_host() const { return is(MemoryKind::pageable) || is(MemoryKind::pinned); }
  [[nodiscard]] std::byte* data() const { return memory->data.get(); }
};

/// What the contract says of a copy: when it touches its memory, and what its return promises.
struct SimBackend::CopyPlan {
  AccessOrder reads = AccessOrder::in_order;
  bool returns_late = false;  ///< the call returns when the operation has ended …
  bool joins = false;         ///< … and the program may rely on all of it being done
  bool read_at_call = false;  ///< the source's bytes are taken at the call

  /// A captured copy reads its source when it runs.
  CopyPlan(const Side& to, const Side& from, bool synchronous, bool captured) {
    const bool host_to_host = to.on_host() && from.on_host();
    const bool upload = from.is(MemoryKind::pageable) && to.is(MemoryKind::device);
    if (!synchronous) {
      returns_late = joins = host_to_host;
      read_at_call = from.is(MemoryKind::pageable) && !to.on_host() && !captured;
      if (read_at_call) reads = AccessOrder::from_call;
    } else if (upload) {  // the host side only: the rest may be under way for other streams
      returns_late = true;
      reads = AccessOrder::until_return;
    } else {
      returns_late = joins = !(to.is(MemoryKind::device) && from.is(MemoryKind::device));
    }
  }
};

/// What a copy takes, of the device and of the thread that asks for it.
struct SimBackend::CopyTiming {
  Path path = Path::none;
  Duration duration{};
  Duration host{};
  bool staged = false;  ///< copied aside at the call
  bool blocks = false;  ///< the call waits although the contract leaves it open
};

namespace {

/// The bytes of a region row by row: `visit(offset, bytes)`.
template <typename Visit>
void each_row(const Access& region, Visit visit) {
  if (region.begin >= region.end) return;
  if (region.pitch == 0) return visit(region.begin, region.end - region.begin);
  for (std::uint64_t row = region.begin; row < region.end; row += region.pitch) {
    visit(row, std::min(region.width, region.end - row));
  }
}

void copy_rows(std::byte* to, const Access& to_region, const std::byte* from,
               const Access& from_region) {
  if (to_region.pitch == 0 && from_region.pitch == 0) {
    std::memmove(to + to_region.begin, from + from_region.begin, from_region.bytes());
    return;
  }
  std::vector<std::byte> packed;
  packed.reserve(from_region.bytes());
  each_row(from_region, [&](std::uint64_t offset, std::uint64_t bytes) {
    packed.insert(packed.end(), from + offset, from + offset + bytes);
  });
  const std::byte* next = packed.data();
  each_row(to_region, [&](std::uint64_t offset, std::uint64_t bytes) {
    std::memcpy(to + offset, next, bytes);
    next += bytes;
  });
}

/// What the copy does to the bytes when it executes; nothing when one side has none.
Task copy_effect(std::byte* to, const Access& to_region, const std::byte* from,
                 const Access& from_region, bool read_at_call) {
  if (to == nullptr || from == nullptr || from_region.bytes() == 0) return nullptr;
  if (!read_at_call) {
    return [=] { copy_rows(to, to_region, from, from_region); };
  }
  std::vector<std::byte> taken(from_region.bytes());
  const Access packed{.end = taken.size()};
  copy_rows(taken.data(), packed, from, from_region);
  return [=, taken = std::move(taken)] { copy_rows(to, to_region, taken.data(), packed); };
}

struct FillTiming {
  Path path = Path::none;
  Duration duration{};
};

FillTiming fill_timing(const Profile& profile, const MemoryRecord& memory, std::uint64_t bytes,
                       const TransferOptions& options) {
  if (bytes == 0) return {};
  const Duration measured = profile.transfers.fill.of(bytes, profile.default_operation);
  FillTiming timing{.duration = options.cost.value_or(measured)};
  if (memory.kind == MemoryKind::device || memory.kind == MemoryKind::managed) {
    timing.path = bytes <= profile.transfers.inline_fill ? Path::inline_fill : Path::fill;
  }
  return timing;
}

}  // namespace

SimBackend::Side SimBackend::side(const Access& region, const Call& call) {
  return {region, &check_region(region, call)};
}

void SimBackend::refuse_synchronous(const StreamRecord& stream, bool synchronous, Call& call) {
  if (synchronous && stream.kind == StreamKind::created) {
    fail(Errc::InvalidValue, call,
         "the synchronous form is for the legacy and the per-thread stream, not for " +
             mention("stream", stream.origin.name, stream.origin.made));
  }
  if (synchronous && stream.capturing()) refuse_to_wait_for(captures_[stream.capture], call);
}

void SimBackend::check_copy(const Side& to, const Side& from, const Call& call) {
  if (to.region.bytes() != from.region.bytes()) {
    fail(Errc::InvalidValue, call,
         "the target, " + mention("memory", to.memory->origin.name, to.memory->origin.made) +
             ", is given " + std::to_string(to.region.bytes()) + " bytes, the source, " +
             mention("memory", from.memory->origin.name, from.memory->origin.made) + ", " +
             std::to_string(from.region.bytes()));
  }
}

void SimBackend::copy(Handle handle, const Access& to_region, const Access& from_region,
                      const TransferOptions& options, const CallSite& site) {
  perform(CallKind::copy, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    check_cost(options.cost, call);
    refuse_synchronous(on, options.synchronous, call);
    const Side to = side(to_region, call);
    const Side from = side(from_region, call);
    check_copy(to, from, call);
    const CopyPlan plan(to, from, options.synchronous, on.capturing());
    const std::uint64_t bytes = from_region.bytes();
    const CopyTiming timing = this->timing(to, from, options);
    pay(timing.host, call);
    const Demand demand{.path = timing.path};
    await_place(on, OperationKind::copy, demand, call);
    const TraceIndex traced = describe(on, OperationKind::copy, options.name, none, bytes, call);
    add_access(traced, from_region, AccessMode::read, plan.reads);
    add_access(traced, to_region, AccessMode::write);
    const OperationRef operation = enqueue(
        on,
        {.kind = OperationKind::copy,
         .duration = timing.duration,
         .traced = traced,
         .demand = demand,
         .body = copy_effect(to.data(), to_region, from.data(), from_region, plan.read_at_call)},
        call);
    if (timing.staged) staged_.push_back({operation, bytes});
    return_after(operation, on, plan.returns_late || timing.blocks, plan.joins, call);
  });
}

/// Whether so much more can be copied aside.
bool SimBackend::stage(std::uint64_t bytes) {
  while (!staged_.empty() && engine_.finished(staged_.front().copy)) staged_.pop_front();
  std::uint64_t used = 0;
  for (const Staged& staged : staged_) {
    if (!engine_.finished(staged.copy)) used += staged.bytes;
  }
  return used + bytes <= profile_.transfers.staging_bytes;
}

SimBackend::CopyTiming SimBackend::timing(const Side& to, const Side& from,
                                          const TransferOptions& options) {
  const Transfers& times = profile_.transfers;
  const HostCosts& host = profile_.host;
  const std::uint64_t bytes = from.region.bytes();
  const Duration otherwise = profile_.default_operation;
  if (bytes == 0) return {.host = host.copy_to_device};
  CopyTiming timing;
  const bool pageable = to.is(MemoryKind::pageable) || from.is(MemoryKind::pageable);
  if (to.on_host() && from.on_host()) {
    timing.duration = host.host_copy.empty() ? otherwise : host.host_copy.at(bytes);
  } else if (to.on_host()) {
    timing = {Path::to_host, times.to_host.of(bytes, otherwise), host.copy_to_host};
    timing.blocks = pageable && profile_.pageable_blocks && !options.synchronous;
  } else if (from.on_host()) {
    timing = {Path::to_device, times.to_device.of(bytes, otherwise), host.copy_to_device};
    if (pageable && profile_.pageable_blocks && !options.synchronous) {
      timing.staged = stage(bytes);
      timing.blocks = !timing.staged;
      if (timing.staged) timing.host = host.staging.at(bytes);
    }
  } else if (to.memory->device == from.memory->device) {
    timing = {Path::on_device, times.on_device.of(bytes, otherwise), host.copy_on_device};
  } else {  // through the engine for what leaves the stream's device
    const bool known = !times.between_devices.paired.empty();
    const TransferTime& link = known ? times.between_devices : times.to_host;
    timing = {Path::to_host, link.of(bytes, otherwise), host.copy_on_device};
  }
  if (pageable && !timing.staged && timing.path != Path::none && !times.pageable.empty()) {
    timing.duration = times.pageable.at(bytes);
  }
  if (options.cost) timing.duration = *options.cost;
  return timing;
}

/// The call returns when the operation has ended, if `late`; and says so in the trace, if `joins`.
void SimBackend::return_after(const OperationRef& operation, const StreamRecord& on, bool late,
                              bool joins, Call& call) {
  if (!late) return;
  Until until(engine_);
  until.kind = ObjectKind::stream;
  until.object = on.origin.traced;
  until.add(on.queue, operation);
  wait_awake(until, call);
  if (joins) cover(until.targets, DependencyKind::call_return, call);
  refuse_failed(on.device, call);
}

void SimBackend::fill(Handle handle, const Access& region, std::uint8_t value,
                      const TransferOptions& options, const CallSite& site) {
  perform(CallKind::fill, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    check_cost(options.cost, call);
    refuse_synchronous(on, options.synchronous, call);
    const Side to = side(region, call);
    if (to.is(MemoryKind::pageable)) {
      fail(Errc::InvalidValue, call,
           mention("memory", to.memory->origin.name, to.memory->origin.made) +
               " is pageable, which a device cannot fill");
    }
    const FillTiming timing = fill_timing(profile_, *to.memory, region.bytes(), options);
    const Demand demand{.path = timing.path};
    await_place(on, OperationKind::fill, demand, call);
    const TraceIndex traced =
        describe(on, OperationKind::fill, options.name, none, region.bytes(), call);
    add_access(traced, region, AccessMode::write);
    Task effect;
    if (std::byte* const data = to.data()) {
      effect = [data, region, value] {
        each_row(region, [&](std::uint64_t offset, std::uint64_t bytes) {
          std::memset(data + offset, value, bytes);
        });
      };
    }
    const OperationRef operation = enqueue(on,
                                           {.kind = OperationKind::fill,
                                            .duration = timing.duration,
                                            .traced = traced,
                                            .demand = demand,
                                            .body = std::move(effect)},
                                           call);
    const bool late = options.synchronous && !to.is(MemoryKind::device);
    return_after(operation, on, late, late, call);
  });
}

}  // namespace millrace::sim
