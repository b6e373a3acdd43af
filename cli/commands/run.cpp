// SPDX-License-Identifier: Apache-2.0
#include "commands/commands.hpp"
#include "commands/files.hpp"
#include "commands/simulate.hpp"
#include "commands/verdict_json.hpp"
#include "input.hpp"
#include "output.hpp"
#include "render/report.hpp"

#include <variant>

namespace millrace::cli {
namespace {

int fail(const RunOptions& options, const Failure& failure) {
  if (options.json) print(failure_json(options.file, failure));
  complain(in_words(options.file, failure) + "\n" + failure.excerpt);
  return exit_could_not;
}

void write_files(const RunOptions& options, const Trace& trace) {
  if (!options.trace.empty()) write_trace_file(trace, options.trace);
  if (!options.chrome.empty()) write_chrome_file(trace, options.chrome);
}

}  // namespace

int run(const RunOptions& options) {
  refuse_same_file(options.trace, options.file);
  refuse_same_file(options.chrome, options.file);
  refuse_same_file(options.chrome, options.trace);
  const std::variant<Simulated, Failure> result = simulate(options.file, options.simulation);
  if (const auto* failure = std::get_if<Failure>(&result)) return fail(options, *failure);
  const auto& done = std::get<Simulated>(result);
  if (options.json) {
    print(verdict_json(options.file, done.outcome));
  } else {
    const RunTitle title{.file = shown_name(options.file),
                         .profile = profile_of(done.script, options.simulation),
                         .seed = options.simulation.seed};
    print(render_report(title, done.outcome, find_look(options.look)));
  }
  write_files(options, done.outcome.report.trace);
  return done.outcome.verdict.ok ? exit_yes : exit_no;
}

}  // namespace millrace::cli
