// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Writes the trace of a run. Switched off, every function returns at once and gives `none`.

#include <millrace/backend.hpp>
#include <millrace/name.hpp>
#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <map>
#include <string_view>
#include <vector>

namespace millrace::sim {

class Recorder {
 public:
  explicit Recorder(bool enabled) : enabled_(enabled) {}

  [[nodiscard]] bool enabled() const { return enabled_; }
  /// Nothing more is recorded: what threads do while a deadlock unwinds them is not the program.
  void stop() { enabled_ = false; }
  Trace& trace() { return trace_; }

  /// The trace's string of a name.
  TraceIndex string(Name name);
  TraceIndex string(std::string_view text);

  TraceIndex add_thread(Name name);
  TraceIndex add_signal(Name name);
  TraceIndex add_mutex(Name name);

  /// A host call begins. A silent site gives `none`.
  TraceIndex begin_call(CallKind kind, TraceIndex thread, const CallSite& site, Time begin,
                        ObjectKind object_kind = ObjectKind::nothing, TraceIndex object = none);
  /// It returns: takes its place in the order of steps. All dependencies into it and accesses of it
  /// must be added before, those out of it may be added any time.
  void end_call(TraceIndex call, Time end, CallOutcome outcome = CallOutcome::success,
                Errc error = Errc::Success);
  HostCall* call(TraceIndex index) { return index == none ? nullptr : &trace_.calls[index]; }

  /// `from` comes before `to`; nothing when either does not exist.
  void depend(Step from, Step to, DependencyKind kind);

  /// The next place in the order of steps.
  TraceIndex next_step() { return trace_.steps++; }

  // Used by the engine's side.
  TraceIndex add_operation(const Operation& operation, Name name);
  Operation* operation(TraceIndex index) {
    return index == none ? nullptr : &trace_.operations[index];
  }
  /// Adds an access to the newest operation, or to the newest call.
  void access_of_operation(TraceIndex operation, const TraceAccess& access);
  void access_of_call(TraceIndex call, const TraceAccess& access);

 private:
  TraceIndex file(const char* path);

  bool enabled_;
  Trace trace_;
  std::vector<TraceIndex> strings_by_name_;  // by Name::id
  std::map<std::string, TraceIndex, std::less<>> strings_;
  const char* last_path_ = nullptr;  // most calls come from one file
  TraceIndex last_file_ = 0;
};

}  // namespace millrace::sim
