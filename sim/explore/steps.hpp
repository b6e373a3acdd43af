// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What an execution did, step by step, and which steps depend on each other.

#include "src/chooser.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace millrace::sim::exploring {

/// A thing as an execution's steps touch it.
struct Contact {
  std::uint64_t id = 0;
  Thing thing{};
  Touch how{};

  [[nodiscard]] bool same_thing(const Contact& other) const {
    return id == other.id && thing == other.thing;
  }
  friend bool operator==(const Contact&, const Contact&) = default;
};

/// Whether two contacts with one thing may not change places.
constexpr bool excludes(Touch a, Touch b) {
  if (a == Touch::release || b == Touch::release) return false;
  return a == Touch::write || b == Touch::write || a != b;
}

inline bool depend(std::span<const Contact> a, std::span<const Contact> b) {
  return std::ranges::any_of(a, [b](const Contact& one) {
    return std::ranges::any_of(b, [&one](const Contact& other) {
      return one.same_thing(other) && excludes(one.how, other.how);
    });
  });
}

/// The steps of one execution. Keeps its memory from one to the next.
class Steps {
 public:
  void clear() {
    actors_.clear();
    first_contact_.clear();
    contacts_.clear();
  }
  void begin(Actor actor) {
    actors_.push_back(actor);
    first_contact_.push_back(contacts_.size());
  }
  /// The latest step does this.
  void touch(const Contact& contact) {
    if (actors_.empty()) return;  // before the first choice there is one thread only
    const auto begin = contacts_.begin() + static_cast<std::ptrdiff_t>(first_contact_.back());
    if (std::find(begin, contacts_.end(), contact) == contacts_.end()) contacts_.push_back(contact);
  }

  [[nodiscard]] std::size_t size() const { return actors_.size(); }
  [[nodiscard]] Actor actor(std::size_t step) const { return actors_[step]; }
  [[nodiscard]] std::span<const Contact> contacts(std::size_t step) const {
    const std::size_t begin = first_contact_[step];
    const std::size_t end =
        step + 1 == actors_.size() ? contacts_.size() : first_contact_[step + 1];
    return std::span(contacts_).subspan(begin, end - begin);
  }

 private:
  std::vector<Actor> actors_;
  std::vector<std::size_t> first_contact_;
  std::vector<Contact> contacts_;
};

}  // namespace millrace::sim::exploring
