// SPDX-License-Identifier: Apache-2.0
#include "commands/simulate.hpp"

#include "input.hpp"
#include "render/text.hpp"

#include <millrace/error.hpp>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>

namespace millrace::cli {
namespace {

/// The line of the script and a sign below the column; nothing for lines too long to show.
std::string excerpt(std::string_view text, std::uint32_t line, std::uint32_t column) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string shown(text.substr(0, text.find('\n')));
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  if (shown.size() > 200 || column == 0 || column > shown.size() + 1) return {};
  const int before = columns(std::string_view(shown).substr(0, column - 1));
  return "  " + printable(shown, false) + "\n  " + pad_left("^", before + 1) + "\n";
}

/// The message without the "FILE: " that InputError puts in front of it.
std::string without_name(const std::string& message, const std::string& path) {
  const std::string prefix = shown_name(path) + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

sim::Options how_to_run(const SimulationOptions& options) {
  return {.profile = options.profile,
          .devices = 1,
          .seed = options.seed,
          .trace = true,
          .max_operations = options.max_operations,
          .max_time = options.max_time,
          .inject = options.inject};
}

sim::Strategy strategy_of(const ExplorationOptions& options) {
  const auto depth = [&options](int usual) { return options.depth == 0 ? usual : options.depth; };
  if (options.strategy == "orders") return sim::orders{depth(3)};
  if (options.strategy == "random") return sim::random_walk{};
  if (options.strategy == "pct") return sim::pct{depth(3)};
  return sim::exhaustive{};
}

Failure not_supported(const std::string& what) {
  return {.message = "not supported yet: " + what, .excerpt = {}};
}

std::variant<Explored, Failure> explore_script_file(const std::string& path,
                                                    const std::string& text,
                                                    const SimulationOptions& options,
                                                    const ExplorationOptions& exploration,
                                                    const JudgeOptions& judging) {
  Script script = Script::parse(text, path == "-" ? "stdin.mill" : path);
  const sim::ExploreOptions how{.run = how_to_run(options),
                                .strategy = strategy_of(exploration),
                                .runs = exploration.runs,
                                .timeout = exploration.timeout,
                                .stop_at_failure = false,
                                .replay = exploration.replay,
                                .checkpoint = exploration.checkpoint};
  sim::ScriptExploreReport outcome = sim::explore(script, how, judging);
  if (!outcome.verdict.unsupported.empty()) return not_supported(outcome.verdict.unsupported);
  return Explored{script, std::move(outcome)};
}

std::variant<Simulated, Failure> run_script_file(const std::string& path, const std::string& text,
                                                 const SimulationOptions& options,
                                                 const JudgeOptions& judging) {
  Script script = Script::parse(text, path == "-" ? "stdin.mill" : path);
  sim::ScriptReport outcome = sim::run(script, how_to_run(options), judging);
  if (!outcome.verdict.unsupported.empty()) return not_supported(outcome.verdict.unsupported);
  return Simulated{script, std::move(outcome)};
}

}  // namespace

std::string in_words(const std::string& file, const Failure& failure) {
  std::string place = shown_name(file) + ":";
  if (failure.line != 0) {
    place += std::to_string(failure.line) + ":" + std::to_string(failure.column) + ":";
  }
  return place + " " + failure.message;
}

std::string profile_of(const Script& script, const SimulationOptions& options) {
  return options.profile.empty() ? std::string(script.profile()) : options.profile;
}

namespace {

/// What `perform(text)` gives for the script in that file, or what went wrong.
template <typename Result, typename Perform>
std::variant<Result, Failure> with_script(const std::string& path, Perform perform) {
  std::string text;
  try {
    text = read_script(path);
    return perform(text);
  } catch (const InputError& error) {
    return Failure{.message = without_name(error.what(), path), .excerpt = {}};
  } catch (const ScriptError& error) {
    return Failure{.line = error.line(),
                   .column = error.column(),
                   .message = error.message(),
                   .excerpt = excerpt(text, error.line(), error.column())};
  } catch (const Error& error) {
    const bool is_lacking = error.code() == Errc::NotSupported;
    return Failure{.message = (is_lacking ? "not supported yet: " : "") + std::string(error.what()),
                   .excerpt = {}};
  } catch (const std::bad_alloc&) {
    return Failure{.message = "needs more memory than there is", .excerpt = {}};
  } catch (const std::exception& error) {
    return Failure{.message = error.what(), .excerpt = {}};
  }
}

}  // namespace

std::variant<Simulated, Failure> simulate(const std::string& path, const SimulationOptions& options,
                                          const JudgeOptions& judging) {
  return with_script<Simulated>(
      path, [&](const std::string& text) { return run_script_file(path, text, options, judging); });
}

std::variant<Explored, Failure> explore_file(const std::string& path,
                                             const SimulationOptions& options,
                                             const ExplorationOptions& exploration,
                                             const JudgeOptions& judging) {
  return with_script<Explored>(path, [&](const std::string& text) {
    return explore_script_file(path, text, options, exploration, judging);
  });
}

}  // namespace millrace::cli
