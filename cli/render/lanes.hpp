// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What a timeline shows, before anything is drawn: a lane for each host thread and each stream,
/// with its spans of time and its moments.

#include "render/words.hpp"

#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace millrace::cli {

enum class Shape : std::uint8_t {
  kernel,
  copy,
  fill,
  host_function,
  other,      ///< an operation of another kind that took time
  host_work,  ///< a host thread computes
  host_call,  ///< a host call that takes time, though it waits for nothing
  waiting,    ///< a stream or a host thread cannot go on
};

/// A length of time in a lane.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;  ///< the lanes' `end` where it never ends
  Step step{};           ///< what runs, or what is held up
  Shape shape = Shape::kernel;
  bool for_ever = false;   ///< waiting: it never goes on
  bool failed = false;     ///< it ended by a fault or was thrown away
  std::size_t behind = 0;  ///< in a hardware queue: how many stand behind it
};

enum class MarkKind : std::uint8_t { record, wait, instant, call };

/// A moment in a lane.
struct Mark {
  std::int64_t at = 0;
  Step step{};
  MarkKind kind = MarkKind::call;
};

struct Lane {
  bool is_host = false;
  TraceIndex index = none;  ///< of the thread or stream
  std::vector<Span> spans;  ///< by time; of a stream they do not overlap
  std::vector<Mark> marks;  ///< by time
  std::size_t operations = 0;
  std::int64_t busy_ns = 0;

  [[nodiscard]] bool is_empty() const { return spans.empty() && marks.empty(); }
};

struct Lanes {
  std::vector<Lane> hosts;    ///< one a thread, in order of start
  std::vector<Lane> streams;  ///< one a stream, by device, in order of creation
  std::int64_t end = 0;       ///< of the run
  bool has_for_ever = false;  ///< something waits that never goes on
};

Lanes find_lanes(const Trace& trace);

/// How an operation of this kind is drawn while it runs.
Shape shape_of(OperationKind kind);

/// Texts for a span or a mark, the fullest first, to choose what fits.
std::vector<std::string> labels(const Words& words, const Span& span);
std::string label(const Words& words, const Mark& mark);

/// What an operation or host call that is held up waits for, e.g. "event ready".
std::string waited_object(const Words& words, Step step);

}  // namespace millrace::cli
