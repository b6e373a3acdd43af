// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The words of a script as numbers: each distinct word is looked up once and compared as a number.

#include <cstddef>
#include <cstdint>
#include <cstring>
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
    const Key key(text);
    for (std::size_t i = key.hash() & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.symbol == empty) return add(text, key, i);
      if (slot.key == key && (text.size() <= Key::whole || texts_[slot.symbol] == text)) {
        return slot.symbol;
      }
    }
  }

  [[nodiscard]] std::string_view text(Symbol symbol) const { return texts_[symbol]; }
  [[nodiscard]] Symbol size() const { return static_cast<Symbol>(texts_.size()); }
  [[nodiscard]] const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  static constexpr Symbol empty = ~Symbol{0};

  /// Length and bytes of a word: all of a short one, a digest of a long one.
  struct Key {
    static constexpr std::size_t whole = 8;

    Key() = default;
    explicit Key(std::string_view text);
    [[nodiscard]] std::size_t hash() const {
      const std::uint64_t mixed = (bytes ^ size) * 0x9E37'79B9'7F4A'7C15;
      return static_cast<std::size_t>(mixed >> 32 ^ mixed);
    }
    friend bool operator==(const Key&, const Key&) = default;

    std::uint64_t bytes = 0;
    std::uint32_t size = 0;
  };
  struct Slot {
    Key key;
    Symbol symbol = empty;
  };

  Symbol add(std::string_view text, const Key& key, std::size_t place);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

inline Words::Key::Key(std::string_view text) : size(static_cast<std::uint32_t>(text.size())) {
  const char* at = text.data();
  if (text.size() > whole) {
    std::size_t left = text.size();
    for (std::uint64_t chunk = 0; left > whole; left -= whole, at += whole) {
      std::memcpy(&chunk, at, whole);
      bytes = (bytes ^ chunk) * 0xD6E8'FEB8'6659'FD93;
      bytes ^= bytes >> 29;
    }
    std::uint64_t last = 0;  // overlaps what was read already
    std::memcpy(&last, text.data() + text.size() - whole, whole);
    bytes ^= last;
  } else if (text.size() >= 4) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  // overlaps the first bytes
    std::memcpy(&first, at, 4);
    std::memcpy(&last, at + text.size() - 4, 4);
    bytes = std::uint64_t{last} << 32 | first;
  } else {
    for (const char c : text) bytes = bytes << 8 | static_cast<unsigned char>(c);
  }
}

}  // namespace millrace::script
