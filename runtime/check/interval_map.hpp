// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A map from bytes to values that are equal over long ranges.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace millrace::checker {

/// Each byte from 0 to 2^64 - 1 has a value, at first `Value{}`. Neighbouring bytes of equal values
/// are one node, so that accesses to whole buffers cost one. The nodes stand sorted in small
/// blocks: finding one is two short searches, and a split moves at most one block.
template <typename Value>
class IntervalMap {
 public:
  IntervalMap() { insert_block(0, 0, std::make_unique<Block>()); }

  /// Calls `change(value)` on the value of each node within [begin, end), which is first cut out at
  /// both ends, and joins nodes that have become equal. `begin < end`.
  template <typename Change>
  void update(std::uint64_t begin, std::uint64_t end, Change change) {
    Place at = find(begin);
    if (starts(at) != begin) at = split(at, begin);
    while (true) {
      if (ends(at) > end) {
        at = split(at, end);
        --at.node;
      }
      const bool last = ends(at) == end;
      change(value(at));
      at = join_with_previous(at);
      if (last) break;
      at = next(at);
    }
    if (has_next(at)) join_with_previous(next(at));
  }

  /// Calls `visit(begin, end, value)` for each node.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (Place at{0, 0};;) {
      visit(starts(at), ends(at), std::as_const(value(at)));
      if (!has_next(at)) return;
      at = next(at);
    }
  }

  [[nodiscard]] std::size_t nodes() const {
    std::size_t count = 0;
    for (const auto& block : blocks_) count += block->count;
    return count;
  }

 private:
  static constexpr std::size_t block_size = 32;

  struct Block {
    std::size_t count = 1;
    std::array<std::uint64_t, block_size> starts{};
    std::array<Value, block_size> values{};
  };
  struct Place {
    std::size_t block;
    std::size_t node;
  };

  [[nodiscard]] Block& block(Place at) const { return *blocks_[at.block]; }
  [[nodiscard]] std::uint64_t starts(Place at) const { return block(at).starts[at.node]; }
  [[nodiscard]] Value& value(Place at) const { return block(at).values[at.node]; }
  [[nodiscard]] bool has_next(Place at) const {
    return at.node + 1 < block(at).count || at.block + 1 < blocks_.size();
  }
  [[nodiscard]] Place next(Place at) const {
    return at.node + 1 < block(at).count ? Place{at.block, at.node + 1} : Place{at.block + 1, 0};
  }
  /// One past the last byte of the node; the last node has no end.
  [[nodiscard]] std::uint64_t ends(Place at) const {
    return has_next(at) ? starts(next(at)) : ~std::uint64_t{0};
  }

  /// The last of these starts that is not behind the byte; the first one never is. Without jumps
  /// that a processor could only guess.
  static std::size_t last_not_behind(const std::uint64_t* starts, std::size_t count,
                                     std::uint64_t byte) {
    const std::uint64_t* at = starts;
    while (count > 1) {
      const std::size_t half = count / 2;
      at = at[half] <= byte ? at + half : at;
      count -= half;
    }
    return static_cast<std::size_t>(at - starts);
  }
  [[nodiscard]] Place find(std::uint64_t byte) const {
    const std::size_t in = last_not_behind(block_starts_.data(), block_starts_.size(), byte);
    const Block& found = *blocks_[in];
    return {in, last_not_behind(found.starts.data(), found.count, byte)};
  }

  /// Cuts the node in two; gives the second one.
  Place split(Place at, std::uint64_t byte) {
    if (block(at).count == block_size) {
      halve(at.block);
      const std::size_t kept = block(at).count;
      if (at.node >= kept) at = {at.block + 1, at.node - kept};
    }
    Block& b = block(at);
    const auto from = static_cast<std::ptrdiff_t>(at.node);
    const auto count = static_cast<std::ptrdiff_t>(b.count);
    std::move_backward(b.starts.begin() + from, b.starts.begin() + count,
                       b.starts.begin() + count + 1);
    std::move_backward(b.values.begin() + from, b.values.begin() + count,
                       b.values.begin() + count + 1);
    ++b.count;
    b.values[at.node] = b.values[at.node + 1];
    b.starts[at.node + 1] = byte;
    return {at.block, at.node + 1};
  }

  void halve(std::size_t full) {
    auto upper = std::make_unique<Block>();
    Block& lower = *blocks_[full];
    constexpr auto half = static_cast<std::ptrdiff_t>(block_size / 2);
    std::move(lower.starts.begin() + half, lower.starts.end(), upper->starts.begin());
    std::move(lower.values.begin() + half, lower.values.end(), upper->values.begin());
    lower.count = upper->count = block_size / 2;
    const std::uint64_t start = upper->starts[0];
    insert_block(full + 1, start, std::move(upper));
  }

  /// Makes one node of this and the one before if their values are equal; gives the node at hand.
  Place join_with_previous(Place at) {
    if (at.node > 0) {
      if (!(value(at) == value({at.block, at.node - 1}))) return at;
      erase(at);
      return {at.block, at.node - 1};
    }
    if (at.block == 0) return at;
    const Place previous{at.block - 1, blocks_[at.block - 1]->count - 1};
    if (!(value(at) == value(previous))) return at;
    erase(at);
    return previous;
  }

  void erase(Place at) {
    Block& b = block(at);
    const auto behind = static_cast<std::ptrdiff_t>(at.node) + 1;
    const auto count = static_cast<std::ptrdiff_t>(b.count);
    std::move(b.starts.begin() + behind, b.starts.begin() + count, b.starts.begin() + behind - 1);
    std::move(b.values.begin() + behind, b.values.begin() + count, b.values.begin() + behind - 1);
    if (--b.count == 0) {
      block_starts_.erase(block_starts_.begin() + static_cast<std::ptrdiff_t>(at.block));
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
    } else if (at.node == 0) {
      block_starts_[at.block] = b.starts[0];
    }
  }

  void insert_block(std::size_t at, std::uint64_t start, std::unique_ptr<Block> block) {
    block_starts_.insert(block_starts_.begin() + static_cast<std::ptrdiff_t>(at), start);
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at), std::move(block));
  }

  std::vector<std::uint64_t> block_starts_;  // of the first node of each
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace millrace::checker
