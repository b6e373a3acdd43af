// SPDX-License-Identifier: Apache-2.0
#include "run_state.hpp"

#include <algorithm>

namespace millrace::script {

std::string reason_of(const Error& error) {
  std::string_view text = error.what();
  const std::string before = error.call() + ": " + std::string(to_string(error.code())) + ": ";
  if (text.starts_with(before)) text.remove_prefix(before.size());
  if (error.where().line != 0) {
    const std::string behind =
        " (" + std::string(error.where().file) + ":" + std::to_string(error.where().line) + ")";
    if (text.ends_with(behind)) text.remove_suffix(behind.size());
  }
  return std::string(text);
}

RunState::RunState(const Script& script, ScriptHost& host, ScriptRun& run)
    : script_(script),
      program_(&script_.program()),
      names_(program_->names()),
      file_(program_->file_name.text().data()),
      host_(host),
      backend_(host.backend()),
      run_(run),
      slots_(program_->things.size()),
      declared_(program_->declarations.size()) {
  for (const Statement& statement : program_->statements) {
    const auto* expected = statement.as<ExpectFinding>();
    if (expected != nullptr && expected->kind == FindingKind::use_after_destroy) {
      destroyed_.push_back(expected->object);
    }
  }
}

Outcome& RunState::declared(Index statement) {
  const auto& declarations = program_->declarations;
  const auto found = std::lower_bound(declarations.begin(), declarations.end(), statement);
  return declared_[static_cast<std::size_t>(found - declarations.begin())];
}

bool RunState::expects_use_after_destroy(Index thing) const {
  return thing != nothing && std::find(destroyed_.begin(), destroyed_.end(),
                                       program_->things[thing].name) != destroyed_.end();
}

void RunState::fail(const Statement& statement, std::string message) {
  const std::lock_guard lock(mutex_);
  run_.failures.push_back({statement.line, std::move(message)});
}

void RunState::stop(const Outcome& outcome) {
  const Statement& statement = program_->statements[outcome.statement];
  const std::string text = to_text(*program_, statement);
  stop();
  const std::lock_guard lock(mutex_);
  if (outcome.code != Errc::NotSupported) {
    run_.failures.push_back({statement.line, text + " fails with " +
                                                 std::string(to_string(outcome.code)) +
                                                 ", which nothing expects: " + outcome.reason});
    run_.stopped = true;
  } else if (run_.unsupported.empty()) {
    run_.unsupported =
        "line " + std::to_string(statement.line) + ": " + text + ": " + outcome.reason;
  }
}

void RunState::stop(const Statement& statement, std::string message) {
  stop();
  const std::lock_guard lock(mutex_);
  run_.failures.push_back({statement.line, std::move(message)});
  run_.stopped = true;
}

}  // namespace millrace::script
