// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Executions by number: of the ways that were chosen, or of the plan's execution.

#include "execution.hpp"

#include <millrace/explore.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace millrace::sim::exploring {

/// Chooses as it is told.
class Replay final : public Plan {
 public:
  explicit Replay(Choices choices) : choices_(std::move(choices)) {}

  bool begin() override { return !std::exchange(begun_, true); }
  std::size_t choose(std::span<const Actor> actors, const Steps& past) override;
  bool finds_done() override { return next() == 1; }
  void end(const Steps&) override {}
  [[nodiscard]] double fraction() const override { return begun_ ? 1 : 0; }
  [[nodiscard]] std::string coverage() const override { return "one execution repeated"; }
  void save(std::ostream&) const override {}
  bool load(std::istream&) override { return true; }

 private:
  std::uint32_t next() { return at_ < choices_.size() ? choices_[at_++] : 0; }

  Choices choices_;
  std::size_t at_ = 0;
  bool begun_ = false;
};

/// The n-th execution of a strategy, from 1 on: for choices too many to write down.
struct Numbered {
  Strategy strategy;
  std::uint64_t seed = 0;
  std::uint64_t number = 0;
};

/// What a token says.
struct Token {
  std::uint64_t fingerprint = 0;
  std::variant<Choices, Numbered> execution;
};

/// `mr1-…`, at most 24 characters; by the choices if they fit.
std::string to_token(std::uint64_t fingerprint, const Choices& choices, const Numbered& otherwise);
/// Nothing when it is no token.
std::optional<Token> parse_token(std::string_view text);
/// The part of a program's fingerprint that a token has.
std::uint64_t short_fingerprint(std::uint64_t fingerprint);

}  // namespace millrace::sim::exploring
