// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What people call the things of a trace: operations with their instance, places, calls.

#include <millrace/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::cli {

/// Names for one trace, which must outlive it. All of them are printable.
class Words {
 public:
  explicit Words(const Trace& trace, bool ascii = false);

  /// "fill", or "fill#2" where several operations have that name.
  [[nodiscard]] std::string operation(TraceIndex index) const;
  /// "fill (line 9)", with the stream as "fill in s1 (line 9)".
  [[nodiscard]] std::string operation_at(TraceIndex index) const;
  [[nodiscard]] std::string operation_in_stream(TraceIndex index) const;
  [[nodiscard]] std::string stream(TraceIndex index) const;
  [[nodiscard]] std::string thread(TraceIndex index) const;
  [[nodiscard]] std::string device(TraceIndex index) const;
  [[nodiscard]] std::string object(ObjectKind kind, TraceIndex index) const;

  /// What a host call does, as scripts put it: "sync s1", "poll done", "read A", "work".
  [[nodiscard]] std::string call(const HostCall& call) const;
  /// "9" or, where the calls come from several files, "main.cpp:9"; empty when not known.
  [[nodiscard]] std::string place(TraceIndex call) const;
  /// "line 9" or "main.cpp:9".
  [[nodiscard]] std::string place_in_words(TraceIndex call) const;
  /// The same in brackets behind a blank; empty when not known.
  [[nodiscard]] std::string at(TraceIndex call) const;
  /// The operation's source line by itself.
  [[nodiscard]] std::string place_of_operation(TraceIndex index) const;

  [[nodiscard]] const Trace& trace() const { return trace_; }

 private:
  void count_instances();
  [[nodiscard]] std::string clean(std::string_view text) const;

  const Trace& trace_;
  bool ascii_;
  bool one_file_ = true;
  std::vector<std::uint32_t> instance_;  // of each operation; 0: the only one of its name
};

/// The direction of a copy: from host memory to a device, and so on. `other` where it is not known.
enum class Direction : std::uint8_t { to_device, to_host, on_device, between_devices, other };
Direction direction(const Trace& trace, const Operation& copy);

/// Whether a call that takes time spends it waiting, rather than being slow itself.
bool can_wait(const Trace& trace, const HostCall& call);

/// Whether an operation takes no time, having run.
inline bool is_instant(const Operation& operation) {
  return operation.start_ns >= 0 && operation.end_ns == operation.start_ns;
}

}  // namespace millrace::cli
