// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// One execution as its chooser sees it: asks a plan, and writes down what was chosen.

#include "plan.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace millrace::sim::exploring {

/// The choices of an execution at the points where there was more than one way, as numbers of ways;
/// 0 is the usual one. What is not listed any more is usual.
using Choices = std::vector<std::uint32_t>;

class Execution final : public Chooser {
 public:
  Execution(Plan& plan, std::uint64_t max_steps) : plan_(plan), max_steps_(max_steps) {}

  /// Forgets the one before.
  void clear();

  [[nodiscard]] const Steps& steps() const { return steps_; }
  [[nodiscard]] const Choices& choices() const { return choices_; }
  [[nodiscard]] bool given_up() const { return given_up_; }
  [[nodiscard]] bool was_cut_off() const { return cut_off_; }
  /// What was observed, by host thread.
  [[nodiscard]] std::string observed() const;
  /// Tells programs and their versions apart by what their steps touch.
  [[nodiscard]] std::uint64_t fingerprint() const;

  // Chooser
  std::size_t choose(std::span<const Actor> actors) override;
  bool finds_done() override;
  void touch(Thing thing, std::uint64_t id, Touch how) override { steps_.touch({id, thing, how}); }
  void observe(std::uint32_t thread, std::string_view text) override;

 private:
  struct Seen {
    std::uint32_t thread;
    std::string text;
  };

  Plan& plan_;
  std::uint64_t max_steps_;
  Steps steps_;
  Choices choices_;
  std::vector<Actor> ways_;
  std::vector<Seen> seen_;
  bool given_up_ = false;
  bool cut_off_ = false;
};

}  // namespace millrace::sim::exploring
