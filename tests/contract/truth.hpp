// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The answers of an H200 (CUDA 13.0) as the contract: each line of the tables in truth/ that the
/// public API can say is a case here, named as the line, whose answer as text must be the line's.
/// Lines that it cannot say stand in truth/elsewhere.tsv with the reason.

#include "capture_situations.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace millrace::contract {

struct Truth {
  std::string line;
  std::function<std::string(Scene&)> play;
  /// The documentation leaves it open: only worlds that do what was measured answer so.
  bool only_measured = false;
};
using Truths = std::vector<Truth>;

// By table; long ones by subject.
Truths event_truths();
Truths stream_truths();
Truths blocking_truths();
Truths capture_truths();
Truths graph_truths();
Truths meeting_truths();
Truths more_truths();
Truths kernel_truths();
Truths reuse_truths();
Truths pool_truths();

/// "blocks:Success": whether the call returns only after the gate has been opened, and its answer.
template <typename Call>
std::string gated(Gate& gate, Call&& call) {
  std::string answered;
  const bool blocked = blocks(gate, [&] { answered = answer(call); });
  return (blocked ? "blocks:" : "returns:") + answered;
}

/// An event without timing.
inline Event plain_event(const Scene& scene) { return Event(EventOptions{.device = scene.device}); }

}  // namespace millrace::contract
