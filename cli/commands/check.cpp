// SPDX-License-Identifier: Apache-2.0
#include "commands/answers.hpp"
#include "commands/baseline.hpp"
#include "commands/check_reports.hpp"
#include "commands/commands.hpp"
#include "commands/files.hpp"
#include "commands/simulate.hpp"
#include "commands/verdict_json.hpp"
#include "input.hpp"
#include "output.hpp"
#include "render/text.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <thread>
#include <utility>
#include <variant>

namespace millrace::cli {
namespace {

std::string joined(const std::vector<std::string>& differences) {
  std::string text;
  for (const std::string& difference : differences) {
    text += (text.empty() ? "" : "; ") + difference;
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

template <typename Result>
Checked checked_of(const std::string& file, const std::variant<Result, Failure>& result) {
  Checked checked;
  checked.file = file;
  if (const auto* failure = std::get_if<Failure>(&result)) {
    checked.problem = failure->message;
    checked.line = failure->line;
    return checked;
  }
  const Verdict& verdict = std::get<Result>(result).outcome.verdict;
  checked.ran = true;
  checked.problem = joined(verdict.differences);
  checked.findings = verdict.findings;
  checked.known = verdict.known;
  checked.unexpected = verdict.unexpected;
  return checked;
}

std::string in_json(const std::string& file, const Simulated& done) {
  return verdict_json(file, done.outcome);
}
std::string in_json(const std::string& file, const Explored& done) {
  return exploration_json(file, done.outcome);
}

/// What more there is to say of a script that fails.
std::string hint(const Simulated&) { return ""; }
std::string hint(const Explored& done) { return "; --replay " + done.outcome.report.replay; }

template <typename Result>
Answer answer_of(const std::string& file, const CheckOptions& options,
                 const std::variant<Result, Failure>& result, Checked& checked) {
  const double seconds = checked.seconds;
  checked = checked_of(file, result);
  checked.seconds = seconds;
  if (const auto* failure = std::get_if<Failure>(&result)) {
    const std::string line = printable("FAIL " + in_words(file, *failure), false) + "\n";
    if (!options.json) return {line, failure->excerpt, exit_could_not};
    return {failure_json(file, *failure), line, exit_could_not};
  }
  const auto& done = std::get<Result>(result);
  const bool ok = done.outcome.verdict.ok;
  std::string line = (ok ? "ok " : "FAIL ") + shown_name(file);
  if (!ok) line += ": " + joined(done.outcome.verdict.differences) + hint(done);
  line = printable(line, false) + "\n";
  const int code = ok ? exit_yes : exit_no;
  if (!options.json) return {line, "", code};
  return {in_json(file, done), ok ? "" : line, code};
}

Answer answer_to(const std::string& file, const CheckOptions& options, const Baseline& baseline,
                 Checked& checked) {
  JudgeOptions judging;
  judging.check.lints = options.lints;
  judging.is_known = [&](const Finding& finding) {
    return options.update_baseline || baseline.knows(file, finding);
  };
  const auto start = std::chrono::steady_clock::now();
  const auto answer = [&](const auto& result) {
    const auto end = std::chrono::steady_clock::now();
    checked.seconds = std::chrono::duration<double>(end - start).count();
    return answer_of(file, options, result, checked);
  };
  if (!options.explores) return answer(simulate(file, options.simulation, judging));
  return answer(explore_file(file, options.simulation, options.exploration, judging));
}

unsigned worker_count(unsigned asked, std::size_t files) {
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  const unsigned most = asked == 0 ? processors : asked;
  return static_cast<unsigned>(std::min<std::size_t>(most, files));
}

/// Threads that are joined whatever happens.
class Workers {
 public:
  template <typename Work>
  Workers(unsigned n, const Work& work) {
    for (unsigned i = 0; i < n; ++i) threads_.emplace_back(work);
  }
  ~Workers() {
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

 private:
  std::vector<std::thread> threads_;
};

/// The reports for other programs.
void write_reports(const CheckOptions& options, const std::vector<Checked>& scripts) {
  if (!options.junit.empty()) write_text_file(junit_xml(scripts), options.junit);
  if (!options.sarif.empty()) write_text_file(sarif_json(scripts), options.sarif);
}

void print_totals(const std::vector<std::size_t>& codes) {
  const std::size_t files = codes[0] + codes[1] + codes[2];
  if (files < 2) return;
  std::string text = counted(files, "file") + ": " + grouped(codes[exit_yes]) + " ok";
  if (codes[exit_no] > 0) text += ", " + grouped(codes[exit_no]) + " failed";
  if (codes[exit_could_not] > 0)
    text += ", " + grouped(codes[exit_could_not]) + " could not be run";
  complain(text);
}

void write_baseline(const CheckOptions& options, const std::vector<Checked>& scripts,
                    Baseline& baseline) {
  std::size_t count = 0;
  for (const Checked& script : scripts) {
    if (script.ran) baseline.replace(script.file, script.known);
    count += baseline.count(script.file);
  }
  baseline.save(options.baseline);
  complain(counted(count, "finding") + " of these files in " + shown_name(options.baseline));
}

/// Says how many findings of the baseline are gone.
void compare_with_baseline(const CheckOptions& options, const std::vector<Checked>& scripts,
                           const Baseline& baseline) {
  std::size_t gone = 0;
  for (const Checked& script : scripts) {
    if (!script.ran) continue;
    Baseline found;
    found.replace(script.file, script.known);
    gone += baseline.count(script.file) - found.count(script.file);
  }
  if (gone == 0) return;
  complain(counted(gone, "finding") + " of " + shown_name(options.baseline) +
           (gone == 1 ? " is" : " are") + " gone; --update-baseline writes it anew");
}

}  // namespace

int check(const CheckOptions& options) {
  const std::vector<std::string> files = expand_directories(options.files);
  const bool has_baseline = !options.baseline.empty();
  const bool is_new = options.update_baseline && !std::filesystem::exists(options.baseline);
  Baseline baseline = has_baseline && !is_new ? Baseline::load(options.baseline) : Baseline();
  std::vector<Checked> checked(files.size());
  Answers answers(files.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      answers.put(i, answer_to(files[i], options, baseline, checked[i]));
    }
  };
  std::vector<std::size_t> codes(3);
  const Workers workers(worker_count(options.jobs, files.size()), work);
  try {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const Answer answer = answers.take(i);
      print(answer.output);
      if (!answer.message.empty()) print_message(answer.message);
      ++codes[static_cast<std::size_t>(answer.exit_code)];
    }
  } catch (...) {
    next = files.size();  // nobody reads the rest
    throw;
  }
  if (options.update_baseline) {
    write_baseline(options, checked, baseline);
  } else if (has_baseline) {
    compare_with_baseline(options, checked, baseline);
  }
  write_reports(options, checked);
  print_totals(codes);
  if (codes[exit_could_not] > 0) return exit_could_not;
  return codes[exit_no] > 0 ? exit_no : exit_yes;
}

}  // namespace millrace::cli
