// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The script language (`.mill`): parsing, running over any backend, and judging its expectations.

#include <millrace/check.hpp>
#include <millrace/host.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

/// A script that cannot be read: `what()` is `FILE:LINE:COLUMN: message`, the message says what was
/// found and what was expected.
class ScriptError : public std::runtime_error {
 public:
  ScriptError(std::string_view file, std::uint32_t line, std::uint32_t column, std::string message);
  [[nodiscard]] std::uint32_t line() const noexcept { return line_; }
  [[nodiscard]] std::uint32_t column() const noexcept { return column_; }  ///< from 1, in bytes
  [[nodiscard]] const std::string& message() const noexcept { return message_; }

 private:
  std::uint32_t line_;
  std::uint32_t column_;
  std::string message_;
};

/// A script, parsed. Cheap to copy; there is no empty one.
class Script {
 public:
  /// Throws ScriptError. `file` is used in messages and as the source of locations.
  static Script parse(std::string_view text, std::string_view file = "script.mill");
  /// Throws ScriptError, or std::system_error when the file cannot be read.
  static Script load(const std::filesystem::path& file);
  Script(const Script&) noexcept = default;
  Script& operator=(const Script&) noexcept = default;
  ~Script() = default;

  [[nodiscard]] std::string_view file() const;
  /// The profile that the script asks for: a name, or a file relative to the script.
  /// "ideal" when it asks for none.
  [[nodiscard]] std::string_view profile() const;
  [[nodiscard]] int device_count() const;
  /// The script in its plain form: one statement a line, no comments but what they allow. It
  /// parses to the same program.
  [[nodiscard]] std::string to_text() const;

  struct Program;
  [[nodiscard]] const Program& program() const { return *program_; }

 private:
  explicit Script(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

/// How the statements of a script went: what judging needs beside the trace.
struct ScriptRun {
  struct Failure {
    std::uint32_t line = 0;
    std::string message;
  };
  std::vector<Failure> failures;  ///< expectations judged in place, and errors nobody expected
  bool stopped = false;           ///< an unexpected error ended it
  /// A capability that the backend lacks, in the words of its NotSupported error; else empty.
  std::string unsupported;
};

/// Runs the statements on `host` and the calling thread, and writes how it goes into `run`. The
/// script's threads may go on when this returns, and a run that ends early throws through it (a
/// deadlock, a cancelled run): `run` is complete once the host's run has ended, and must live so
/// long. Does not throw for what the script does.
void run_script(const Script& script, ScriptHost& host, ScriptRun& run);

/// The verdict of one script.
struct Verdict {
  bool ok = false;
  std::vector<std::string> differences;  ///< what differs, one sentence each; empty when ok
  std::string unsupported;               ///< not judged: this capability is lacking
  std::vector<Finding> findings;
  std::vector<Finding> known;       ///< those that only `JudgeOptions::is_known` accepted
  std::vector<Finding> unexpected;  ///< those that nothing accepted; all where an error stopped it
};

/// What is judged beside a script's expectations, and what of these.
struct JudgeOptions {
  bool times = true;     ///< false: `overlaps`, `start`, `finish`, `end` and `elapsed` are not
  CheckOptions check{};  ///< lints, which no script expects: what they find fails it
  /// Findings that a script neither expects nor allows and that yet do not fail it, e.g. those of a
  /// baseline. Empty: there are none.
  std::function<bool(const Finding&)> is_known{};
};

/// Judges all expectations of the script against what its run gave.
Verdict judge(const Script& script, const ScriptRun& run, const Trace& trace,
              const JudgeOptions& options = {});

}  // namespace millrace
