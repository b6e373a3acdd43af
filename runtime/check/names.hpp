// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What findings call the steps of a run.

#include "steps.hpp"

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::checker {

class Names {
 public:
  explicit Names(const Steps& steps);

  /// One side of a finding; `does` says what it does to the object, e.g. "writes".
  [[nodiscard]] Site site(Step step, std::string_view does) const;
  /// A step in a sentence: `fill#2` for the second of several, `the read at line 9`.
  [[nodiscard]] std::string label(Step step) const;
  /// The same with its place in the program: `fill#2 (line 8)`.
  [[nodiscard]] std::string with_place(Step step) const;
  /// `line 8`, with the file where the program has several; empty where it is not known.
  [[nodiscard]] std::string place(Step step) const;
  [[nodiscard]] std::string stream(TraceIndex operation) const;
  [[nodiscard]] std::string thread(TraceIndex call) const;
  [[nodiscard]] std::string event(TraceIndex event) const;
  /// With its kind: "stream s1"; "stream 0" where it has no name.
  [[nodiscard]] std::string object(ObjectKind kind, TraceIndex index) const;

  /// The call that made a step: itself, or the one that enqueued it.
  [[nodiscard]] TraceIndex call_of(Step step) const;

 private:
  const Steps& steps_;
  const Trace& trace_;
  bool several_files_ = false;
  std::vector<std::uint32_t> instances_;  // by operation: its number among those of its name
  std::vector<std::uint32_t> totals_;     // by string: operations of that name
};

/// "reads", "writes" …
std::string_view verb(AccessMode mode);

}  // namespace millrace::checker
