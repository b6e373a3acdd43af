// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The bytes of one memory pool: chunks that are reserved from the device, and which parts of them
/// nobody uses. Who may have them again is the backend's to say.

#include "address_space.hpp"
#include "new_operation.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace millrace::sim {

/// The operation that freed some bytes, and its stream.
struct Freed {
  std::uint32_t stream = 0;
  OperationRef by;  ///< none: they were never used, or the free is known to be over
};

class BlockPool {
 public:
  /// So many addresses does a pool have, from `begin` on; it reserves multiples of `chunk` bytes.
  static constexpr std::uint64_t addresses = std::uint64_t{1} << 44;
  BlockPool(std::uint64_t begin, std::uint64_t chunk);
  /// Nothing is reserved any more.
  void clear();

  using MayUse = std::function<bool(const Freed&)>;
  struct Block {
    std::uint64_t address = 0;
    std::vector<Freed> freed;  ///< the frees, not known to be over, that it is made of
  };
  enum class From : std::uint8_t {
    anywhere,
    freed,  ///< not where no free is pending
  };
  /// Takes `bytes`, more than 0, from the smallest run of reserved bytes for which `may_use` holds
  /// throughout; of equal ones the one freed first.
  std::optional<Block> take(std::uint64_t bytes, const MayUse& may_use, From from = From::anywhere);

  /// Where such a run can be had by reserving more, and how much more.
  struct Growth {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< to be reserved
  };
  [[nodiscard]] std::optional<Growth> growth(std::uint64_t bytes, const MayUse& may_use) const;
  /// Reserves what `bytes` at that address lack, and takes them.
  Block grow(std::uint64_t address, std::uint64_t bytes);

  /// Takes back what `take` or `grow` gave.
  void give(std::uint64_t address, std::uint64_t bytes, const Freed& freed);
  /// Notes which frees are known to be over.
  void settle(const MayUse& is_over);
  /// Gives up whole chunks, the highest first, as long as `keep` bytes stay reserved; only what no
  /// free is pending on. Returns how many bytes.
  std::uint64_t release(std::uint64_t keep);

  [[nodiscard]] std::uint64_t reserved() const { return reserved_; }
  [[nodiscard]] std::uint64_t chunk() const { return chunk_; }
  /// The serial of the oldest free that is not known to be over; nothing if there is none.
  [[nodiscard]] std::optional<std::uint64_t> oldest_free() const;

 private:
  /// Bytes that nobody uses.
  struct Space {
    std::uint64_t end = 0;
    bool reserved = true;
    Freed freed;

    [[nodiscard]] bool settled() const { return reserved && freed.by.serial == 0; }
  };
  using Spaces = std::map<std::uint64_t, Space>;  // by begin
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t since = 0;  ///< serial of its oldest free
    bool freed = false;       ///< a free is pending on some of it
  };

  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    [[nodiscard]] std::uint64_t size() const { return end - begin; }
  };

  template <typename Visit>
  void each_run(const std::function<bool(const Space&)>& belongs, Visit visit) const;
  std::vector<Freed> carve(const Range& range);
  void add(std::uint64_t begin, Space space);
  /// The chunks that would have to be reserved for these bytes.
  [[nodiscard]] std::vector<Range> missing(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] std::uint64_t chunk_floor(std::uint64_t address) const {
    return begin_ + (address - begin_) / chunk_ * chunk_;
  }
  [[nodiscard]] std::uint64_t chunk_ceil(std::uint64_t address) const {
    return begin_ + round_up(address - begin_, chunk_);
  }

  std::uint64_t begin_;
  std::uint64_t chunk_;
  std::uint64_t reserved_ = 0;
  Spaces spaces_;
};

}  // namespace millrace::sim
