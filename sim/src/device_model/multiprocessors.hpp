// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Room on the multiprocessors: which of them take how many blocks.

#include "../profile.hpp"
#include "demand.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace millrace::sim {

/// What one block takes of a multiprocessor.
struct BlockNeed {
  std::uint32_t warps = 1;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
};

/// Some blocks of one grid on one multiprocessor.
struct PlacedBlocks {
  std::uint32_t multiprocessor = 0;
  std::uint32_t count = 0;
};

class Multiprocessors {
 public:
  explicit Multiprocessors(const MultiprocessorRules& rules);

  /// Until the next call.
  const BlockNeed& need(const Demand& demand) {
    const Shape shape{demand.threads, demand.shared_bytes, demand.registers};
    if (shape != last_shape_) {
      last_shape_ = shape;
      last_need_ = find_need(shape);
    }
    return last_need_;
  }
  /// Blocks of this kind on all multiprocessors when nothing else is there; at least one.
  [[nodiscard]] std::uint64_t capacity(const BlockNeed& need) const;
  [[nodiscard]] bool empty() const { return empty_count_ == rules_.count; }

  /// Places up to `wanted` blocks, as many as there is room for, and appends where; returns how
  /// many.
  std::uint64_t place(const BlockNeed& need, std::uint64_t wanted,
                      std::vector<PlacedBlocks>& where) {
    // Nothing has more room than an empty one: the common case needs no search.
    if (wanted > empty_count_ || rules_.placement != Placement::most_room) {
      return search(need, wanted, where);
    }
    for (std::uint64_t i = 0; i < wanted; ++i) where.push_back({take_empty(need), 1});
    return wanted;
  }
  void remove(const BlockNeed& need, std::span<const PlacedBlocks> where);

 private:
  struct Room {
    std::uint32_t warps = 0;
    std::uint32_t blocks = 0;
    std::uint32_t registers = 0;
    std::uint32_t shared_bytes = 0;

    void take(const BlockNeed& need, std::uint32_t count) {
      warps -= need.warps * count;
      blocks -= count;
      registers -= need.registers * count;
      shared_bytes -= need.shared_bytes * count;
    }
    void give_back(const BlockNeed& need, std::uint32_t count) {
      warps += need.warps * count;
      blocks += count;
      registers += need.registers * count;
      shared_bytes += need.shared_bytes * count;
    }
  };

  /// What a block's need depends on.
  struct Shape {
    std::uint32_t threads = 0;
    std::uint32_t shared_bytes = 0;
    std::uint16_t registers = 0;
    friend bool operator==(const Shape&, const Shape&) = default;
  };

  [[nodiscard]] BlockNeed find_need(const Shape& shape) const;
  [[nodiscard]] static std::uint32_t fits(const Room& room, const BlockNeed& need);
  /// One block on the first that holds nothing; there must be one.
  std::uint32_t take_empty(const BlockNeed& need) {
    std::size_t word = 0;
    while (empty_[word] == 0) ++word;
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(empty_[word]));
    const std::uint32_t multiprocessor = static_cast<std::uint32_t>(word) * 64 + bit;
    empty_[word] &= empty_[word] - 1;
    --empty_count_;
    rooms_[multiprocessor].take(need, 1);
    return multiprocessor;
  }
  std::uint64_t search(const BlockNeed& need, std::uint64_t wanted,
                       std::vector<PlacedBlocks>& where);
  void spread(const BlockNeed& need, std::uint64_t wanted, std::vector<PlacedBlocks>& where);
  void take(std::uint32_t multiprocessor, const BlockNeed& need, std::uint32_t count);

  MultiprocessorRules rules_;
  Room whole_;
  std::vector<Room> rooms_;
  std::vector<std::uint64_t> empty_;  // a bit for each multiprocessor that holds nothing
  std::uint32_t empty_count_ = 0;
  Shape last_shape_;  // most kernels are like the one before
  BlockNeed last_need_;
  std::vector<std::uint32_t> fits_;  // of the place() under way
  std::vector<std::uint64_t> heap_;
};

}  // namespace millrace::sim
