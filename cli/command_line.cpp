// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include "commands/commands.hpp"
#include "input.hpp"
#include "output.hpp"
#include "parse_words.hpp"
#include "suggest.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace millrace::cli {
namespace {

/// The commands with their options, and what was given of them.
class CommandLine {
 public:
  CommandLine() {
    app_.name("millrace");
    app_.require_subcommand(1);
    app_.get_formatter()->label("REQUIRED", "");
    app_.get_formatter()->label("Excludes", "not with");
    app_.set_version_flag("--version", "millrace " MILLRACE_VERSION, "Print the version");
    app_.footer(
        "Examples:\n"
        "  millrace run pipeline.mill                   see a script's run and what was wrong\n"
        "  millrace check tests/cases                   judge all scripts of a folder\n"
        "  millrace explore handoff.mill                judge all runs that are legal\n"
        "  millrace run a.mill --chrome a.json          open a.json in ui.perfetto.dev\n"
        "`millrace COMMAND --help` tells more about a command.\n"
        "Exit codes: 0 yes, 1 no (a finding, an expectation that failed), 2 could not.");
    add_run();
    add_check();
    add_explore();
    add_info();
    add_convert();
  }

  CLI::App& app() { return app_; }
  /// What was asked for; the command line must have been parsed.
  int perform() {
    for (const auto& [command, action] : actions_) {
      if (command->parsed()) return action();
    }
    return exit_could_not;
  }
  /// The words that one could have meant where `word` was not known.
  std::vector<std::string> known_words(const std::string& word) const;

 private:
  CLI::App* add_command(const std::string& name, const std::string& what,
                        const std::string& examples, std::function<int()> action) {
    CLI::App* const command = app_.add_subcommand(name, what);
    command->footer("Examples:\n" + examples);
    actions_.emplace_back(command, std::move(action));
    return command;
  }
  static void add_count(CLI::App* command, const std::string& option, std::uint64_t& count,
                        const std::string& what);
  static void add_simulation(CLI::App* command, SimulationOptions& options);
  static void add_exploration(CLI::App* command, ExplorationOptions& options);
  static void check_depth(const ExplorationOptions& options);
  static void add_look(CLI::App* command, LookOptions& options);
  void add_run();
  void add_check();
  void add_explore();
  void add_info();
  void add_convert();

  CLI::App app_{
      "Streams and events on a deterministic simulated GPU: see what ran when and why,\n"
      "and what is wrong with it."};
  std::vector<std::pair<CLI::App*, std::function<int()>>> actions_;
  RunOptions run_;
  CheckOptions check_;
  ExploreOptions explore_;
  InfoOptions info_;
  ConvertOptions convert_;
};

/// CLI11 takes "-1" for the largest number.
void CommandLine::add_count(CLI::App* command, const std::string& option, std::uint64_t& count,
                            const std::string& what) {
  command
      ->add_option_function<std::string>(
          option, [option, &count](const std::string& text) { count = parse_count(option, text); },
          what)
      ->type_name("N");
}

void CommandLine::add_simulation(CLI::App* command, SimulationOptions& options) {
  command->add_option("--profile", options.profile, "Timing of the device, instead of the script's")
      ->type_name("NAME|FILE");
  add_count(command, "--seed", options.seed, "For what is left to chance; one seed, one run");
  add_count(command, "--max-ops", options.max_operations, "Give up beyond so many operations");
  command
      ->add_option_function<std::string>(
          "--max-time",
          [&options](const std::string& text) {
            options.max_time = parse_duration("--max-time", text);
          },
          "Give up beyond this simulated time, e.g. 10ms")
      ->type_name("DURATION");
  command
      ->add_option_function<std::vector<std::string>>(
          "--inject",
          [&options](const std::vector<std::string>& faults) {
            for (const std::string& fault : faults) parse_injection(fault, options.inject);
          },
          "A fault to meet, several if given often: fail:NAME:CODE and refuse:NAME:CODE\n"
          "(NAME#2: the second), lose:DEVICE:TIME, memory:SIZE, slow:ENGINE:FACTOR\n"
          "(kernels, to-device, to-host, on-device; kernels@1)")
      ->type_name("FAULT")
      ->expected(1)
      ->take_all();
  command->add_option("--on")
      ->description("Where the script runs: sim")
      ->type_name("WHERE")
      ->check([](const std::string& where) {
        return where == "sim" ? std::string() : "only sim is supported, not '" + where + "'";
      });
}

void CommandLine::add_exploration(CLI::App* command, ExplorationOptions& options) {
  command
      ->add_option("--strategy", options.strategy,
                   "Which executions: exhaustive (every behaviour once), orders (every order of\n"
                   "a few steps), random, pct (random, with a guarantee)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"exhaustive", "orders", "random", "pct"}).description(""));
  command
      ->add_option("--depth", options.depth,
                   "Of orders (2 to 4) and pct (1 to 16): so many steps; 3 unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 16).description(""));
  add_count(command, "--runs", options.runs, "Execute at most so often; by chance 1000 times");
  command
      ->add_option_function<std::string>(
          "--timeout",
          [&options](const std::string& text) {
            options.timeout = parse_duration("--timeout", text);
          },
          "Give up after this real time, e.g. 30s")
      ->type_name("DURATION");
  command->add_option("--replay", options.replay, "Execute only this, by its token")
      ->type_name("TOKEN");
}

void CommandLine::check_depth(const ExplorationOptions& options) {
  if (options.depth == 0 || options.strategy == "orders" || options.strategy == "pct") return;
  throw CLI::ValidationError("--depth", "is for the strategies orders and pct");
}

void CommandLine::add_look(CLI::App* command, LookOptions& options) {
  static const std::map<std::string, Colour> colours{
      {"auto", Colour::automatic}, {"always", Colour::always}, {"never", Colour::never}};
  command
      ->add_option_function<std::string>(
          "--color", [&options](const std::string& word) { options.colour = colours.at(word); },
          "Colours: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
  command->add_option("--width", options.width, "Columns to use (40 to 1000), not the terminal's")
      ->type_name("N")
      ->check(CLI::Range(narrowest, 1000).description(""));
  CLI::Option* const ascii =
      command->add_flag("--ascii", options.ascii, "Use no characters beyond ASCII");
  command->add_flag("--unicode", options.unicode, "Use block characters whatever the locale says")
      ->excludes(ascii);
}

void CommandLine::add_run() {
  CLI::App* const command =
      add_command("run", "Run a script and show its timeline, what waited for what, and findings",
                  "  millrace run race.mill\n"
                  "  millrace run race.mill --trace race.mtrace --chrome race.json\n"
                  "  millrace run race.mill --profile h200 --engines --queues --sms\n"
                  "  echo 'legacy: kernel k' | millrace run -",
                  [this] { return run(run_); });
  command->add_option("FILE", run_.file, "The script (.mill); - is standard input")
      ->required()
      ->type_name("");
  add_simulation(command, run_.simulation);
  command->add_option("--trace", run_.trace, "Write the trace there")->type_name("OUT.mtrace");
  command->add_option("--chrome", run_.chrome, "Write JSON for ui.perfetto.dev there")
      ->type_name("OUT.json");
  command->add_flag("--json", run_.json, "Print the verdict as one JSON object");
  command->add_flag("--all", run_.look.all, "Show every row and operation, however many");
  command->add_flag("--engines", run_.look.engines, "Show what each copy engine copies");
  command->add_flag("--queues", run_.look.queues,
                    "Show the head of each hardware queue, and how many stand behind it");
  command->add_flag("--sms", run_.look.sms, "Show how full the multiprocessors are");
  add_look(command, run_.look);
}

void CommandLine::add_check() {
  CLI::App* const command =
      add_command("check", "Run scripts and judge what they expect; a line for each",
                  "  millrace check race.mill race-fixed.mill\n"
                  "  millrace check tests/cases --json | jq .ok\n"
                  "  millrace check tests/cases --junit cases.xml --sarif cases.json",
                  [this] {
                    check_depth(check_.exploration);
                    return check(check_);
                  });
  command->add_option("FILE", check_.files, "Scripts, and folders of them")
      ->required()
      ->type_name("");
  add_simulation(command, check_.simulation);
  CLI::Option* const explores =
      command->add_flag("--explore", check_.explores, "Explore each script, as `explore` does");
  add_exploration(command, check_.exploration);
  for (const char* const option : {"--strategy", "--depth", "--runs", "--timeout", "--replay"}) {
    command->get_option(option)->needs(explores);
  }
  command->add_option("--jobs,-j", check_.jobs, "So many at once; one a processor unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  command->add_flag("--json", check_.json, "Print a JSON object a line instead");
  command
      ->add_option_function<std::vector<std::string>>(
          "--lint",
          [this](const std::vector<std::string>& names) { check_.lints = parse_lints(names); },
          "Look for this too, or for all: " + lint_names())
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* const baseline =
      command->add_option("--baseline", check_.baseline, "Findings in this file fail nothing")
          ->type_name("FILE");
  command
      ->add_flag("--update-baseline", check_.update_baseline,
                 "Write what is found, and not expected, to that file")
      ->needs(baseline);
  command->add_option("--junit", check_.junit, "Write JUnit XML there, for build servers")
      ->type_name("OUT.xml");
  command->add_option("--sarif", check_.sarif, "Write findings as SARIF there, for code hosts")
      ->type_name("OUT.json");
}

void CommandLine::add_explore() {
  CLI::App* const command = add_command(
      "explore",
      "Run a script in all the ways that are legal: other turns of host threads, other\n"
      "answers of queries, other starts of host functions",
      "  millrace explore handoff.mill\n"
      "  millrace explore handoff.mill --strategy orders --depth 3\n"
      "  millrace explore handoff.mill --replay mr1-5n0c-8",
      [this] {
        check_depth(explore_.exploration);
        return explore(explore_);
      });
  command->add_option("FILE", explore_.file, "The script (.mill); - is standard input")
      ->required()
      ->type_name("");
  add_exploration(command, explore_.exploration);
  command
      ->add_option("--checkpoint", explore_.exploration.checkpoint,
                   "Go on from this file if it is there, and keep it up to date")
      ->type_name("FILE");
  add_simulation(command, explore_.simulation);
  command->add_option("--trace", explore_.trace, "Write the trace of the run that is shown there")
      ->type_name("OUT.mtrace");
  command->add_flag("--json", explore_.json, "Print one JSON object instead");
  add_look(command, explore_.look);
}

void CommandLine::add_info() {
  CLI::App* const command = add_command("info", "Tell what a trace holds and what is wrong with it",
                                        "  millrace info race.mtrace\n"
                                        "  millrace info race.mtrace --json",
                                        [this] { return info(info_); });
  command->add_option("TRACE", info_.file, "The trace (.mtrace)")->required()->type_name("");
  command->add_flag("--json", info_.json, "Print one JSON object instead");
  add_look(command, info_.look);
}

void CommandLine::add_convert() {
  CLI::App* const command =
      add_command("convert", "Convert a trace; the endings say from what to what",
                  "  millrace convert race.mtrace race.json     for ui.perfetto.dev",
                  [this] { return convert(convert_); });
  command->add_option("IN", convert_.in, "The trace (.mtrace)")->required()->type_name("");
  command->add_option("OUT", convert_.out, "The file to write (.json)")->required()->type_name("");
}

std::vector<std::string> CommandLine::known_words(const std::string& word) const {
  std::vector<std::string> words;
  if (!word.starts_with('-')) {
    for (const auto& [command, action] : actions_) words.push_back(command->get_name());
    return words;
  }
  for (const auto& [command, action] : actions_) {
    if (!command->parsed()) continue;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  }
  words.emplace_back("--help");
  words.emplace_back("--version");
  return words;
}

/// What to say of words on the command line that nothing knows.
std::string unknown(CommandLine& line) {
  CLI::App& app = line.app();
  const bool has_command = !app.get_subcommands().empty();
  std::string word;
  for (const std::string& rest : app.remaining(true)) {
    if (word.empty() || (rest.starts_with('-') && !word.starts_with('-'))) word = rest;
  }
  const std::string name = word.substr(0, word.find('='));
  const bool is_option = name.starts_with('-');
  if (!is_option && has_command) return "'" + word + "': one argument too many";
  const std::string meant = closest(name, line.known_words(name));
  const std::string kind = is_option ? "option" : "command";
  const std::string hint = meant.empty() ? "" : "; did you mean '" + meant + "'?";
  return "there is no " + kind + " '" + name + "'" + hint;
}

std::string help_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  const std::string command = commands.empty() ? "" : " " + commands.front()->get_name();
  return "`millrace" + command + " --help` shows what there is";
}

int refuse(const CLI::App& app, const std::string& message) {
  complain(message + "\n" + help_command(app));
  return exit_could_not;
}

int parse_and_perform(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App& app = line.app();
  try {
    app.parse(argc, argv);
    return line.perform();
  } catch (const CLI::CallForHelp&) {
    print(app.help());  // of the command, if there is one
    return exit_yes;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return exit_yes;
  } catch (const CLI::ExtrasError&) {
    return refuse(app, unknown(line));
  } catch (const CLI::RequiredError& error) {
    if (argc > 1) return refuse(app, app.remaining(true).empty() ? error.what() : unknown(line));
    print_message(app.help());
    return exit_could_not;
  } catch (const CLI::ParseError& error) {
    return refuse(app, error.what());
  }
}

}  // namespace

int command_line(int argc, const char* const* argv) {
  const bool has_output = prepare_output();
  try {
    if (!has_output) throw OutputError("there is no standard output: it is closed");
    return parse_and_perform(argc, argv);
  } catch (const std::bad_alloc&) {
    complain("needs more memory than there is");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return exit_could_not;
}

}  // namespace millrace::cli
