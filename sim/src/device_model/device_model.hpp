// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What operations of all devices compete for. The engine hands an operation over when all that it
/// was enqueued behind is done (`ready`), and gets it back to start it or to end it (`Stage`).
///
/// An operation's way: it stands in its stream's hardware queue (HardwareQueues); when it is ready
/// and at the head there it needs its time to start (Delays); then it waits for what its path asks
/// for: a copy engine (CopyEngine), a place among the grids and room for its blocks (Grids),
/// memory's bandwidth (SharedRate).

#include "../new_operation.hpp"
#include "../profile.hpp"
#include "copy_engines.hpp"
#include "demand.hpp"
#include "grids.hpp"
#include "hardware_queues.hpp"
#include "resource_log.hpp"
#include "shared_rate.hpp"
#include "start_delays.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace millrace::sim {

class DeviceModel final : private GridListener {
 public:
  DeviceModel(const Profile& profile, int devices, Stage& stage, Recorder& recorder);
  ~DeviceModel() override;

  struct NewStream {
    int device = 0;
    std::int32_t priority = 0;
    bool created = false;  ///< false: a default stream
  };
  /// Streams count from 0 on over all devices.
  void add_stream(const NewStream& stream);
  /// Whether the launch ring has a place for such an operation of this stream. If not, the stage is
  /// told when one is free.
  bool has_place(std::uint32_t stream, OperationKind kind, const Demand& demand);
  /// The operation that freed the last place.
  [[nodiscard]] TraceIndex last_place() const { return last_place_; }

  /// An operation is enqueued. Returns whether it has to wait for what stands before it in its
  /// queue: `Stage::release` is called then.
  bool enqueue(std::uint32_t slot, const NewOperation& operation, Time now);
  /// `before`, one of those that it was enqueued behind, has ended.
  void released(std::uint32_t slot, std::uint32_t before, bool in_graph, Time now) {
    Work& work = works_[slot];
    const Duration gap =
        in_graph ? delays_.in_graph() : delays_.gap(works_[before].kind, work.kind);
    work.earliest = std::max(work.earliest, (now + gap).ns);
  }
  /// It is soon to be released.
  void prefetch(std::uint32_t slot) const { __builtin_prefetch(&works_[slot], 1); }
  /// All that it was enqueued behind is done; `serial` is its place in the order of submission.
  void ready(std::uint32_t slot, std::uint64_t serial, Time now);
  /// A time that was scheduled for it. Returns whether it ends now.
  bool happened(std::uint32_t slot, Time now);
  /// It has ended, and what waited for it is released.
  void ended(std::uint32_t slot, Time now);
  /// Starts what can start. To be called when nothing else happens at `now`; again, if that has
  /// made operations ready.
  void dispatch(Time now) {
    if (std::exchange(changed_, false)) dispatch_changed(now);
  }
  /// The operation that it stands behind in its hardware queue; `no_slot` if there is none.
  [[nodiscard]] std::uint32_t before_in_queue(std::uint32_t slot);
  /// All of the device's operations are gone.
  void discard(int device, Time now);

 private:
  enum class Phase : std::uint8_t { waiting, starting, asking, running, bandwidth };
  /// One cache line: as in the engine, most of the time is spent fetching these.
  struct alignas(64) Work {
    Demand demand{};
    Duration duration{};
    std::int64_t earliest = 0;  // it cannot start before, for all that is known
    std::int64_t due = -1;      // of the events scheduled for it, the one that counts
    std::uint32_t slot = no_slot;
    std::uint32_t stream = 0;
    TraceIndex traced = none;
    WorkClass kind{};
    Phase phase{};
    bool in_queue = false;
    bool in_ring = false;
  };
  struct Device;
  struct StreamPlace {
    Device* device = nullptr;
    std::uint32_t index = 0;  // on its device
    std::int32_t priority = 0;
  };

  Device& device_of(const Work& work) { return *streams_[work.stream].device; }
  [[nodiscard]] DevicePart part(const Work& work, ResourceKind kind, std::uint32_t number) const;
  [[nodiscard]] HardwareQueues::Entry entry(const Work& work) const {
    return {work.slot, streams_[work.stream].index, work.in_queue, work.in_ring};
  }
  [[nodiscard]] bool stands_in_queue(WorkClass kind, const Demand& demand) const;
  static bool takes_place(WorkClass kind, const Demand& demand);

  Device& changing(const Work& work);
  void dispatch_changed(Time now);
  void pass_on(Work& work);
  void start(Work& work, Time now);
  void mark_started(Work& work, ConstraintKind kind, TraceIndex because);
  void leave_ring(const Work& work);
  void schedule(Work& work, Time at);
  void ask_engine(Work& work, std::uint64_t serial, Time now);
  void ask_grids(Work& work);
  void serve(CopyEngine& engine, Time now);
  void begin_copy(Work& work, bool waited, Time now);
  void use_bandwidth(Work& work, SharedRate& rate, Time now);
  void tell_ends(SharedRate& rate);
  void share_rates(Device& device, Time now);
  void adjust_rates(Device& device, Time now);
  [[nodiscard]] Duration fixed_part(const Work& work) const;

  // GridListener
  void let_in(std::uint32_t slot) override;
  void started(std::uint32_t slot, ConstraintKind kind, TraceIndex because) override;
  void placed(std::uint32_t slot, std::uint64_t warps, Time begin, Time end) override;
  void wake(std::uint32_t slot, Time at) override;

  Profile profile_;
  Delays delays_;
  std::array<bool, work_classes> queue_members_{};
  Stage& stage_;
  ResourceLog log_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<StreamPlace> streams_;
  std::vector<Work> works_;  // by slot
  TraceIndex last_place_ = none;
  Time now_{};
  bool someone_waits_for_place_ = false;
  bool changed_ = false;  // one of the devices has
};

}  // namespace millrace::sim
