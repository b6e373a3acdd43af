// SPDX-License-Identifier: Apache-2.0
#include "resource_log.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::sim {
namespace {

std::string name_of(const DevicePart& part) {
  constexpr std::array<const char*, 2> directions{" to device", " to host"};
  std::string kind(to_string(part.kind));
  switch (part.kind) {
    case ResourceKind::copy_engine:
      return kind + directions[part.number];
    case ResourceKind::hardware_queue:
      return kind + " " + std::to_string(part.number);
    case ResourceKind::multiprocessors:
      break;
  }
  return kind;
}

}  // namespace

ResourceLog::ResourceLog(const Profile& profile, Recorder& recorder)
    : recorder_(recorder),
      ring_(profile.queues.ring),
      warps_(profile.multiprocessors.warps * profile.multiprocessors.count) {}

TraceIndex ResourceLog::resource(const DevicePart& part) {
  auto& table = recorder_.trace().resources;
  const auto [known, is_new] = resources_.try_emplace(part, static_cast<TraceIndex>(table.size()));
  if (is_new) {
    const std::uint32_t capacity = part.kind == ResourceKind::copy_engine      ? 1
                                   : part.kind == ResourceKind::hardware_queue ? ring_
                                                                               : warps_;
    table.push_back({.name = recorder_.string(std::string_view(name_of(part))),
                     .device = static_cast<TraceIndex>(part.device),
                     .capacity = capacity,
                     .kind = part.kind});
  }
  return known->second;
}

void ResourceLog::open(const DevicePart& part, TraceIndex operation, std::uint32_t amount,
                       Time at) {
  auto& uses = recorder_.trace().uses;
  if (open_.size() <= operation) open_.resize(operation + std::size_t{1}, none);
  open_[operation] = static_cast<TraceIndex>(uses.size());
  uses.push_back(
      {.begin_ns = at.ns, .resource = resource(part), .operation = operation, .amount = amount});
}

void ResourceLog::close(TraceIndex operation, Time at) {
  const TraceIndex use = std::exchange(open_[operation], none);
  if (use != none) recorder_.trace().uses[use].end_ns = at.ns;
}

void ResourceLog::add(const DevicePart& part, TraceIndex operation, std::uint32_t amount,
                      Time begin, Time end) {
  if (operation == none || begin == end || !recorder_.enabled()) return;
  recorder_.trace().uses.push_back({.begin_ns = begin.ns,
                                    .end_ns = end.ns,
                                    .resource = resource(part),
                                    .operation = operation,
                                    .amount = amount});
}

void ResourceLog::cut(int device, Time at) {
  Trace& trace = recorder_.trace();
  for (ResourceUse& use : trace.uses) {
    const bool goes_on = use.end_ns < 0 || use.end_ns > at.ns;
    if (goes_on && trace.resources[use.resource].device == static_cast<TraceIndex>(device)) {
      use.end_ns = at.ns;
    }
  }
}

}  // namespace millrace::sim
