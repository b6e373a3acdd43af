// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <type_traits>
#include <utility>

namespace millrace::script {
namespace {

template <typename Kind>
constexpr bool is_block =
    std::is_same_v<Kind, Thread> || std::is_same_v<Kind, Repeat> || std::is_same_v<Kind, If>;
template <typename Kind>
constexpr bool is_declaration =
    std::is_same_v<Kind, DeclareBuffers> || std::is_same_v<Kind, DeclareStreams> ||
    std::is_same_v<Kind, DeclareEvents> || std::is_same_v<Kind, DeclareFlags>;
template <typename Kind>
constexpr bool is_judged_in_place =
    std::is_same_v<Kind, ExpectState> || std::is_same_v<Kind, ExpectError>;
/// Says something about the run as a whole: nothing happens where it stands.
template <typename Kind>
constexpr bool is_remark =
    std::is_same_v<Kind, UseProfile> || std::is_same_v<Kind, UseDevices> ||
    std::is_same_v<Kind, ExpectClean> || std::is_same_v<Kind, ExpectFinding> ||
    std::is_same_v<Kind, ExpectOrder> || std::is_same_v<Kind, ExpectTime> ||
    std::is_same_v<Kind, ExpectElapsed>;

}  // namespace

Runner::Runner(std::shared_ptr<RunState> state)
    : state_(std::move(state)), program_(state_->program()), backend_(state_->backend()) {}

bool Runner::declare() {
  const auto end = static_cast<Index>(program_.statements.size());
  for (const Index index : program_.declarations) {
    statement_ = &program_.statements[index];
    succeed(index);
    std::visit(
        [&](const auto& what) {
          if constexpr (is_declaration<std::decay_t<decltype(what)>>) {
            // Each thing by itself: the others exist although one cannot.
            for (Index i = 0; i < what.count; ++i) {
              auto one = what;
              one.first += i;
              try {
                create(one);
              } catch (const Error& error) {
                if (!last_.failed()) fail(index, error);
              }
            }
          }
        },
        statement_->kind);
    state_->declared(index) = last_;
    if (last_.failed() && !tolerated(index, end)) {
      state_->stop(last_);
      return false;
    }
  }
  last_ = {};
  return true;
}

void Runner::run_thread(Index begin, Index end) {
  if (!run(begin, end)) state_->stop(last_);
}

/// False: the last outcome is an error that nothing in this block expects.
bool Runner::run(Index begin, Index end) {
  for (Index i = begin; i < end; i = after(program_.statements, i)) {
    if (state_->stopped()) return true;
    if (!step(i) && !tolerated(i, end)) return false;
  }
  return true;
}

bool Runner::step(Index index) {
  statement_ = &program_.statements[index];
  return std::visit(
      [&](const auto& what) {
        using Kind = std::decay_t<decltype(what)>;
        if constexpr (is_block<Kind>) {
          return run_block(what, index);
        } else if constexpr (is_declaration<Kind>) {
          last_ = state_->declared(index);
        } else if constexpr (is_judged_in_place<Kind>) {
          judge(what);
        } else if constexpr (!is_remark<Kind>) {
          succeed(index);
          try {
            execute(what);
          } catch (const Error& error) {
            fail(index, error);
            return false;
          }
        }
        return true;
      },
      statement_->kind);
}

void Runner::succeed(Index statement) {
  last_.code = Errc::Success;
  last_.answer = false;
  last_.statement = statement;
}

void Runner::fail(Index statement, const Error& error) {
  last_ = {error.code(), statement, reason_of(error), false};
}

/// Whether the last error has a reader: an expectation of it behind the statement or block, or of
/// the finding that it comes with.
bool Runner::tolerated(Index index, Index end) const {
  if (last_.code == Errc::InvalidResourceHandle && uses_destroyed(program_.statements[index])) {
    return true;
  }
  for (Index i = after(program_.statements, index);
       i < end && program_.statements[i].is_expectation(); ++i) {
    const auto* expected = program_.statements[i].as<ExpectError>();
    if (expected == nullptr) continue;
    // What a backend lacks is told apart from an error that is not the expected one.
    if (last_.code != Errc::NotSupported || expected->code == Errc::NotSupported) return true;
  }
  return false;
}

bool Runner::uses_destroyed(const Statement& statement) const {
  const auto expected = [this](Index thing) { return state_->expects_use_after_destroy(thing); };
  return expected(statement.stream) ||
         std::visit(
             [&](const auto& what) {
               using Kind = std::decay_t<decltype(what)>;
               if constexpr (std::is_same_v<Kind, Record> || std::is_same_v<Kind, Wait>) {
                 return expected(what.event);
               } else if constexpr (std::is_same_v<Kind, Sync> || std::is_same_v<Kind, Query> ||
                                    std::is_same_v<Kind, Poll> || std::is_same_v<Kind, Destroy> ||
                                    std::is_same_v<Kind, If>) {
                 return expected(what.thing);
               } else if constexpr (std::is_same_v<Kind, Elapsed>) {
                 return expected(what.start) || expected(what.end);
               } else if constexpr (std::is_same_v<Kind, Launch>) {
                 return expected(what.graph);
               } else {
                 return false;
               }
             },
             statement.kind);
}

bool Runner::run_block(const Thread& thread, Index index) {
  succeed(index);
  const auto body = [state = state_, index, thread] {
    Runner(state).run_thread(index + 1, thread.end);
  };
  const Name name = state_->names().words[program_.things[thread.thread].name];
  try {
    state_->keep(thread.thread, state_->host().start_thread(name, body, site("thread")));
  } catch (const Error& error) {
    fail(index, error);
    return false;
  }
  return true;
}

bool Runner::run_block(const Repeat& repeat, Index index) {
  for (std::uint32_t turn = 0; turn < repeat.count && !state_->stopped(); ++turn) {
    if (!run(index + 1, repeat.end)) return false;
  }
  succeed(index);
  return true;
}

bool Runner::run_block(const If& branch, Index index) {
  succeed(index);
  bool answer = false;
  try {
    answer = ready(branch.thing, site("query"));
  } catch (const Error& error) {
    fail(index, error);
    return false;
  }
  last_.code = answer ? Errc::Success : Errc::NotReady;
  last_.answer = true;
  const bool done = answer ? run(index + 1, branch.otherwise) : run(branch.otherwise, branch.end);
  if (!done) return false;
  succeed(index);
  last_.code = answer ? Errc::Success : Errc::NotReady;
  last_.answer = true;
  return true;
}

std::string Runner::describe(Index statement) const {
  const Statement& found = program_.statements[statement];
  return "'" + to_text(program_, found) + "' of line " + std::to_string(found.line);
}

void Runner::judge(const ExpectState& expected) {
  const std::string start = "expected " + std::string(program_.name_of(expected.thing)) +
                            (expected.ready ? " to be ready, but " : " to be pending, but ");
  try {
    if (ready(expected.thing, state_->site(*statement_, "query", true)) == expected.ready) return;
    state_->fail(*statement_,
                 start + (expected.ready ? "it is still pending" : "it is ready already"));
  } catch (const Error& error) {
    state_->fail(*statement_, start + "the query fails with " +
                                  std::string(to_string(error.code())) + ": " + reason_of(error));
  }
}

void Runner::judge(const ExpectError& expected) {
  if (last_.code == expected.code) return;
  const std::string start = "expected error " + std::string(to_string(expected.code)) + ", but ";
  if (last_.statement == nothing) {
    state_->fail(*statement_, start + "nothing stands before it in this thread that could fail");
  } else if (last_.failed()) {
    state_->stop(*statement_, start + describe(last_.statement) + " fails with " +
                                  std::string(to_string(last_.code)) + ": " + last_.reason);
  } else {
    state_->fail(*statement_,
                 start + describe(last_.statement) +
                     (last_.code == Errc::NotReady ? " answers NotReady" : " succeeds"));
  }
}

}  // namespace millrace::script

namespace millrace {

void run_script(const Script& script, ScriptHost& host, ScriptRun& run) {
  const auto state = std::make_shared<script::RunState>(script, host, run);
  script::Runner main(state);
  if (!main.declare()) return;
  main.run_thread(0, static_cast<script::Index>(script.program().statements.size()));
}

}  // namespace millrace
