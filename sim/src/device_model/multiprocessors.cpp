// SPDX-License-Identifier: Apache-2.0
#include "multiprocessors.hpp"

#include <algorithm>

namespace millrace::sim {
namespace {

constexpr std::uint32_t warp_threads = 32;
constexpr std::uint32_t register_unit = 256;  // of a warp
constexpr std::uint32_t shared_unit = 128;
constexpr std::uint32_t partitions = 4;  // registers are split into so many files

constexpr std::uint32_t up(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Multiprocessors::Multiprocessors(const MultiprocessorRules& rules)
    : rules_(rules),
      whole_{rules.warps, rules.blocks, rules.registers, rules.shared_bytes},
      rooms_(rules.count, whole_),
      empty_((rules.count + 63) / 64),
      empty_count_(rules.count),
      fits_(rules.count) {
  for (std::uint32_t i = 0; i < rules.count; ++i) empty_[i / 64] |= std::uint64_t{1} << (i % 64);
}

/// A warp's registers come from one partition, so fewer warps fit than the sum allows; each block
/// is charged its share of what a multiprocessor full of its kind holds.
BlockNeed Multiprocessors::find_need(const Shape& shape) const {
  BlockNeed need;
  need.warps = std::max(up(shape.threads, warp_threads) / warp_threads, 1U);
  need.shared_bytes = up(shape.shared_bytes, shared_unit) + rules_.shared_reserved;
  const std::uint32_t of_warp =
      std::max(up(shape.registers * warp_threads, register_unit), register_unit);
  const std::uint32_t warps = rules_.registers / partitions / of_warp * partitions;
  need.registers = rules_.registers / std::max(warps / need.warps, 1U);
  need.warps = std::min(need.warps, rules_.warps);
  need.shared_bytes = std::min(need.shared_bytes, rules_.shared_bytes);
  return need;
}

std::uint32_t Multiprocessors::fits(const Room& room, const BlockNeed& need) {
  std::uint32_t count = std::min(room.blocks, room.warps / need.warps);
  if (count == 0) return 0;
  count = std::min(count, room.registers / need.registers);
  return need.shared_bytes == 0 ? count : std::min(count, room.shared_bytes / need.shared_bytes);
}

std::uint64_t Multiprocessors::capacity(const BlockNeed& need) const {
  return std::uint64_t{std::max(fits(whole_, need), 1U)} * rules_.count;
}

void Multiprocessors::take(std::uint32_t multiprocessor, const BlockNeed& need,
                           std::uint32_t count) {
  std::uint64_t& bits = empty_[multiprocessor / 64];
  const std::uint64_t bit = std::uint64_t{1} << (multiprocessor % 64);
  if ((bits & bit) != 0) {
    bits &= ~bit;
    --empty_count_;
  }
  rooms_[multiprocessor].take(need, count);
}

void Multiprocessors::remove(const BlockNeed& need, std::span<const PlacedBlocks> where) {
  for (const PlacedBlocks& placed : where) {
    Room& room = rooms_[placed.multiprocessor];
    room.give_back(need, placed.count);
    if (room.blocks != rules_.blocks) continue;
    empty_[placed.multiprocessor / 64] |= std::uint64_t{1} << (placed.multiprocessor % 64);
    ++empty_count_;
  }
}

std::uint64_t Multiprocessors::search(const BlockNeed& need, std::uint64_t wanted,
                                      std::vector<PlacedBlocks>& where) {
  std::uint64_t room = 0;
  for (std::uint32_t i = 0; i < rules_.count; ++i) room += fits_[i] = fits(rooms_[i], need);
  if (room > wanted) {
    spread(need, wanted, where);
    return wanted;
  }
  for (std::uint32_t i = 0; i < rules_.count; ++i) {
    if (fits_[i] == 0) continue;
    take(i, need, fits_[i]);
    where.push_back({i, fits_[i]});
  }
  return room;
}

/// Block by block: to the one with most free warps, or to the one with the lowest number. There is
/// more room than blocks.
void Multiprocessors::spread(const BlockNeed& need, std::uint64_t wanted,
                             std::vector<PlacedBlocks>& where) {
  constexpr std::uint64_t low_half = 0xffff'ffff;
  const bool by_room = rules_.placement == Placement::most_room;
  const auto key = [&](std::uint32_t i) {  // a greater key goes first
    return (std::uint64_t{by_room ? rooms_[i].warps : 0} << 32U) | (low_half - i);
  };
  heap_.clear();
  for (std::uint32_t i = 0; i < rules_.count; ++i) {
    if (fits_[i] > 0) heap_.push_back(key(i));
  }
  std::ranges::make_heap(heap_);
  for (; wanted > 0; --wanted) {
    std::ranges::pop_heap(heap_);
    const auto best = static_cast<std::uint32_t>(low_half - (heap_.back() & low_half));
    heap_.pop_back();
    take(best, need, 1);
    where.push_back({best, 1});
    if (--fits_[best] == 0) continue;
    heap_.push_back(key(best));
    std::ranges::push_heap(heap_);
  }
}

}  // namespace millrace::sim
