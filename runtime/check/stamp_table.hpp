// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What is known of each step: of all of them, or of those that somebody will still ask for.

#include <millrace/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace millrace::checker {

/// Entries by the index of their step. After `keep_all` each index has one. Otherwise those near
/// the last one that was added have one, and of others those whose `Entry::uses` is above 0: memory
/// follows their number. Entries that were never added are `Entry{}`.
template <typename Entry>
class StampTable {
 public:
  void keep_all(std::size_t size) {
    window_.assign(size, Entry{});
    size_ = static_cast<TraceIndex>(size);
    mask_ = ~std::size_t{0};
  }

  [[nodiscard]] const Entry* find(TraceIndex index) const {
    return has_place(index) ? &window_[index & mask_] : find_old(index);
  }
  /// The entry of a step that has one.
  [[nodiscard]] const Entry& operator[](TraceIndex index) const { return *find(index); }

  /// The step's entry, for which others may lose theirs.
  Entry& add(TraceIndex index) {
    if (!has_place(index)) {
      if (index < begin_) return old_[index];
      move_window(index);
    }
    return window_[index & mask_];
  }

  /// There is one use less of the step.
  void release(TraceIndex index) {
    if (has_place(index)) {
      Entry& entry = window_[index & mask_];
      if (entry.uses > 0) --entry.uses;
    } else {
      release_old(index);
    }
  }

  /// The step has been looked at: if nobody will use it, it may go.
  void drop_unused(TraceIndex index) {
    if (index < begin_) drop_old(index);
  }

  template <typename Visit>
  void for_each(Visit visit) {
    for (Entry& entry : window_) visit(entry);
    for (auto& [index, entry] : old_) visit(entry);
  }
  /// How many entries there are.
  [[nodiscard]] std::size_t size() const { return window_.size() + old_.size(); }

 private:
  static constexpr std::size_t window_size = 1024;

  [[nodiscard]] bool has_place(TraceIndex index) const { return index - begin_ < size_; }

  // Rare, and therefore kept out of the callers' way.
  [[gnu::noinline]] const Entry* find_old(TraceIndex index) const {
    const auto found = old_.find(index);
    return found == old_.end() ? nullptr : &found->second;
  }
  [[gnu::noinline]] void release_old(TraceIndex index) {
    const auto found = old_.find(index);
    if (found == old_.end() || found->second.uses == 0) return;
    if (--found->second.uses == 0) old_.erase(found);
  }
  [[gnu::noinline]] void drop_old(TraceIndex index) {
    const auto found = old_.find(index);
    if (found != old_.end() && found->second.uses == 0) old_.erase(found);
  }

  /// On to that index and a few more, so that it need not be done for each.
  [[gnu::noinline]] void move_window(TraceIndex index) {
    const TraceIndex begin = index - static_cast<TraceIndex>(window_size / 2);
    const std::size_t leaving = std::min<std::size_t>(begin - begin_, window_size);
    for (std::size_t i = 0; i < leaving; ++i, ++begin_) {
      Entry& entry = window_[begin_ & mask_];
      if (entry.uses > 0) old_.emplace(begin_, entry);
      entry = {};
    }
    begin_ = begin;
  }

  TraceIndex begin_ = 0;  // of the window, a ring
  TraceIndex size_ = window_size;
  std::size_t mask_ = window_size - 1;
  std::vector<Entry> window_ = std::vector<Entry>(window_size);
  std::unordered_map<TraceIndex, Entry> old_;
};

}  // namespace millrace::checker
