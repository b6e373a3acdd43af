// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <array>
#include <utility>

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

Symbol Words::add(std::string_view text, const Key& key, std::size_t place) {
  const auto symbol = static_cast<Symbol>(texts_.size());
  texts_.push_back(text);
  slots_[place] = Slot{key, symbol};
  if (texts_.size() * 2 > slots_.size()) grow();
  return symbol;
}

void Words::grow() {
  const std::vector<Slot> former = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  mask_ = slots_.size() - 1;
  for (const Slot& slot : former) {
    if (slot.symbol == empty) continue;
    std::size_t i = slot.key.hash() & mask_;
    while (slots_[i].symbol != empty) i = (i + 1) & mask_;
    slots_[i] = slot;
  }
}

}  // namespace millrace::script
