// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <array>
#include <cstring>

namespace millrace::script {
namespace {

constexpr std::array<std::string_view, symbol(Word::count)> spellings{
    "",
#define MILLRACE_X(name) #name,
    MILLRACE_SCRIPT_WORDS(MILLRACE_X)
#undef MILLRACE_X
        "if",
    "else",
    "for",
    "use-after-free",
    "use-after-destroy",
    "unrecorded-wait"};

constexpr std::size_t first_slots = 512;

}  // namespace

std::string_view to_string(Word word) { return spellings[symbol(word)]; }

Words::Words() : slots_(first_slots), mask_(first_slots - 1) {
  for (const std::string_view spelling : spellings) intern(spelling);
}

std::uint64_t Words::hash_of(std::string_view text) {
  constexpr std::uint64_t factor = 0x9E37'79B9'7F4A'7C15;
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = left * factor;
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, at, 8);
    hash = (hash ^ chunk) * factor;
    hash ^= hash >> 29;
  }
  std::uint64_t chunk = 0;
  for (std::size_t i = 0; i < left; ++i) {
    chunk = chunk << 8 | static_cast<unsigned char>(at[i]);
  }
  hash = (hash ^ chunk) * factor;
  return hash ^ hash >> 32;
}

Symbol Words::add(std::string_view text, std::uint64_t hash, std::size_t place) {
  const auto symbol = static_cast<Symbol>(texts_.size());
  texts_.push_back(text);
  slots_[place] = Slot{static_cast<std::uint32_t>(hash >> 32), symbol};
  if (texts_.size() * 2 > slots_.size()) grow();
  return symbol;
}

void Words::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  mask_ = slots_.size() - 1;
  for (Symbol symbol = 0; symbol < texts_.size(); ++symbol) {
    const std::uint64_t hash = hash_of(texts_[symbol]);
    std::size_t i = hash & mask_;
    while (slots_[i].symbol != empty) i = (i + 1) & mask_;
    slots_[i] = Slot{static_cast<std::uint32_t>(hash >> 32), symbol};
  }
}

}  // namespace millrace::script
