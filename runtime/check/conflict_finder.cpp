// SPDX-License-Identifier: Apache-2.0
#include "conflict_finder.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace millrace::checker {
namespace {

AccessMode mode_of(bool reads, bool writes) {
  if (!writes) return AccessMode::read;
  return reads ? AccessMode::update : AccessMode::write;
}

}  // namespace

/// How two footprints conflict: over all pairs of their regions, at least one of them a write.
std::optional<ConflictFinder::Meeting> ConflictFinder::meet(const Footprint& a,
                                                            const Footprint& b) {
  std::optional<ByteRange> bytes;
  std::array<std::array<bool, 2>, 2> does{};  // by side: reads, writes
  for (const Touch& mine : a) {
    for (const Touch& theirs : b) {
      if (!mine.write && !theirs.write) continue;
      const auto common = common_bytes(mine.region, theirs.region);
      if (!common) continue;
      does[0][mine.write ? 1 : 0] = true;
      does[1][theirs.write ? 1 : 0] = true;
      bytes = !bytes ? *common
                     : ByteRange{std::min(bytes->begin, common->begin),
                                 std::max(bytes->end, common->end)};
    }
  }
  if (!bytes) return std::nullopt;
  return Meeting{0, *bytes, mode_of(does[0][0], does[0][1]), mode_of(does[1][0], does[1][1])};
}

std::uint32_t ConflictFinder::footprint_of(Footprint&& touches) {
  const auto id = static_cast<std::uint32_t>(known_.size());
  const auto [found, is_new] = footprints_.try_emplace(std::move(touches), id);
  if (!is_new) return found->second;

  Known added;
  added.footprint = found->first;
  added.extent = {added.footprint.front().region.begin, added.footprint.front().region.end};
  bool reads = false;
  bool writes = false;
  for (const Touch& touch : added.footprint) {
    added.extent.begin = std::min(added.extent.begin, touch.region.begin);
    added.extent.end = std::max(added.extent.end, touch.region.end);
    (touch.write ? writes : reads) = true;
  }
  added.mode = mode_of(reads, writes);
  known_.push_back(std::move(added));
  for (std::uint32_t other = 0; other <= id; ++other) {
    auto meeting = meet(known_[id].footprint, known_[other].footprint);
    if (!meeting) continue;
    meeting->other = other;
    known_[id].meetings.push_back(*meeting);
    if (other == id) continue;
    std::swap(meeting->mine, meeting->theirs);
    meeting->other = id;
    known_[other].meetings.push_back(*meeting);
  }
  return id;
}

/// What a turn touches is one footprint, so that a pair of steps counts once.
void ConflictFinder::feed(Turn turn) {
  if (list_.count_at(memory_) >= most_conflicts || !stamps_.seen(turn.step)) return;
  const Moment moment = moment_of(steps_, stamps_, turn.step, turn.order);
  Footprint touches;
  for (const TraceAccess& access : steps_.accesses(turn.step)) {
    if (access.memory != memory_ || !turn.has(access)) continue;
    const Party party{turn.step, access.mode, turn.order};
    if (access.mode == AccessMode::allocate) allocate(party, moment);
    if (access.mode == AccessMode::free) free(party, moment);
    const Region region = Region::of(access);
    if (region.empty() || bounds_life(access.mode)) continue;
    if (access.mode != AccessMode::write) touches.push_back({region, false});
    if (access.mode != AccessMode::read) touches.push_back({region, true});
  }
  if (touches.empty()) return;
  std::sort(touches.begin(), touches.end());
  touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
  const std::uint32_t footprint = footprint_of(std::move(touches));
  use({turn.step, known_[footprint].mode, turn.order}, moment, footprint);
}

void ConflictFinder::use(const Party& party, const Moment& moment, std::uint32_t footprint) {
  const ByteRange extent = known_[footprint].extent;
  const bool early = over_early(steps_, {party.step, party.order});
  const auto is_after = [&](const Moment& other) {
    return early && is_before(stamps_.clocks, moment, other);
  };
  if (allocated_ && !before(*allocated_, moment)) report_bound(*allocated_, party, extent);
  for (const Bound& freed : freed_) {
    if (!is_after(freed.moment)) report_bound(freed, party, extent);
  }
  const History::Query query{moment, party.step, false, false};
  for (const Meeting& meeting : known_[footprint].meetings) {
    const auto report = [&](const Party& other, std::uint64_t count) {
      if (early && is_after(moment_of(steps_, stamps_, other.step, other.order))) return;
      list_.add({FindingKind::race,
                 memory_,
                 {other.step, meeting.theirs, other.order},
                 {party.step, meeting.mine, party.order},
                 meeting.bytes,
                 count});
    };
    const History& history = known_[meeting.other].history;
    if (early) {
      history.each_unordered(stamps_.clocks, query, report);
    } else {
      history.unordered(stamps_.clocks, query, report);
    }
  }
  known_[footprint].history.remember(party, moment, list_.place(party.step));
}

/// Uses so far that do not come before: those not known, or all.
void ConflictFinder::report_uses(const Party& party, const Moment& moment, bool all) {
  for (const Known& known : known_) {
    known.history.unordered(
        stamps_.clocks, {moment, party.step, all, true},
        [&](const Party& earlier, std::uint64_t count) {
          list_.add({FindingKind::use_after_free, memory_, earlier, party, known.extent, count});
        });
  }
}

void ConflictFinder::report_bound(const Bound& bound, const Party& party, ByteRange bytes) {
  if (bound.party.step == party.step) return;
  list_.add({FindingKind::use_after_free, memory_, bound.party, party, bytes, 1});
}

void ConflictFinder::allocate(const Party& party, const Moment& moment) {
  if (allocated_) return;
  report_uses(party, moment, true);
  for (const Bound& freed : freed_) report_bound(freed, party, all_bytes());
  allocated_ = Bound{party, moment};
}

void ConflictFinder::free(const Party& party, const Moment& moment) {
  if (allocated_ && !before(*allocated_, moment)) report_bound(*allocated_, party, all_bytes());
  for (const Bound& freed : freed_) {
    if (!before(freed, moment)) report_bound(freed, party, all_bytes());
  }
  report_uses(party, moment, false);
  freed_.push_back({party, moment});
}

std::vector<Conflict> conflicts_between(const Steps& steps, const Stamps& stamps, Step a, Step b) {
  ConflictList list(steps);
  if (!stamps.seen(a) || !stamps.seen(b)) return {};
  if (steps.sequence(b) < steps.sequence(a)) std::swap(a, b);
  std::vector<TraceIndex> memories;
  for (const TraceAccess& access : steps.accesses(a)) memories.push_back(access.memory);
  std::sort(memories.begin(), memories.end());
  memories.erase(std::unique(memories.begin(), memories.end()), memories.end());
  for (const TraceIndex memory : memories) {
    if (memory >= steps.trace().memories.size()) continue;
    ConflictFinder finder(steps, stamps, memory, list);
    for (const Step step : {a, b}) turns_of(steps, step, [&](Turn turn) { finder.feed(turn); });
  }
  return list.take();
}

}  // namespace millrace::checker
