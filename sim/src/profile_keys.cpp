// SPDX-License-Identifier: Apache-2.0
// Every key that a profile may have, and what it sets.

#include "address_space.hpp"
#include "profile.hpp"
#include "profile_text.hpp"

#include <algorithm>
#include <span>

namespace millrace::sim {
namespace {

constexpr std::uint64_t version = 1;

using Value = ProfileValue;
struct Key {
  std::string_view name;
  void (*set)(Profile& profile, const Value& value);
};

constexpr Key general[] = {
    {"profile.name", [](Profile& p, const Value& v) { v.to(p.name); }},
    {"profile.device_model", [](Profile& p, const Value& v) { v.to(p.device_model); }},
    {"profile.default_operation", [](Profile& p, const Value& v) { v.to(p.default_operation); }},
    {"profile.event_clock", [](Profile& p, const Value& v) { v.to(p.event_clock); }},
    {"host.timed_record", [](Profile& p, const Value& v) { v.to(p.host.timed_record); }},
    {"host.copy_to_device", [](Profile& p, const Value& v) { v.to(p.host.copy_to_device); }},
    {"host.copy_to_host", [](Profile& p, const Value& v) { v.to(p.host.copy_to_host); }},
    {"host.copy_on_device", [](Profile& p, const Value& v) { v.to(p.host.copy_on_device); }},
    {"host.staging", [](Profile& p, const Value& v) { v.to(p.host.staging); }},
    {"host.copy_on_host", [](Profile& p, const Value& v) { v.to(p.host.host_copy); }},
    {"host.wake", [](Profile& p, const Value& v) { v.to(p.host.wake); }},
    {"host.wake_after_record", [](Profile& p, const Value& v) { v.to(p.host.wake_after_record); }},
    {"host.free_blocks", [](Profile& p, const Value& v) { v.to(p.free_blocks); }},
    {"memory.pool_chunk", [](Profile& p, const Value& v) { v.to(p.pool_chunk); }},
    {"host.pageable_blocks", [](Profile& p, const Value& v) { v.to(p.pageable_blocks); }},
};

struct HostKey {
  std::string_view name;
  CallKind kind;
};
/// `host.NAME`: what a call of that kind costs its thread.
constexpr HostKey calls[] = {
    {"launch", CallKind::launch},
    {"fill", CallKind::fill},
    {"host_function", CallKind::host_function},
    {"record", CallKind::record},
    {"wait", CallKind::wait},
    {"allocate", CallKind::allocate},
    {"free", CallKind::free},
    {"set_flag", CallKind::set_flag},
    {"await_flag", CallKind::await_flag},
    {"begin_capture", CallKind::begin_capture},
    {"end_capture", CallKind::end_capture},
    {"launch_graph", CallKind::launch_graph},
    {"synchronize_stream", CallKind::synchronize_stream},
    {"synchronize_event", CallKind::synchronize_event},
    {"synchronize_device", CallKind::synchronize_device},
    {"query_stream", CallKind::query_stream},
    {"query_event", CallKind::query_event},
    {"elapsed_time", CallKind::elapsed_time},
    {"create_stream", CallKind::create_stream},
    {"destroy_stream", CallKind::destroy_stream},
    {"create_event", CallKind::create_event},
    {"destroy_event", CallKind::destroy_event},
    {"create_graph", CallKind::create_graph},
    {"destroy_graph", CallKind::destroy_graph},
    {"malloc", CallKind::malloc},
    {"plain_free", CallKind::host_free},
};

constexpr Key starts[] = {
    {"start.kernel", [](Profile& p, const Value& v) { v.to(p.start.kernel); }},
    {"start.copy", [](Profile& p, const Value& v) { v.to(p.start.copy); }},
    {"start.device_copy", [](Profile& p, const Value& v) { v.to(p.start.device_copy); }},
    {"start.fill", [](Profile& p, const Value& v) { v.to(p.start.fill); }},
    {"start.record", [](Profile& p, const Value& v) { v.to(p.start.record); }},
    {"start.timed_record", [](Profile& p, const Value& v) { v.to(p.start.timed_record); }},
    {"start.host_function", [](Profile& p, const Value& v) { v.to(p.start.host_function); }},
    {"gap.kernel_after_kernel",
     [](Profile& p, const Value& v) { v.to(p.start.kernel_after_kernel); }},
    {"gap.kernel_after_timed_record",
     [](Profile& p, const Value& v) { v.to(p.start.kernel_after_timed_record); }},
    {"gap.kernel_after_copy", [](Profile& p, const Value& v) { v.to(p.start.kernel_after_copy); }},
    {"gap.kernel_after_host_function",
     [](Profile& p, const Value& v) { v.to(p.start.kernel_after_host_function); }},
    {"gap.kernel_in_graph", [](Profile& p, const Value& v) { v.to(p.start.kernel_in_graph); }},
    {"gap.copy_after_copy", [](Profile& p, const Value& v) { v.to(p.start.copy_after_copy); }},
    {"gap.copy_after_timed_record",
     [](Profile& p, const Value& v) { v.to(p.start.copy_after_timed_record); }},
    {"gap.fill_after_other", [](Profile& p, const Value& v) { v.to(p.start.fill_after_other); }},
    {"gap.copy_after_other", [](Profile& p, const Value& v) { v.to(p.start.copy_after_other); }},
    {"gap.host_function_after_host_function",
     [](Profile& p, const Value& v) { v.to(p.start.host_function_after_host_function); }},
    {"gap.host_function_after_other",
     [](Profile& p, const Value& v) { v.to(p.start.host_function_after_other); }},
    {"record.time", [](Profile& p, const Value& v) { v.to(p.record); }},
    {"record.time_timed", [](Profile& p, const Value& v) { v.to(p.timed_record); }},
};

constexpr Key transfers[] = {
    {"copy.to_device", [](Profile& p, const Value& v) { v.to(p.transfers.to_device.paired); }},
    {"copy.to_device_overhead",
     [](Profile& p, const Value& v) { v.to(p.transfers.to_device.overhead); }},
    {"copy.to_host", [](Profile& p, const Value& v) { v.to(p.transfers.to_host.paired); }},
    {"copy.to_host_overhead",
     [](Profile& p, const Value& v) { v.to(p.transfers.to_host.overhead); }},
    {"copy.on_device", [](Profile& p, const Value& v) { v.to(p.transfers.on_device.paired); }},
    {"copy.on_device_overhead",
     [](Profile& p, const Value& v) { v.to(p.transfers.on_device.overhead); }},
    {"copy.between_devices",
     [](Profile& p, const Value& v) { v.to(p.transfers.between_devices.paired); }},
    {"copy.between_devices_overhead",
     [](Profile& p, const Value& v) { v.to(p.transfers.between_devices.overhead); }},
    {"copy.pageable", [](Profile& p, const Value& v) { v.to(p.transfers.pageable); }},
    {"copy.staging_bytes", [](Profile& p, const Value& v) { v.to(p.transfers.staging_bytes); }},
    {"copy.both_directions",
     [](Profile& p, const Value& v) { v.to_per_mille(p.transfers.both_directions); }},
    {"copy.beside_kernel",
     [](Profile& p, const Value& v) { v.to_per_mille(p.transfers.beside_kernel); }},
    {"copy.on_device_threads",
     [](Profile& p, const Value& v) { v.to(p.transfers.device_copy_threads); }},
    {"fill.time", [](Profile& p, const Value& v) { v.to(p.transfers.fill.paired); }},
    {"fill.overhead", [](Profile& p, const Value& v) { v.to(p.transfers.fill.overhead); }},
    {"fill.inline_up_to", [](Profile& p, const Value& v) { v.to(p.transfers.inline_fill); }},
    {"copy.order",
     [](Profile& p, const Value& v) {
       v.to<EngineOrder>(p.engine_order, {{"submission", EngineOrder::submission},
                                          {"readiness", EngineOrder::readiness},
                                          {"priority", EngineOrder::priority}});
     }},
};

constexpr Key queues[] = {
    {"queues.count", [](Profile& p, const Value& v) { v.to(p.queues.count); }},
    {"queues.assignment",
     [](Profile& p, const Value& v) {
       v.to<QueueAssignment>(p.queues.assignment, {{"created", QueueAssignment::created},
                                                   {"busy", QueueAssignment::busy}});
     }},
    {"queues.default_streams",
     [](Profile& p, const Value& v) {
       v.to<DefaultStreamQueue>(p.queues.default_streams, {{"last", DefaultStreamQueue::last},
                                                           {"first", DefaultStreamQueue::first},
                                                           {"own", DefaultStreamQueue::own}});
     }},
    {"queues.members",
     [](Profile& p, const Value& v) {
       v.to<QueueMembers>(p.queues.members, {{"compute", QueueMembers::compute},
                                             {"kernels", QueueMembers::kernels},
                                             {"everything", QueueMembers::everything}});
     }},
    {"queues.ring", [](Profile& p, const Value& v) { v.to(p.queues.ring); }},
    {"queues.ring_scope",
     [](Profile& p, const Value& v) {
       v.to<RingScope>(p.queues.ring_scope,
                       {{"queue", RingScope::queue}, {"stream", RingScope::stream}});
     }},
};

constexpr Key multiprocessors[] = {
    {"sm.count", [](Profile& p, const Value& v) { v.to(p.multiprocessors.count); }},
    {"sm.warps", [](Profile& p, const Value& v) { v.to(p.multiprocessors.warps); }},
    {"sm.blocks", [](Profile& p, const Value& v) { v.to(p.multiprocessors.blocks); }},
    {"sm.registers", [](Profile& p, const Value& v) { v.to(p.multiprocessors.registers); }},
    {"sm.shared_bytes", [](Profile& p, const Value& v) { v.to(p.multiprocessors.shared_bytes); }},
    {"sm.shared_reserved",
     [](Profile& p, const Value& v) { v.to(p.multiprocessors.shared_reserved); }},
    {"sm.grids", [](Profile& p, const Value& v) { v.to(p.multiprocessors.grids); }},
    {"sm.head_of_line",
     [](Profile& p, const Value& v) {
       v.to<HeadOfLine>(p.multiprocessors.head_of_line,
                        {{"strict", HeadOfLine::strict}, {"passing", HeadOfLine::passing}});
     }},
    {"sm.placement",
     [](Profile& p, const Value& v) {
       v.to<Placement>(p.multiprocessors.placement, {{"most_room", Placement::most_room},
                                                     {"lowest_number", Placement::lowest_number}});
     }},
    {"sm.urgent_at_limit",
     [](Profile& p, const Value& v) {
       v.to<UrgentAtLimit>(
           p.multiprocessors.urgent_at_limit,
           {{"drain", UrgentAtLimit::drain}, {"next_place", UrgentAtLimit::next_place}});
     }},
};

bool set_host_call(Profile& profile, const Value& value) {
  constexpr std::string_view section = "host.";
  if (!value.key.starts_with(section)) return false;
  const std::string_view name = std::string_view(value.key).substr(section.size());
  const HostKey* const known = std::ranges::find(calls, name, &HostKey::name);
  if (known == std::end(calls)) return false;
  value.to(profile.host.of(known->kind));
  return true;
}

void set(Profile& profile, const Value& value) {
  for (const std::span<const Key> keys :
       {std::span<const Key>(general), std::span<const Key>(starts),
        std::span<const Key>(transfers), std::span<const Key>(queues),
        std::span<const Key>(multiprocessors)}) {
    const auto known = std::ranges::find(keys, std::string_view(value.key), &Key::name);
    if (known != keys.end()) return known->set(profile, value);
  }
  if (!set_host_call(profile, value)) {
    refuse_profile(value.origin, value.line, "there is no key '" + value.key + "'");
  }
}

void check_version(const std::vector<Value>& values, std::string_view origin) {
  if (values.empty() || values.front().key != "profile.version") {
    refuse_profile(origin, values.empty() ? 0 : values.front().line,
                   "expected 'version = 1' first, in [profile]");
  }
  const std::uint64_t found = values.front().whole(~0ULL);
  if (found == 0 || found > version) {
    refuse_profile(origin, values.front().line,
                   "is of version " + std::to_string(found) + "; this Millrace reads 1");
  }
}

/// What no single key can see.
void check_whole(const Profile& profile, std::string_view origin) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) refuse_profile(origin, 0, what);
  };
  const MultiprocessorRules& sm = profile.multiprocessors;
  require(sm.count >= 1 && sm.count <= 1024, "sm.count is not 1 to 1024");
  require(sm.warps >= 32 && sm.warps <= 1024, "sm.warps is not 32 to 1024");
  require(sm.blocks >= 1 && sm.blocks <= 1024, "sm.blocks is not 1 to 1024");
  require(sm.registers >= 1024, "sm.registers is below 1024");
  require(sm.grids >= 1, "sm.grids is 0");
  require(profile.queues.count <= 1024, "queues.count is above 1024");
  require(profile.pool_chunk >= block_alignment && profile.pool_chunk % block_alignment == 0,
          "memory.pool_chunk is not a multiple of 512 bytes");
  require(profile.event_clock.ns >= 1, "profile.event_clock is 0");
  require(
      profile.transfers.device_copy_threads >= 1 && profile.transfers.device_copy_threads <= 1024,
      "copy.on_device_threads is not 1 to 1024");
}

}  // namespace

Profile parse_profile(std::string_view text, const std::string& origin) {
  const std::vector<Value> values = read_profile_text(text, origin);
  check_version(values, origin);
  Profile profile;
  profile.name = origin;
  for (const Value& value : values) {
    if (value.key != "profile.version") set(profile, value);
  }
  check_whole(profile, origin);
  return profile;
}

}  // namespace millrace::sim
