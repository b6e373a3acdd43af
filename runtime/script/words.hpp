// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The words of a script as numbers: each distinct word is looked up once and compared as a number.

#include <cstdint>
#include <string_view>
#include <vector>

namespace millrace::script {

/// A distinct word of one script.
using Symbol = std::uint32_t;

// clang-format off
/// The words that mean something somewhere. Names may be spelled like them: what a word is, its
/// place decides.
#define MILLRACE_SCRIPT_WORDS(X) \
  X(device) X(gpus) X(buffer) X(stream) X(event) X(flag) X(thread) X(repeat) X(expect) \
  X(kernel) X(copy) X(fill) X(call) X(record) X(wait) X(alloc) X(set) X(await) X(begin) X(end) \
  X(launch) X(fault) X(sync) X(query) X(poll) X(read) X(write) X(work) X(elapsed) X(malloc) \
  X(free) X(destroy) X(raise) X(reset) X(join) X(host) X(on) X(pinned) X(pageable) X(managed) \
  X(blocking) X(nonblocking) X(priority) X(timing) X(interprocess) X(external) X(reads) X(writes) \
  X(updates) X(blocks) X(threads) X(global) X(threadlocal) X(relaxed) X(legacy) X(perthread) \
  X(pitch) X(width) X(clean) X(race) X(between) X(deadlock) X(error) X(ready) X(pending) \
  X(before) X(unordered) X(overlaps) X(start) X(finish)
// clang-format on

enum class Word : Symbol {
  none,
#define MILLRACE_X(name) name,
  MILLRACE_SCRIPT_WORDS(MILLRACE_X)
#undef MILLRACE_X
      if_word,
  else_word,
  for_word,
  use_after_free,
  use_after_destroy,
  unrecorded_wait,
  count
};

/// How a word of the language is written.
std::string_view to_string(Word word);

constexpr Symbol symbol(Word word) { return static_cast<Symbol>(word); }

/// All distinct words of a script, those of the language first. Does not own the texts.
class Words {
 public:
  Words();

  /// The symbol of a word; `text` must live as long as this table.
  Symbol intern(std::string_view text) {
    const std::uint64_t hash = hash_of(text);
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.symbol == empty) return add(text, hash, i);
      if (slot.hash == static_cast<std::uint32_t>(hash >> 32) && texts_[slot.symbol] == text) {
        return slot.symbol;
      }
    }
  }

  [[nodiscard]] std::string_view text(Symbol symbol) const { return texts_[symbol]; }
  [[nodiscard]] Symbol size() const { return static_cast<Symbol>(texts_.size()); }
  [[nodiscard]] const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  static constexpr Symbol empty = ~Symbol{0};
  struct Slot {
    std::uint32_t hash = 0;
    Symbol symbol = empty;
  };

  static std::uint64_t hash_of(std::string_view text);
  Symbol add(std::string_view text, std::uint64_t hash, std::size_t place);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

}  // namespace millrace::script
