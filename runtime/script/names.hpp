// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What names stand for while a text is read: which thing, and whether it lives.

#include "lexer.hpp"
#include "program.hpp"

#include <optional>
#include <string>
#include <vector>

namespace millrace::script {

/// The one space of names. It follows the order of the text: what a block changes is changed for
/// what stands behind it; behind an `if` that which both sides agree on is certain.
class Names {
 public:
  explicit Names(std::vector<Thing>& things) : things_(things) {}

  /// The thing of that name, living or not; `nothing` when the text has not made it yet.
  [[nodiscard]] Index find(Symbol name) const {
    return name < by_symbol_.size() ? by_symbol_[name] : nothing;
  }

  /// Makes a thing by declaration. The name must be new.
  Index declare(const Thing& thing);
  /// Makes what may be made again after its end: memory and graphs. The name must not live.
  Index give(Thing thing, Place place);
  void release(Index thing);
  /// Whether a declaration or `give` of the name is certain to meet a living thing.
  [[nodiscard]] bool lives(Index thing) const { return states_[thing] == State::lives; }

  /// The operation that came last failed, as it should: it gave and released nothing.
  void undo_last();
  /// The next statement begins: what came before it stays.
  void settle() { last_changes_ = changes_.size(); }

  using Mark = std::size_t;
  [[nodiscard]] Mark mark() const { return changes_.size(); }
  /// What an `if`'s first part did, put aside while the text of its second part is read.
  using Branch = std::vector<std::pair<Index, std::uint8_t>>;
  Branch set_aside(Mark begin);
  void merge(const Branch& branch, Mark begin);

  /// A name that a loop's body gives although it lives when the body comes round again.
  struct Clash {
    Index thing = nothing;
    Place place;
  };
  [[nodiscard]] std::optional<Clash> clash_in_loop(Mark begin);

 private:
  enum class State : std::uint8_t { absent, lives, perhaps, gone };
  struct Change {
    Index thing = nothing;
    State before = State::absent;
    bool gives = false;
    Place place;
  };

  void change(Index thing, State state, bool gives, Place place);

  std::vector<Thing>& things_;
  std::vector<State> states_;  // by thing
  std::vector<Index> by_symbol_;
  std::vector<Change> changes_;    // all of the text so far, in order
  std::size_t last_changes_ = 0;   // how many there were before the statement
  std::vector<std::size_t> seen_;  // by thing: which search met it last
  std::size_t searches_ = 0;
};

}  // namespace millrace::script
