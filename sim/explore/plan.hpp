// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What a strategy is: who decides at each point of an execution, and how many executions there
/// are.

#include "steps.hpp"

#include <millrace/explore.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

namespace millrace::sim::exploring {

class Plan {
 public:
  virtual ~Plan() = default;

  /// Another execution begins. False: there is none left.
  virtual bool begin() = 0;
  /// Which of the actors goes on; Chooser::no_one gives the execution up. The usual one comes
  /// first: who went on before, if it can. `past` is what has happened.
  virtual std::size_t choose(std::span<const Actor> actors, const Steps& past) = 0;
  virtual bool finds_done() = 0;
  /// The execution is over; `steps` are complete unless it was given up.
  virtual void end(const Steps& steps) = 0;

  /// How much of all is done, 0 to 1.
  [[nodiscard]] virtual double fraction() const = 0;
  /// What is known when begin() has returned false.
  [[nodiscard]] virtual std::string coverage() const = 0;
  /// What an exploration that goes on later must know, as whole numbers.
  virtual void save(std::ostream& out) const = 0;
  virtual bool load(std::istream& in) = 0;
};

/// The plan of a strategy. `runs` bounds those that have no end of their own.
std::unique_ptr<Plan> make_plan(const Strategy& strategy, std::uint64_t seed, std::uint64_t runs);

std::unique_ptr<Plan> make_exhaustive();
std::unique_ptr<Plan> make_orders(int depth);
std::unique_ptr<Plan> make_random_walk(bool weighted, std::uint64_t seed, std::uint64_t runs);
std::unique_ptr<Plan> make_pct(int depth, std::uint64_t seed, std::uint64_t runs);

}  // namespace millrace::sim::exploring
