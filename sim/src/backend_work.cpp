// SPDX-License-Identifier: Apache-2.0
#include "backend_impl.hpp"

#include <millrace/mention.hpp>

#include <algorithm>

namespace millrace::sim {
namespace {

/// The registers of a multiprocessor, which a block has at most: as on devices since 2012.
constexpr std::uint64_t registers_of_block = 65536;
constexpr std::uint32_t registers_of_thread = 255;

/// Why a launch of this shape is impossible; empty when it is not.
std::string_view impossible(const LaunchOptions& options) {
  const Dim3& grid = options.grid;
  const Dim3& block = options.block;
  if (grid.count() == 0) return "the grid has no blocks";
  if (block.count() == 0) return "the block has no threads";
  if (grid.x > 0x7fff'ffff || grid.y > 65535 || grid.z > 65535) {
    return "the grid is larger than 2147483647 x 65535 x 65535 blocks";
  }
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || block.count() > 1024) {
    return "the block is larger than 1024 x 1024 x 64 threads, or than 1024 in all";
  }
  if (options.shared_bytes > 232448) return "a block may have 232448 bytes of shared memory";
  if (options.registers_per_thread > registers_of_thread)
    return "a thread has at most 255 registers";
  return {};
}

/// What a block would need is more than there is.
bool too_large(const LaunchOptions& options) {
  return options.registers_per_thread * options.block.count() > registers_of_block;
}

Demand demand_of(const LaunchOptions& options) {
  return {.blocks = options.grid.count(),
          .threads = static_cast<std::uint32_t>(options.block.count()),
          .shared_bytes = options.shared_bytes,
          .registers = static_cast<std::uint16_t>(options.registers_per_thread),
          .path = Path::kernel};
}

}  // namespace

// Enqueueing.

TraceIndex SimBackend::describe(const StreamRecord& stream, OperationKind kind, Name name,
                                TraceIndex object, std::uint64_t bytes, const Call& call) {
  drafting_ = stream.capturing();
  if (drafting_) {
    draft(kind, name, object, bytes, call);
    return none;
  }
  if (++operations_ > max_operations_ && max_operations_ != 0) {
    fail(Errc::LaunchTimeout, call,
         "the run's bound of " + std::to_string(max_operations_) + " operations is reached");
  }
  if (injector_.fails_any()) meet_injected(name, call);
  if (call.traced == none) return none;
  return recorder_.add_operation({.enqueue_ns = hosts_.now().ns,
                                  .bytes = bytes,
                                  .stream = stream.origin.traced,
                                  .call = call.traced,
                                  .object = object,
                                  .kind = kind},
                                 name);
}

/// Whether the operation that is described now is one that the run makes fail.
void SimBackend::meet_injected(Name name, const Call& call) {
  injected_ = Errc::Success;
  const FailedOperation* const hit = injector_.enqueued(name.text());
  if (hit == nullptr) return;
  if (hit->at_call && call.kind != CallKind::launch_graph) {
    fail(hit->code, call,
         mention("operation", name).append(" is refused, a fault that the run injects"));
  }
  injected_ = hit->code;
}

OperationRef SimBackend::enqueue(StreamRecord& stream, NewOperation&& operation, Call& call,
                                 std::span<const Prerequisite> after) {
  if (stream.capturing()) {
    capture(stream, std::move(operation));
    return {};
  }
  prerequisites_.assign(after.begin(), after.end());
  if (stream.blocking || stream.kind == StreamKind::legacy) {
    order_with_legacy(stream, operation.traced);
  }
  stream.tail = hand_over(std::move(operation), stream, call);
  return stream.tail;
}

OperationRef SimBackend::hand_over(NewOperation&& operation, const StreamRecord& on,
                                   const Call& call) {
  operation.stream = on.queue;
  operation.call = call.traced;
  operation.duration = injector_.slowed(operation.duration, operation.demand.path, on.device);
  if (injected_ != Errc::Success) {
    operation.fault = std::exchange(injected_, Errc::Success);
    injected_operations_.push_back(operation.traced);
  }
  return engine_.enqueue(std::move(operation), prerequisites_, hosts_.now());
}

namespace {

/// Waits for a place in a launch ring.
class Place final : public Waiting {
 public:
  Place(Engine& engine, const StreamRecord& stream, OperationKind of, const Demand& demand)
      : engine_(engine), queue_(stream.queue), of_(of), demand_(demand) {
    kind = ObjectKind::stream;
    object = stream.origin.traced;
    behind = Step::operation(stream.tail.traced);
  }
  bool ready() override { return engine_.has_place(queue_, of_, demand_); }

 private:
  Engine& engine_;
  std::uint32_t queue_;
  OperationKind of_;
  Demand demand_;
};

}  // namespace

/// Only so many operations fit a launch ring: the call waits until one more does.
void SimBackend::await_place(StreamRecord& stream, OperationKind kind, const Demand& demand,
                             Call& call) {
  if (stream.capturing() || engine_.has_place(stream.queue, kind, demand)) return;
  Place place(engine_, stream, kind, demand);
  place.call = call.traced;
  hosts_.wait(place, call.lock);
  engine_.note_wait_for_place();
}

// Accesses.

void SimBackend::add_access(TraceIndex operation, const Access& region, AccessMode mode,
                            AccessOrder order) {
  if (drafting_) draft_.accesses.push_back({region, mode, order});
  if (operation == none) return;
  recorder_.access_of_operation(operation,
                                {.begin = region.begin,
                                 .end = region.end,
                                 .pitch = region.pitch,
                                 .width = region.width,
                                 .memory = memories_[handle_index(region.memory)].origin.traced,
                                 .mode = mode,
                                 .order = order});
}

template <typename Options>
void SimBackend::add_accesses(TraceIndex operation, const Options& options) {
  if (operation == none && !drafting_) return;
  for (const Access& region : options.reads) add_access(operation, region, AccessMode::read);
  for (const Access& region : options.writes) add_access(operation, region, AccessMode::write);
  for (const Access& region : options.updates) add_access(operation, region, AccessMode::update);
}

MemoryRecord& SimBackend::check_region(const Access& region, const Call& call) {
  MemoryRecord& found = memory(region.memory, call);
  if (region.begin > region.end || region.end > found.bytes) {
    fail(Errc::InvalidValue, call,
         "bytes [" + std::to_string(region.begin) + ", " + std::to_string(region.end) +
             ") are beyond " + mention("memory", found.origin.name, found.origin.made) + " of " +
             std::to_string(found.bytes) + " bytes");
  }
  if (region.pitch != 0 && (region.width == 0 || region.width > region.pitch)) {
    fail(Errc::InvalidValue, call,
         "a row of " + std::to_string(region.width) + " bytes of " +
             mention("memory", found.origin.name, found.origin.made) + " does not fit a pitch of " +
             std::to_string(region.pitch));
  }
  return found;
}

void SimBackend::check_cost(const std::optional<Duration>& cost, const Call& call) const {
  if (!cost || (*cost >= Duration{0} && *cost <= Duration::longest())) return;
  fail(Errc::InvalidValue, call,
       "a cost of " + to_string(*cost) +
           (*cost < Duration{0} ? " is negative" : " is longer than a run can be"));
}

template <typename Options>
bool SimBackend::check_regions(const Options& options, const Call& call) {
  bool pageable = false;
  for (const AccessList& list : {options.reads, options.writes, options.updates}) {
    for (const Access& region : list) {
      pageable |= check_region(region, call).kind == MemoryKind::pageable;
    }
  }
  return pageable;
}

// Kernels and host functions.

void SimBackend::check_shape(const LaunchOptions& options, Name kernel, const StreamRecord& on,
                             const Call& call) const {
  const auto refuse = [&](Errc code, std::string_view reason) {
    fail(code, call,
         mention("kernel", kernel).append(" for ") +
             mention("stream", on.origin.name, on.origin.made).append(": ").append(reason));
  };
  if (const std::string_view reason = impossible(options); !reason.empty()) {
    refuse(Errc::InvalidValue, reason);
  }
  if (too_large(options)) {
    refuse(Errc::LaunchOutOfResources, "the threads of a block have 65536 registers in all");
  }
}

void SimBackend::launch(Handle handle, Name name, const LaunchOptions& options, Task body,
                        const CallSite& site) {
  perform(CallKind::launch, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    check_shape(options, name, on, call);
    check_cost(options.cost, call);
    const bool pageable = check_regions(options, call);
    const Demand demand = demand_of(options);
    await_place(on, OperationKind::kernel, demand, call);
    const TraceIndex traced = describe(on, OperationKind::kernel, name, none, 0, call);
    add_accesses(traced, options);
    // The device cannot reach pageable memory: a kernel that tries is a fault.
    enqueue(on,
            {.kind = OperationKind::kernel,
             .duration = cost_of(options.cost),
             .traced = traced,
             .fault = pageable ? Errc::IllegalAddress : Errc::Success,
             .demand = demand,
             .body = std::move(body)},
            call);
  });
}

void SimBackend::fault(Handle handle, Errc code, const CallSite& site) {
  perform(CallKind::launch, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    const TraceIndex traced = describe(on, OperationKind::kernel, "fault", none, 0, call);
    enqueue(on,
            {.kind = OperationKind::kernel,
             .duration = profile_.default_operation,
             .traced = traced,
             .fault = code,
             .demand = {.path = Path::kernel}},
            call);
  });
}

void SimBackend::call(Handle handle, Name name, const CallOptions& options, Task body,
                      const CallSite& site) {
  perform(CallKind::host_function, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    check_cost(options.cost, call);
    check_regions(options, call);
    const TraceIndex traced = describe(on, OperationKind::host_function, name, none, 0, call);
    add_accesses(traced, options);
    enqueue(on,
            {.kind = OperationKind::host_function,
             .duration = cost_of(options.cost),
             .traced = traced,
             .body = std::move(body)},
            call);
  });
}

void SimBackend::add_callback(Handle handle, Name name, std::function<void(Errc)> body,
                              const CallSite& site) {
  perform(CallKind::host_function, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    if (!body) fail(Errc::InvalidValue, call, "there is no callback");
    if (on.builds != no_index) fail(Errc::InvalidValue, call, "a callback cannot be a node");
    if (on.capturing()) refuse_to_capture(captures_[on.capture], "a callback cannot be put", call);
    const TraceIndex traced = describe(on, OperationKind::host_function, name, none, 0, call);
    enqueue(on,
            {.kind = OperationKind::host_function,
             .duration = profile_.default_operation,
             .traced = traced,
             .callback = std::move(body)},
            call);
  });
}

// Flags.

Handle SimBackend::create_flag(Name name, const CallSite& site) {
  const Lock lock = hosts_.lock();
  FlagRecord& added = flags_.emplace_back();
  added.origin.name = name;
  added.origin.made = site.where;
  engine_.add_flag();
  if (recorder_.enabled()) {
    added.origin.traced = static_cast<TraceIndex>(recorder_.trace().flags.size());
    recorder_.trace().flags.push_back({.name = recorder_.string(name)});
  }
  return make_handle(HandleKind::flag, flags_.size() - 1);
}

void SimBackend::destroy_flag(Handle handle, const CallSite& site) {
  Look look(*this, site);
  Origin& origin = flag(handle, look.call).origin;
  origin.gone = true;
  origin.destroyed = site.where;
}

void SimBackend::set_flag(Handle handle, Handle flag_handle, std::uint32_t value,
                          const CallSite& site) {
  perform(CallKind::set_flag, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    const TraceIndex traced = describe(on, OperationKind::set_flag, {},
                                       flag(flag_handle, call).origin.traced, value, call);
    enqueue(on,
            {.kind = OperationKind::set_flag,
             .traced = traced,
             .object = static_cast<std::uint32_t>(handle_index(flag_handle)),
             .value = value},
            call);
  });
}

void SimBackend::await_flag(Handle handle, Handle flag_handle, FlagCondition condition,
                            std::uint32_t value, const CallSite& site) {
  perform(CallKind::await_flag, site, [&](Call& call) {
    StreamRecord& on = stream(handle, call);
    const std::uint64_t packed = value | std::uint64_t{static_cast<std::uint8_t>(condition)} << 32;
    const TraceIndex traced = describe(on, OperationKind::await_flag, {},
                                       flag(flag_handle, call).origin.traced, packed, call);
    enqueue(on,
            {.kind = OperationKind::await_flag,
             .traced = traced,
             .object = static_cast<std::uint32_t>(handle_index(flag_handle)),
             .value = value,
             .condition = condition},
            call);
  });
}

}  // namespace millrace::sim
