// SPDX-License-Identifier: Apache-2.0
#include "device_model.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace millrace::sim {

struct DeviceModel::Device {
  Device(const Profile& profile, GridListener& listener)
      : queues(profile.queues),
        grids(profile.multiprocessors, listener),
        engines{CopyEngine(profile.engine_order), CopyEngine(profile.engine_order)} {}

  CopyEngine& engine(Path path) { return engines[path == Path::to_host ? 1 : 0]; }

  HardwareQueues queues;
  Grids grids;
  std::array<CopyEngine, 2> engines;
  std::array<TraceIndex, 2> last_served{none, none};
  std::uint32_t streams = 0;
  SharedRate link;    // copies between host and device
  SharedRate memory;  // copies and fills on the device: each gets its part
};

DeviceModel::DeviceModel(const Profile& profile, int devices, Stage& stage)
    : profile_(profile), delays_(profile.start), stage_(stage) {
  GridListener& listener = *this;
  for (int i = 0; i < devices; ++i) {
    devices_.push_back(std::make_unique<Device>(profile, listener));
  }
}

DeviceModel::~DeviceModel() = default;

void DeviceModel::add_stream(const NewStream& stream) {
  Device& device = *devices_[static_cast<std::size_t>(stream.device)];
  streams_.push_back({stream.device, device.streams++, stream.priority});
  device.queues.add_stream(stream.created);
}

DeviceModel::Device& DeviceModel::device_of(const Work& work) {
  return *devices_[static_cast<std::size_t>(streams_[work.what.stream].device)];
}

HardwareQueues::Entry DeviceModel::entry(const Work& work) const {
  return {work.what.slot, streams_[work.what.stream].index, work.in_queue, work.in_ring};
}

// Queues and rings.

/// Kernels, and what the queue itself carries out: measured is what holds a neighbour.
bool DeviceModel::stands_in_queue(const Work& work) const {
  if (work.what.demand.in_graph) return false;
  switch (profile_.queues.members) {
    case QueueMembers::everything:
      return work.work != WorkClass::other;
    case QueueMembers::kernels:
      return work.what.demand.path == Path::kernel;
    case QueueMembers::compute:
      return work.work == WorkClass::compute || work.work == WorkClass::fill ||
             work.work == WorkClass::timed_record || work.work == WorkClass::wait ||
             work.work == WorkClass::host_function;
  }
  return false;
}

bool DeviceModel::takes_place(OperationKind kind, const Demand& demand) {
  if (demand.in_graph) return false;
  return kind == OperationKind::kernel || kind == OperationKind::copy ||
         kind == OperationKind::fill || (kind == OperationKind::record && demand.timed);
}

bool DeviceModel::has_place(std::uint32_t stream, OperationKind kind, const Demand& demand) {
  if (!takes_place(kind, demand)) return true;
  const StreamPlace& place = streams_[stream];
  const bool room = devices_[static_cast<std::size_t>(place.device)]->queues.has_place(place.index);
  someone_waits_for_place_ |= !room;
  return room;
}

bool DeviceModel::enqueue(const NewWork& what, Time now) {
  if (works_.size() <= what.slot) works_.resize(what.slot + 1);
  Work& work = works_[what.slot];
  work.what = what;
  work.work = work_class(what.kind, what.demand);
  work.phase = Phase::waiting;
  work.due = -1;
  work.earliest = (now + delays_.latency(work.work, what.demand.path)).ns;
  work.in_queue = stands_in_queue(work);
  work.in_ring = takes_place(what.kind, what.demand);
  return device_of(work).queues.enqueue(entry(work));
}

/// It leaves its queue: what stands behind it may go on.
void DeviceModel::pass_on(Work& work) {
  const std::uint32_t behind = device_of(work).queues.pass_on(entry(work));
  if (behind != no_slot) stage_.release(behind, ConstraintKind::queue_neighbour, work.what.traced);
}

void DeviceModel::mark_started(Work& work, ConstraintKind kind, TraceIndex because) {
  stage_.mark_started(work.what.slot, kind, because);
  leave_ring(work);
}

void DeviceModel::leave_ring(const Work& work) {
  if (!work.in_ring) return;
  device_of(work).queues.started(entry(work));
  last_place_ = work.what.traced;
  if (std::exchange(someone_waits_for_place_, false)) stage_.place_freed();
}

// An operation's way.

void DeviceModel::released(std::uint32_t slot, std::uint32_t before, bool in_graph, Time now) {
  Work& work = works_[slot];
  const Duration gap = in_graph ? delays_.in_graph() : delays_.gap(works_[before].work, work.work);
  work.earliest = std::max(work.earliest, (now + gap).ns);
}

void DeviceModel::schedule(Work& work, Time at) {
  work.due = at.ns;
  stage_.schedule(work.what.slot, at);
}

void DeviceModel::ready(std::uint32_t slot, Time now) {
  Work& work = works_[slot];
  now_ = now;
  const Path path = work.what.demand.path;
  if (path == Path::to_device || path == Path::to_host) {
    pass_on(work);
    return ask_engine(work, now);
  }
  const bool is_grid = path == Path::kernel || path == Path::on_device || path == Path::fill;
  if (!is_grid) pass_on(work);  // a grid leaves when it is admitted
  if (work.earliest <= now.ns) return start(work, now);
  work.phase = Phase::starting;
  schedule(work, Time{work.earliest});
}

/// Its time to start is over.
void DeviceModel::start(Work& work, Time now) {
  const Path path = work.what.demand.path;
  if (path == Path::kernel || path == Path::on_device || path == Path::fill) return ask_grids(work);
  if (path == Path::none) {
    work.phase = Phase::running;
    leave_ring(work);
    return stage_.commence(work.what.slot);
  }
  if (work.phase == Phase::asking) return begin_copy(work, now);
  work.phase = Phase::running;  // a small fill
  mark_started(work, ConstraintKind::unknown, none);
  schedule(work, now + work.what.duration);
}

bool DeviceModel::happened(std::uint32_t slot, Time now) {
  Work& work = works_[slot];
  now_ = now;
  if (work.phase == Phase::running && work.what.demand.path == Path::kernel) {
    return device_of(work).grids.blocks_end(slot, now);
  }
  if (work.what.demand.path == Path::none && work.phase == Phase::running) return true;
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
  device.queues.ended(streams_[work.what.stream].index);
  switch (work.what.demand.path) {
    case Path::to_device:
    case Path::to_host:
      device.engine(work.what.demand.path).done();
      device.last_served[work.what.demand.path == Path::to_host ? 1 : 0] = work.what.traced;
      device.link.leave(slot, now);
      break;
    case Path::on_device:
    case Path::fill:
      device.memory.leave(slot, now);
      device.grids.finish(slot);
      break;
    case Path::kernel:
      device.grids.finish(slot);
      break;
    default:
      break;
  }
}

void DeviceModel::dispatch(Time now) {
  now_ = now;
  for (const std::unique_ptr<Device>& device : devices_) {
    for (CopyEngine& engine : device->engines) serve(engine, now);
    device->grids.dispatch(now);
    adjust_rates(*device, now);
    tell_ends(device->link);
    tell_ends(device->memory);
  }
}

void DeviceModel::discard(int index) {
  Device& device = *devices_[static_cast<std::size_t>(index)];
  device.queues.clear();
  device.grids.clear();
  for (CopyEngine& engine : device.engines) engine = CopyEngine(profile_.engine_order);
  device.link.clear();
  device.memory.clear();
  if (std::exchange(someone_waits_for_place_, false)) stage_.place_freed();
}

// Copies between host and device.

void DeviceModel::ask_engine(Work& work, Time now) {
  work.phase = Phase::asking;
  work.asked = now.ns;
  device_of(work)
      .engine(work.what.demand.path)
      .ready({work.what.slot, work.what.serial, streams_[work.what.stream].priority});
}

/// The engine is the copy's from now on, also while that still needs its time to start.
void DeviceModel::serve(CopyEngine& engine, Time now) {
  const std::uint32_t slot = engine.serve();
  if (slot == no_slot) return;
  Work& work = works_[slot];
  if (work.earliest > now.ns) {
    schedule(work, Time{work.earliest});
  } else {
    begin_copy(work, now);
  }
}

void DeviceModel::begin_copy(Work& work, Time now) {
  Device& device = device_of(work);
  // It had to wait for the engine if that was still busy when nothing else held it any more.
  const bool waited = work.asked < now.ns && work.earliest < now.ns;
  const TraceIndex before = device.last_served[work.what.demand.path == Path::to_host ? 1 : 0];
  mark_started(work, waited ? ConstraintKind::engine : ConstraintKind::unknown, before);
  work.phase = Phase::running;
  use_bandwidth(work, device.link, now);
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
  rate.join(work.what.slot, work.what.duration - fixed_part(work), now);
}

void DeviceModel::tell_ends(SharedRate& rate) {
  rate.tell_ends([this](std::uint32_t slot, Time end) { schedule(works_[slot], end); });
}

// Grids: kernels, and what uses multiprocessors to copy and fill.

Duration DeviceModel::fixed_part(const Work& work) const {
  const Path path = work.what.demand.path;
  if (path != Path::on_device && path != Path::fill) return {};
  const TransferTime& time =
      path == Path::fill ? profile_.transfers.fill : profile_.transfers.on_device;
  return std::min(time.fixed(), work.what.duration);
}

void DeviceModel::ask_grids(Work& work) {
  const bool kernel = work.what.demand.path == Path::kernel;
  Demand demand = work.what.demand;
  if (!kernel) demand = {.threads = profile_.transfers.device_copy_threads};
  work.phase = Phase::asking;
  device_of(work).grids.arrive({.slot = work.what.slot,
                                .traced = work.what.traced,
                                .priority = streams_[work.what.stream].priority,
                                .demand = demand,
                                .block_time = work.what.duration,
                                .open_ended = !kernel});
}

void DeviceModel::admitted(std::uint32_t slot) { pass_on(works_[slot]); }

void DeviceModel::started(std::uint32_t slot, ConstraintKind kind, TraceIndex because) {
  Work& work = works_[slot];
  mark_started(work, kind, because);
  if (work.what.demand.path == Path::kernel) {
    work.phase = Phase::running;
    return;
  }
  work.phase = Phase::bandwidth;
  schedule(work, now_ + fixed_part(work));
}

void DeviceModel::wake(std::uint32_t slot, Time at) { stage_.schedule(slot, at); }

}  // namespace millrace::sim
