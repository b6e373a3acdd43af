// SPDX-License-Identifier: Apache-2.0
#include "commands/commands.hpp"
#include "commands/files.hpp"
#include "commands/simulate.hpp"
#include "commands/verdict_json.hpp"
#include "input.hpp"
#include "output.hpp"
#include "render/explored.hpp"

#include <variant>

namespace millrace::cli {
namespace {

int fail(const ExploreOptions& options, const Failure& failure) {
  if (options.json) print(failure_json(options.file, failure));
  complain(in_words(options.file, failure) + "\n" + failure.excerpt);
  return exit_could_not;
}

}  // namespace

int explore(const ExploreOptions& options) {
  refuse_same_file(options.trace, options.file);
  const std::variant<Explored, Failure> result =
      explore_file(options.file, options.simulation, options.exploration);
  if (const auto* const failure = std::get_if<Failure>(&result)) return fail(options, *failure);
  const auto& done = std::get<Explored>(result).outcome;
  if (options.json) {
    print(exploration_json(options.file, done));
  } else {
    print(render_exploration(shown_name(options.file), done, find_look(options.look)));
  }
  if (!options.trace.empty()) write_trace_file(done.report.trace, options.trace);
  return done.verdict.ok ? exit_yes : exit_no;
}

}  // namespace millrace::cli
