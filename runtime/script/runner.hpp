// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// One host thread of a running script.

#include "run_state.hpp"

#include <memory>
#include <span>
#include <vector>

namespace millrace::script {

class Runner {
 public:
  explicit Runner(std::shared_ptr<RunState> state);

  /// Makes what the script declares. False: it is over already.
  bool declare();
  /// Runs the statements of a thread from beginning to end; nothing escapes but a cancelled run.
  void run_thread(Index begin, Index end);

 private:
  // Control (runner.cpp).
  bool run(Index begin, Index end);
  bool step(Index index);
  [[nodiscard]] bool tolerated(Index index, Index end) const;
  [[nodiscard]] bool uses_destroyed(const Statement& statement) const;
  bool run_block(const Thread& thread, Index index);
  bool run_block(const Repeat& repeat, Index index);
  bool run_block(const If& branch, Index index);
  void judge(const ExpectState& expected);
  void judge(const ExpectError& expected);
  void succeed(Index statement);
  void fail(Index statement, const Error& error);
  [[nodiscard]] std::string describe(Index statement) const;

  // One statement each (run_declarations.cpp, run_stream.cpp, run_host.cpp); they throw Error.
  void create(const DeclareBuffers& declaration);
  void create(const DeclareStreams& declaration);
  void create(const DeclareEvents& declaration);
  void create(const DeclareFlags& declaration);
  void execute(const Kernel& kernel);
  void execute(const Call& call);
  void execute(const Copy& copy);
  void execute(const Fill& fill);
  void execute(const Record& record);
  void execute(const Wait& wait);
  void execute(const Alloc& alloc);
  void execute(const FreeInOrder& free);
  void execute(const SetFlag& set);
  void execute(const AwaitFlag& await);
  void execute(const Begin& begin);
  void execute(const End& end);
  void execute(const Launch& launch);
  void execute(const Fault& fault);
  void execute(const Sync& sync);
  void execute(const Query& query);
  void execute(const Poll& poll);
  void execute(const Touch& touch);
  void execute(const Work& work);
  void execute(const Elapsed& elapsed);
  void execute(const Malloc& malloc);
  void execute(const Free& free);
  void execute(const Destroy& destroy);
  void execute(const Raise& raise);
  void execute(const Await& await);
  void execute(const SetDevice& set);
  void execute(const Reset& reset);
  void execute(const Join& join);

  // What statements speak of (run_stream.cpp).
  [[nodiscard]] CallSite site(const char* call) const { return state_->site(*statement_, call); }
  [[nodiscard]] CallSite declaration_site(const char* call) const {
    CallSite made = site(call);
    made.before_start = true;
    return made;
  }
  [[nodiscard]] Handle stream(Index thing) const;
  [[nodiscard]] Handle stream() const { return stream(statement_->stream); }
  [[nodiscard]] Handle made(Index thing, const CallSite& site) const;
  [[nodiscard]] Access access(Index region, const CallSite& site) const;
  [[nodiscard]] std::span<const Access> accesses(Index first, std::size_t count,
                                                 const CallSite& site);
  void check_size(const Copy& copy, Index index, const Access& region, const CallSite& site) const;
  bool ready(Index thing, const CallSite& site);

  std::shared_ptr<RunState> state_;
  const Script::Program& program_;
  Backend& backend_;
  const Statement* statement_ = nullptr;  ///< the one that is executed
  Outcome last_;                          ///< of the last single operation
  int device_ = 0;
  std::vector<Access> accesses_;
};

}  // namespace millrace::script
