// SPDX-License-Identifier: Apache-2.0
#include "render/errors.hpp"

#include "render/text.hpp"
#include "render/words.hpp"

#include <millrace/error.hpp>
#include <millrace/time.hpp>

#include <cstddef>
#include <vector>

namespace millrace::cli {
namespace {

std::string of_call(const Words& words, TraceIndex index) {
  const HostCall& call = words.trace().calls[index];
  std::string text(to_string(static_cast<Errc>(call.error)));
  text += ": " + words.call(call) + words.at(index);
  if (words.trace().threads.size() > 1) text += " by " + words.thread(call.thread);
  return text + ", at " + to_string(Time{call.end_ns});
}

std::string of_operation(const Words& words, TraceIndex index) {
  const Operation& o = words.trace().operations[index];
  return "fault: " + words.operation_in_stream(index) + ", at " + to_string(Time{o.end_ns});
}

}  // namespace

std::string render_errors(const Trace& trace, const Look& look) {
  constexpr std::size_t most = 20;
  const Words words(trace, look.ascii);
  std::vector<std::string> lines;
  std::size_t more = 0;
  const auto add = [&](auto of, TraceIndex index) {
    if (look.all || lines.size() < most) {
      lines.push_back(of(words, index));
    } else {
      ++more;
    }
  };
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) {
    if (trace.operations[i].state == OperationState::failed) add(of_operation, i);
  }
  for (TraceIndex i = 0; i < trace.calls.size(); ++i) {
    if (trace.calls[i].outcome == CallOutcome::error) add(of_call, i);
  }
  if (more > 0) lines.push_back("and " + counted(more, "more error") + " (--all shows them)");
  std::string text;
  for (const std::string& line : lines) {
    for (const std::string& piece : wrap(line, look.width - 2)) text += "  " + piece + "\n";
  }
  return text;
}

}  // namespace millrace::cli
