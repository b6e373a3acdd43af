// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A machine that does nothing but write down, in words, what a script asks of it, and that answers
/// as it is told.

#include <millrace/host.hpp>
#include <millrace/script.hpp>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::test {

class LoggingBackend final : public Backend {
 public:
  /// One entry a call: "LINE what on what". Silent calls begin with "(silent) ".
  std::vector<std::string> log;
  /// What calls throw, by their entry without the line.
  std::map<std::string, Errc, std::less<>> errors;
  /// How often queries of a thing answer pending, by its name.
  std::map<std::string, int, std::less<>> pending;
  int devices = 2;
  std::string thread = "main";  ///< whose per-thread streams are meant

  std::string_view type() const noexcept override { return "logging"; }
  int device_count() const noexcept override { return devices; }
  DeviceProperties properties(int) override { return {}; }
  void reset_device(int device, const CallSite& site) override;
  void synchronize_device(int device, const CallSite& site) override;

  Handle create_stream(const StreamDescription& description, const CallSite& site) override;
  void destroy_stream(Handle stream, const CallSite& site) override;
  Handle legacy_stream(int device) override;
  Handle per_thread_stream(int device) override;
  Handle stream_from_native(void*, int, const CallSite&) override { return 0; }
  void* native_stream(Handle, const CallSite&) override { return nullptr; }
  int stream_device(Handle, const CallSite&) override { return 0; }
  int stream_priority(Handle, const CallSite&) override { return 0; }
  bool stream_is_capturing(Handle, const CallSite&) override { return false; }
  bool query_stream(Handle stream, const CallSite& site) override { return query(stream, site); }
  void synchronize_stream(Handle stream, const CallSite& site) override;

  Handle create_event(const EventDescription& description, const CallSite& site) override;
  void destroy_event(Handle event, const CallSite& site) override;
  void record_event(Handle event, Handle stream, bool external, const CallSite& site) override;
  void wait_event(Handle stream, Handle event, bool external, const CallSite& site) override;
  bool query_event(Handle event, const CallSite& site) override { return query(event, site); }
  void synchronize_event(Handle event, const CallSite& site) override;
  Duration elapsed_time(Handle start, Handle end, const CallSite& site) override;
  bool event_was_recorded(Handle, const CallSite&) override { return true; }

  void launch(Handle stream, Name name, const LaunchOptions& options, Task body,
              const CallSite& site) override;
  void call(Handle stream, Name name, const CallOptions& options, Task body,
            const CallSite& site) override;
  void copy(Handle stream, const Access& to, const Access& from, const TransferOptions& options,
            const CallSite& site) override;
  void fill(Handle stream, const Access& region, std::uint8_t value, const TransferOptions& options,
            const CallSite& site) override;
  void fault(Handle stream, Errc code, const CallSite& site) override;

  Allocation allocate(const MemoryDescription& description, const CallSite& site) override;
  void free(Handle memory, const CallSite& site) override;
  Allocation allocate_async(Handle stream, const MemoryDescription& description,
                            const CallSite& site) override;
  void free_async(Handle stream, Handle memory, const CallSite& site) override;
  void host_access(AccessList reads, AccessList writes, const CallSite& site) override;

  Handle create_flag(Name name, const CallSite& site) override;
  void set_flag(Handle stream, Handle flag, std::uint32_t value, const CallSite& site) override;
  void await_flag(Handle stream, Handle flag, FlagCondition condition, std::uint32_t value,
                  const CallSite& site) override;
  void begin_capture(Handle stream, CaptureMode mode, const CallSite& site) override;
  Handle end_capture(Handle stream, Name graph, const CallSite& site) override;
  void launch_graph(Handle stream, Handle graph, const CallSite& site) override;
  void destroy_graph(Handle graph, const CallSite& site) override;
  void idle(const CallSite& site) override { note("idle", site); }

  void note(const std::string& what, const CallSite& site);

 private:
  Handle make(std::string name);
  std::string name(Handle handle) const { return handle < names_.size() ? names_[handle] : "?"; }
  std::string text(const Access& access) const;
  std::string text(std::string_view word, AccessList list) const;
  bool query(Handle handle, const CallSite& site);

  std::vector<std::string> names_{"nothing"};
  std::map<std::string, Handle> defaults_;
};

/// Threads run when they are joined, the others when the script's own thread has ended.
class LoggingHost final : public ScriptHost {
 public:
  LoggingBackend machine;

  Backend& backend() override { return machine; }
  Handle start_thread(Name name, std::function<void()> body, const CallSite& site) override;
  void join_thread(Handle thread, const CallSite& site) override;
  void raise(Name signal, const CallSite& site) override;
  void await(Name signal, const CallSite& site) override;
  void work(Duration duration, const CallSite& site) override;

  /// Runs a script to its end.
  ScriptRun run(std::string_view text);

 private:
  struct Thread {
    std::string name;
    std::function<void()> body;
  };
  void run_body(Thread& thread);

  std::deque<Thread> threads_;
};

}  // namespace millrace::test
