// SPDX-License-Identifier: Apache-2.0
#include "explorer.hpp"

#include <millrace/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace millrace::sim::exploring {
namespace {

constexpr const char* call = "sim::explore";
constexpr std::uint64_t usual_runs = 1000;
constexpr std::uint64_t runs_between_checkpoints = 1000;
constexpr std::int64_t second_ns = 1'000'000'000;

/// Bounds and progress are of real time; no choice depends on it.
std::int64_t real_time_ns() {
  const auto now = std::chrono::steady_clock::now();  // style-ok: bounds of real time
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
}

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(Errc::InvalidValue, call, reason, {});
}

void check(const ExploreOptions& options) {
  sim::check(options.run, call);
  const auto check_depth = [](int depth, int least, int most) {
    if (depth >= least && depth <= most) return;
    refuse("a depth of " + std::to_string(depth) + " is not " + std::to_string(least) + " to " +
           std::to_string(most));
  };
  if (const auto* some = std::get_if<orders>(&options.strategy)) check_depth(some->depth, 2, 4);
  if (const auto* some = std::get_if<pct>(&options.strategy)) check_depth(some->depth, 1, 16);
  if (options.max_steps == 0) refuse("options.max_steps is 0");
  if (options.timeout < Duration{0}) refuse("options.timeout is negative");
}

bool leaves_to_chance(const Strategy& strategy) {
  return std::holds_alternative<random_walk>(strategy) || std::holds_alternative<pct>(strategy);
}

std::string joined(const std::string& observed, const std::string& found) {
  if (observed.empty()) return found;
  return found.empty() ? observed : observed + "; " + found;
}

}  // namespace

std::unique_ptr<Plan> make_plan(const Strategy& strategy, std::uint64_t seed, std::uint64_t runs) {
  if (const auto* const some = std::get_if<orders>(&strategy)) return make_orders(some->depth);
  if (const auto* const some = std::get_if<random_walk>(&strategy)) {
    return make_random_walk(some->weighted, seed, runs);
  }
  if (const auto* const some = std::get_if<pct>(&strategy))
    return make_pct(some->depth, seed, runs);
  return make_exhaustive();
}

Explorer::Explorer(const ExploreOptions& options, Program& program)
    : options_(options), program_(program), runs_(options.runs) {
  check(options);
  profile_ = find_profile(options.run.profile);
  if (runs_ == 0 && leaves_to_chance(options.strategy)) runs_ = usual_runs;
  started_ns_ = told_ns_ = real_time_ns();
}

// Executions.

Explorer::Result Explorer::execute(Plan& plan, Execution& execution) {
  execution.clear();
  Result result;
  try {
    result.executed = sim::execute(options_.run, profile_, execution,
                                   [this](Backend& backend) { program_.run(backend); });
  } catch (const Error& error) {
    if (error.code() == Errc::IllegalState && std::string_view(error.what()).starts_with(call))
      throw;
    leave(execution);
  } catch (...) {
    leave(execution);
  }
  plan.end(execution.steps());
  result.choices = execution.choices();
  result.given_up = execution.given_up();
  result.cut_off = execution.was_cut_off();
  if (result.given_up) return result;
  result.judged = program_.judge(result.executed);
  result.text = joined(execution.observed(), result.judged.text);
  return result;
}

/// A body's exception ends the exploration; who catches it hears how to meet it again.
void Explorer::leave(const Execution& execution) {
  std::string what = "no std::exception";
  try {
    throw;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): nothing is known of it
  }
  std::throw_with_nested(
      std::runtime_error("sim::explore: an execution ended with an exception, MILLRACE_REPLAY=" +
                         token(execution.choices(), begun_) + " repeats it: " + what));
}

Explorer::Result Explorer::repeat(const Choices& choices) {
  Replay plan(choices);
  Execution execution(plan, options_.max_steps);
  Result result = execute(plan, execution);
  if (fingerprint_ == 0) fingerprint_ = execution.fingerprint();
  return result;
}

Explorer::Result Explorer::repeat(const Numbered& numbered) {
  const std::unique_ptr<Plan> plan =
      make_plan(numbered.strategy, numbered.seed, std::max(numbered.number, usual_runs));
  Execution execution(*plan, options_.max_steps);
  for (std::uint64_t number = 1; plan->begin(); ++number) {
    Result result = execute(*plan, execution);
    if (number == numbered.number) return result;
  }
  refuse("the replay token names an execution that this program does not have");
}

std::string Explorer::token(const Choices& choices, std::uint64_t number) const {
  return to_token(fingerprint_, choices, {options_.strategy, options_.run.seed, number});
}

// The exploration.

ExploreReport Explorer::explore() {
  Result usual = repeat(Choices{});
  if (const std::optional<Token> token = asked_for()) return replay(*token);
  run_plan();
  const auto failed = std::ranges::find_if(met_, [](const Met& met) { return met.outcome.failed; });
  Choices shown;
  std::uint64_t number = 1;
  for (Met& met : met_) {
    met.choices = shrink(met);
    met.outcome.replay = token(met.choices, met.number);
    report_.outcomes.push_back(met.outcome);
  }
  if (failed != met_.end()) {
    shown = failed->choices;
    number = failed->number;
    usual = repeat(shown);
  }
  fill(report_, std::move(usual), token(shown, number));
  return std::move(report_);
}

std::optional<Token> Explorer::asked_for() const {
  if (!options_.replay.empty()) {
    std::optional<Token> token = parse_token(options_.replay);
    if (!token) refuse("'" + options_.replay + "' is no replay token");
    if (token->fingerprint == short_fingerprint(fingerprint_)) return token;
    refuse("the replay token '" + options_.replay +
           "' is of another program, or of another version of it");
  }
  const char* const text = std::getenv("MILLRACE_REPLAY");
  if (text == nullptr) return std::nullopt;
  std::optional<Token> token = parse_token(text);
  if (token && token->fingerprint != short_fingerprint(fingerprint_)) token.reset();
  return token;
}

ExploreReport Explorer::replay(const Token& token) {
  Result result = std::holds_alternative<Choices>(token.execution)
                      ? repeat(std::get<Choices>(token.execution))
                      : repeat(std::get<Numbered>(token.execution));
  report_.executions = 1;
  report_.coverage = "one execution repeated";
  std::string text = options_.replay;
  if (const char* const asked = std::getenv("MILLRACE_REPLAY"); text.empty() && asked != nullptr) {
    text = asked;
  }
  report_.outcomes.push_back({result.text, text, 1, result.judged.failed});
  fill(report_, std::move(result), std::move(text));
  return std::move(report_);
}

void Explorer::fill(ExploreReport& report, Result&& result, std::string token) const {
  report.trace = std::move(result.executed.trace);
  report.trace.producer = "millrace sim, profile " + options_.run.profile + ", explored, " + token;
  report.findings = std::move(result.judged.findings);
  report.end_time = result.executed.end_time;
  report.replay = std::move(token);
}

void Explorer::run_plan() {
  const std::unique_ptr<Plan> plan = make_plan(options_.strategy, options_.run.seed, runs_);
  Execution execution(*plan, options_.max_steps);
  if (!options_.checkpoint.empty()) load(*plan);
  bool ended = false;
  while (true) {
    ended = !plan->begin();
    if (ended) break;
    if (is_bound_hit()) {
      if (!options_.checkpoint.empty()) save(*plan);
      break;
    }
    tell_progress(*plan);
    if (!run_one(*plan, execution)) break;
  }
  report_.complete = ended && report_.bounds_hit.empty();
  report_.coverage = coverage(*plan);
  if (report_.complete && !options_.checkpoint.empty()) {
    std::filesystem::remove(options_.checkpoint);
  }
}

/// False: it is the last one.
bool Explorer::run_one(Plan& plan, Execution& execution) {
  ++begun_;
  const Result result = execute(plan, execution);
  if (result.cut_off) {
    note_bound("an execution was cut off after " + std::to_string(options_.max_steps) + " steps");
  } else if (result.given_up) {
    ++report_.pruned;
  } else {
    ++report_.executions;
    note(result);
  }
  return !(failed_ && options_.stop_at_failure);
}

void Explorer::note(const Result& result) {
  const auto known =
      std::ranges::find_if(met_, [&](const Met& met) { return met.outcome.text == result.text; });
  if (known != met_.end()) {
    ++known->outcome.executions;
    return;
  }
  met_.push_back({{result.text, {}, 1, result.judged.failed}, result.choices, begun_});
  failed_ = failed_ || result.judged.failed;
}

void Explorer::note_bound(const std::string& bound) {
  if (std::ranges::find(report_.bounds_hit, bound) == report_.bounds_hit.end()) {
    report_.bounds_hit.push_back(bound);
  }
}

bool Explorer::is_bound_hit() {
  const bool is_own_end = leaves_to_chance(options_.strategy);
  if (runs_ != 0 && !is_own_end && report_.executions >= runs_) {
    note_bound("the bound of " + std::to_string(runs_) + " runs");
    return true;
  }
  if (options_.timeout != Duration{0} && real_time_ns() - started_ns_ >= options_.timeout.ns) {
    note_bound("the time of " + to_string(options_.timeout));
    return true;
  }
  return false;
}

/// Once a second, and more often what a later exploration needs.
void Explorer::tell_progress(const Plan& plan) {
  if (!options_.checkpoint.empty() && begun_ % runs_between_checkpoints == 0) save(plan);
  if (!options_.progress) return;
  const std::int64_t now = real_time_ns();
  if (now - told_ns_ < second_ns) return;
  told_ns_ = now;
  options_.progress({report_.executions, plan.fraction(), met_.size()});
}

std::string Explorer::coverage(const Plan& plan) const {
  if (report_.complete) return plan.coverage();
  const double fraction = plan.fraction();
  std::ostringstream text;
  text << report_.executions << " executions";
  if (fraction > 0 && fraction < 1) {
    text << ", about " << std::fixed << std::setprecision(fraction < 0.1 ? 1 : 0) << fraction * 100
         << " % of some "
         << static_cast<std::uint64_t>(static_cast<double>(report_.executions) / fraction);
  }
  if (failed_ && options_.stop_at_failure) text << "; ended by the first that failed";
  return text.str();
}

// Shrinking: fewer deviations from the usual run that still give the same outcome.

Choices Explorer::shrink(const Met& met) {
  constexpr int most_tries = 300;
  constexpr std::size_t most_usual = 150;
  int tries = 0;
  const auto gives_same = [&](const Choices& choices) {
    if (++tries > most_tries) return false;
    const Result result = repeat(choices);
    return !result.given_up && result.text == met.outcome.text;
  };
  Choices best = met.choices;
  const auto trim = [](Choices& choices) {
    while (!choices.empty() && choices.back() == 0) choices.pop_back();
  };
  trim(best);
  if (best.size() > 1) {  // most bugs need one deviation, though not one of those that were met
    for (std::size_t usual = 0; usual < std::min(best.size(), most_usual); ++usual) {
      Choices one(usual, 0);
      one.push_back(1);
      if (gives_same(one)) return one;
    }
  }
  for (std::size_t length = best.size(); length > 0; length /= 2) {
    for (std::size_t begin = 0; begin < best.size(); begin += length) {
      const std::size_t end = std::min(begin + length, best.size());
      Choices fewer = best;
      std::fill(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                fewer.begin() + static_cast<std::ptrdiff_t>(end), 0);
      if (fewer == best) continue;
      trim(fewer);
      if (gives_same(fewer)) best = fewer;
    }
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i] < 2) continue;
    Choices lower = best;
    lower[i] = 1;
    if (gives_same(lower)) best = lower;
  }
  return best;
}

}  // namespace millrace::sim::exploring
