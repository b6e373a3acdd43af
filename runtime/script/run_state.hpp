// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the host threads of a running script share.

#include "program.hpp"

#include <millrace/host.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::script {

/// How a statement went.
struct Outcome {
  Errc code = Errc::Success;
  Index statement = nothing;  ///< nothing: no statement came before
  std::string reason;         ///< of an error, without call, code and place
  bool answer = false;        ///< NotReady as a query's answer, which is no error

  [[nodiscard]] bool failed() const { return code != Errc::Success && !answer; }
};

/// What an Error says beside its call, code and place.
std::string reason_of(const Error& error);

class RunState {
 public:
  RunState(const Script& script, ScriptHost& host, ScriptRun& run);

  const Script::Program& program() const { return *program_; }
  const Script::Program::Names& names() const { return names_; }
  ScriptHost& host() { return host_; }
  Backend& backend() { return backend_; }

  /// The current handle of a thing; 0 before there is one. Handles of what was freed stay.
  [[nodiscard]] Handle handle(Index thing) const {
    return slots_[thing].handle.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t bytes(Index memory) const {
    return slots_[memory].bytes.load(std::memory_order_acquire);
  }
  void keep(Index thing, Handle handle, std::uint64_t bytes = 0) {
    slots_[thing].bytes.store(bytes, std::memory_order_release);
    slots_[thing].handle.store(handle, std::memory_order_release);
  }

  /// A statement's place, as backends get it.
  [[nodiscard]] CallSite site(const Statement& statement, const char* call,
                              bool silent = false) const {
    return {call, {file_, statement.line, statement.column}, silent};
  }

  /// How the declaration of that statement went.
  Outcome& declared(Index statement);

  /// Whether a use-after-destroy of a thing of that name is expected.
  [[nodiscard]] bool expects_use_after_destroy(Index thing) const;

  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  /// An expectation does not hold.
  void fail(const Statement& statement, std::string message);
  /// Nobody expected this error: the script fails and its threads end at their next statements. A
  /// capability that the backend lacks is no failure of the script, but ends it as well.
  void stop(const Outcome& outcome);
  /// It is another error than the one that is expected.
  void stop(const Statement& statement, std::string message);

 private:
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

  struct Slot {
    std::atomic<Handle> handle{0};
    std::atomic<std::uint64_t> bytes{0};
  };

  Script script_;  // keeps the program
  const Script::Program* program_;
  const Script::Program::Names& names_;
  const char* file_;
  ScriptHost& host_;
  Backend& backend_;
  ScriptRun& run_;
  std::vector<Slot> slots_;  // by thing
  std::vector<Outcome> declared_;
  std::vector<Symbol> destroyed_;  // names that use-after-destroy is expected of
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  // of run_: on real machines threads run at the same time
};

}  // namespace millrace::script
