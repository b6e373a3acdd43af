// SPDX-License-Identifier: Apache-2.0
#include "device_model.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace millrace::sim {

struct DeviceModel::Device {
  Device(int index, const Profile& profile, GridListener& listener)
      : number(index),
        queues(profile.queues),
        grids(profile.multiprocessors, listener),
        engines{CopyEngine(profile.engine_order), CopyEngine(profile.engine_order)} {}

  CopyEngine& engine(Path path) { return engines[path == Path::to_host ? 1 : 0]; }

  int number;
  HardwareQueues queues;
  Grids grids;
  std::array<CopyEngine, 2> engines;
  [[nodiscard]] bool transfers() const { return link.size() + memory.size() > 0; }
  /// Whether anything waits for what a kernel gives back, or goes on slower beside one.
  [[nodiscard]] bool heeds_kernels() const { return grids.waiting() || link.size() > 0; }

  std::uint32_t streams = 0;
  SharedRate link;       // copies between host and device
  SharedRate memory;     // copies and fills on the device: each gets its part
  bool changed = false;  // something may be able to start, or end at another time
};

namespace {

/// What stands in a hardware queue: kernels, and what the queue itself carries out; measured is
/// what holds a neighbour.
std::array<bool, work_classes> members(QueueMembers policy) {
  std::array<bool, work_classes> stands{};
  const auto add = [&stands](std::initializer_list<WorkClass> classes) {
    for (const WorkClass work : classes) stands[static_cast<std::size_t>(work)] = true;
  };
  add({WorkClass::compute});
  if (policy == QueueMembers::kernels) return stands;
  add({WorkClass::fill, WorkClass::timed_record, WorkClass::wait, WorkClass::host_function});
  if (policy == QueueMembers::everything) add({WorkClass::copy, WorkClass::record});
  return stands;
}

}  // namespace

DeviceModel::DeviceModel(const Profile& profile, int devices, Stage& stage, Recorder& recorder)
    : profile_(profile),
      delays_(profile.start),
      queue_members_(members(profile.queues.members)),
      stage_(stage),
      log_(profile, recorder) {
  GridListener& listener = *this;
  for (int i = 0; i < devices; ++i) {
    devices_.push_back(std::make_unique<Device>(i, profile, listener));
  }
}

DeviceModel::~DeviceModel() = default;

void DeviceModel::add_stream(const NewStream& stream) {
  Device& device = *devices_[static_cast<std::size_t>(stream.device)];
  streams_.push_back({&device, device.streams++, stream.priority});
  device.queues.add_stream(stream.created);
}

DevicePart DeviceModel::part(const Work& work, ResourceKind kind, std::uint32_t number) const {
  return {streams_[work.stream].device->number, kind, number};
}

/// Its device, where something may be able to start or to end at another time from now on.
DeviceModel::Device& DeviceModel::changing(const Work& work) {
  Device& device = device_of(work);
  device.changed = changed_ = true;
  return device;
}

// Queues and rings.

bool DeviceModel::stands_in_queue(WorkClass kind, const Demand& demand) const {
  if (demand.in_graph || !queue_members_[static_cast<std::size_t>(kind)]) return false;
  return profile_.queues.members != QueueMembers::kernels || demand.path == Path::kernel;
}

bool DeviceModel::takes_place(WorkClass kind, const Demand& demand) {
  return !demand.in_graph && (kind == WorkClass::compute || kind == WorkClass::fill ||
                              kind == WorkClass::copy || kind == WorkClass::timed_record);
}

bool DeviceModel::has_place(std::uint32_t stream, OperationKind kind, const Demand& demand) {
  if (!takes_place(work_class(kind, demand), demand)) return true;
  const StreamPlace& place = streams_[stream];
  const bool room = place.device->queues.has_place(place.index);
  someone_waits_for_place_ |= !room;
  return room;
}

bool DeviceModel::enqueue(std::uint32_t slot, const NewOperation& operation, Time now) {
  if (works_.size() <= slot) works_.resize(slot + 1);
  const Demand& demand = operation.demand;
  const WorkClass kind = work_class(operation.kind, demand);
  Work& work = works_[slot];
  work = Work{.demand = demand,
              .duration = operation.duration,
              .earliest = (now + delays_.latency(kind, demand.path)).ns,
              .slot = slot,
              .stream = operation.stream,
              .traced = operation.traced,
              .kind = kind,
              .phase = Phase::waiting,
              .in_queue = stands_in_queue(kind, demand),
              .in_ring = takes_place(kind, demand)};
  HardwareQueues& queues = device_of(work).queues;
  const bool waits = queues.enqueue(entry(work));
  if (work.in_queue && work.traced != none) {
    const std::uint32_t queue = queues.queue_of(streams_[work.stream].index);
    log_.begin(part(work, ResourceKind::hardware_queue, queue), work.traced, 1, now);
  }
  return waits;
}

/// It leaves its queue: what stands behind it may go on.
void DeviceModel::pass_on(Work& work) {
  if (!work.in_queue) return;
  log_.end(work.traced, now_);
  const std::uint32_t behind = device_of(work).queues.pass_on(entry(work));
  if (behind != no_slot) stage_.release(behind, ConstraintKind::queue_neighbour, work.traced);
}

std::uint32_t DeviceModel::before_in_queue(std::uint32_t slot) {
  return device_of(works_[slot]).queues.before(slot);
}

void DeviceModel::mark_started(Work& work, ConstraintKind kind, TraceIndex because) {
  stage_.mark_started(work.slot, kind, because);
  leave_ring(work);
}

void DeviceModel::leave_ring(const Work& work) {
  if (!work.in_ring) return;
  device_of(work).queues.started(entry(work));
  last_place_ = work.traced;
  if (std::exchange(someone_waits_for_place_, false)) stage_.place_freed();
}

// An operation's way.

void DeviceModel::schedule(Work& work, Time at) {
  work.due = at.ns;
  stage_.schedule(work.slot, at);
}

void DeviceModel::ready(std::uint32_t slot, std::uint64_t serial, Time now) {
  Work& work = works_[slot];
  now_ = now;
  const Path path = work.demand.path;
  if (is_link_copy(path)) {
    pass_on(work);
    return ask_engine(work, serial, now);
  }
  if (!is_grid(path)) pass_on(work);  // a grid leaves when it is admitted
  if (work.earliest <= now.ns) return start(work, now);
  work.phase = Phase::starting;
  schedule(work, Time{work.earliest});
}

/// Its time to start is over.
void DeviceModel::start(Work& work, Time now) {
  const Path path = work.demand.path;
  if (is_grid(path)) return ask_grids(work);
  if (path == Path::none) {
    work.phase = Phase::running;
    leave_ring(work);
    return stage_.commence(work.slot);
  }
  if (work.phase == Phase::asking) return begin_copy(work, false, now);
  work.phase = Phase::running;  // a small fill
  mark_started(work, ConstraintKind::unknown, none);
  schedule(work, now + work.duration);
}

bool DeviceModel::happened(std::uint32_t slot, Time now) {
  Work& work = works_[slot];
  now_ = now;
  if (work.phase == Phase::running) {
    if (work.demand.path == Path::none) return true;
    if (work.demand.path == Path::kernel) {
      Device& device = device_of(work);
      if (device.heeds_kernels()) changing(work);
      return device.grids.blocks_end(slot, now);
    }
  }
  if (work.due != now.ns) return false;  // an end that has moved meanwhile
  work.due = -1;
  switch (work.phase) {
    case Phase::starting:
    case Phase::asking:
      start(work, now);
      return false;
    case Phase::bandwidth:
      work.phase = Phase::running;
      use_bandwidth(work, device_of(work).memory, now);
      return false;
    default:
      return true;
  }
}

void DeviceModel::ended(std::uint32_t slot, Time now) {
  Work& work = works_[slot];
  Device& device = device_of(work);
  device.queues.ended(streams_[work.stream].index);
  const Path path = work.demand.path;
  if (path == Path::none) return;
  if (path == Path::kernel) {
    device.grids.finish(slot);
    if (device.heeds_kernels()) changing(work);
    return;
  }
  changing(work);
  log_.end(work.traced, now);
  if (is_link_copy(path)) {
    device.engine(path).done(work.traced);
    device.link.leave(slot, now);
  } else if (is_grid(path)) {
    device.memory.leave(slot, now);
    device.grids.finish(slot);
  }
}

void DeviceModel::dispatch_changed(Time now) {
  now_ = now;
  for (const std::unique_ptr<Device>& device : devices_) {
    if (!std::exchange(device->changed, false)) continue;
    for (CopyEngine& engine : device->engines) {
      if (engine.can_serve()) serve(engine, now);
    }
    device->grids.dispatch(now);
    if (device->transfers()) share_rates(*device, now);
  }
}

void DeviceModel::discard(int index, Time now) {
  Device& device = *devices_[static_cast<std::size_t>(index)];
  device.queues.clear();
  device.grids.clear();
  for (CopyEngine& engine : device.engines) engine = CopyEngine(profile_.engine_order);
  device.link.clear();
  device.memory.clear();
  log_.cut(index, now);
  if (std::exchange(someone_waits_for_place_, false)) stage_.place_freed();
}

// Copies between host and device.

void DeviceModel::ask_engine(Work& work, std::uint64_t serial, Time now) {
  work.phase = Phase::asking;
  changing(work)
      .engine(work.demand.path)
      .ready({work.slot, serial, streams_[work.stream].priority, now});
}

/// The engine is the copy's from now on, also while that still needs its time to start.
void DeviceModel::serve(CopyEngine& engine, Time now) {
  const CopyEngine::Copy copy = engine.serve();
  Work& work = works_[copy.slot];
  const std::uint32_t number = work.demand.path == Path::to_host ? 1 : 0;
  log_.begin(part(work, ResourceKind::copy_engine, number), work.traced, 1, now);
  if (work.earliest > now.ns) return schedule(work, Time{work.earliest});
  // It had to wait for the engine if that was still busy when nothing else held it any more.
  begin_copy(work, copy.asked < now && work.earliest < now.ns, now);
}

void DeviceModel::begin_copy(Work& work, bool waited, Time now) {
  Device& device = device_of(work);
  mark_started(work, waited ? ConstraintKind::engine : ConstraintKind::unknown,
               device.engine(work.demand.path).last_served());
  work.phase = Phase::running;
  use_bandwidth(work, device.link, now);
}

void DeviceModel::share_rates(Device& device, Time now) {
  adjust_rates(device, now);
  tell_ends(device.link);
  tell_ends(device.memory);
}

/// Both directions at once, and a kernel beside, make copies longer; memory is shared fairly.
void DeviceModel::adjust_rates(Device& device, Time now) {
  if (device.link.size() > 0) {
    std::int64_t slowdown = 1000;
    if (device.link.size() > 1) slowdown = slowdown * profile_.transfers.both_directions / 1000;
    if (device.grids.running()) slowdown = slowdown * profile_.transfers.beside_kernel / 1000;
    device.link.set_slowdown(slowdown, now);
  }
  if (const auto sharing = static_cast<std::int64_t>(device.memory.size()); sharing > 0) {
    device.memory.set_slowdown(sharing * 1000, now);
  }
}

void DeviceModel::use_bandwidth(Work& work, SharedRate& rate, Time now) {
  rate.join(work.slot, work.duration - fixed_part(work), now);
  changing(work);
}

void DeviceModel::tell_ends(SharedRate& rate) {
  rate.tell_ends([this](std::uint32_t slot, Time end) { schedule(works_[slot], end); });
}

// Grids: kernels, and what uses multiprocessors to copy and fill.

Duration DeviceModel::fixed_part(const Work& work) const {
  const Path path = work.demand.path;
  if (path != Path::on_device && path != Path::fill) return {};
  const TransferTime& time =
      path == Path::fill ? profile_.transfers.fill : profile_.transfers.on_device;
  return std::min(time.fixed(), work.duration);
}

void DeviceModel::ask_grids(Work& work) {
  const bool kernel = work.demand.path == Path::kernel;
  work.phase = Phase::asking;
  const Demand block{.threads = profile_.transfers.device_copy_threads};
  const bool inside = changing(work).grids.arrive({.slot = work.slot,
                                                   .traced = work.traced,
                                                   .priority = streams_[work.stream].priority,
                                                   .demand = kernel ? work.demand : block,
                                                   .block_time = work.duration,
                                                   .open_ended = !kernel});
  if (inside) pass_on(work);
}

void DeviceModel::let_in(std::uint32_t slot) { pass_on(works_[slot]); }

void DeviceModel::started(std::uint32_t slot, ConstraintKind kind, TraceIndex because) {
  Work& work = works_[slot];
  mark_started(work, kind, because);
  if (work.demand.path == Path::kernel) {
    work.phase = Phase::running;
    return;
  }
  work.phase = Phase::bandwidth;
  schedule(work, now_ + fixed_part(work));
}

void DeviceModel::placed(std::uint32_t slot, std::uint64_t warps, Time begin, Time end) {
  const Work& work = works_[slot];
  const DevicePart multiprocessors = part(work, ResourceKind::multiprocessors, 0);
  const auto amount = static_cast<std::uint32_t>(warps);
  if (end == Time::never()) return log_.begin(multiprocessors, work.traced, amount, begin);
  log_.add(multiprocessors, work.traced, amount, begin, end);
}

void DeviceModel::wake(std::uint32_t slot, Time at) { stage_.schedule(slot, at); }

}  // namespace millrace::sim
