// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The addresses that plain allocations of a device get: the lowest ones that are free.

#include <cstdint>
#include <map>

namespace millrace::sim {

/// What blocks of memory begin at a multiple of.
inline constexpr std::uint64_t block_alignment = 512;

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

class AddressSpace {
 public:
  explicit AddressSpace(std::uint64_t begin) : end_(begin) {}

  /// `bytes` must be more than 0 and much less than all addresses.
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t wanted = round_up(bytes, block_alignment);
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second < wanted) continue;
      const auto [begin, size] = *gap;
      gaps_.erase(gap);
      if (size > wanted) gaps_.emplace(begin + wanted, size - wanted);
      return begin;
    }
    const std::uint64_t begin = end_;
    end_ += wanted;
    return begin;
  }

  void give(std::uint64_t begin, std::uint64_t bytes) {
    auto size = round_up(bytes, block_alignment);
    const auto next = gaps_.lower_bound(begin);
    if (next != gaps_.end() && next->first == begin + size) size += next->second;
    if (next != gaps_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == begin) {
        begin = before->first;
        size += before->second;
      }
    }
    if (next != gaps_.end() && next->first < begin + size) gaps_.erase(next);
    gaps_[begin] = size;
  }

 private:
  std::uint64_t end_;                            // nothing beyond was ever taken
  std::map<std::uint64_t, std::uint64_t> gaps_;  // by begin: size
};

}  // namespace millrace::sim
