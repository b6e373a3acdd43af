// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A backend of nothing but bookkeeping, for tests of what stands on the Backend interface: it
/// writes down what it was asked for and answers as it is told. Bodies run within the call.

#include <millrace/backend.hpp>
#include <millrace/host.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::test {

/// One call that the fake got.
struct FakeCall {
  std::string what;         ///< the function of Backend
  Handle object = 0;        ///< what it was called on
  Handle other = 0;         ///< the other object, if any
  std::string public_call;  ///< CallSite::call
  std::uint32_t line = 0;
  bool silent = false;
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(int devices = 1, std::string type = "fake")
      : type_(std::move(type)), devices_(devices) {}

  bool recording = true;  ///< off: a launch costs next to nothing
  bool gone = false;      ///< on: every call fails, as after the end of a run
  int pending = 0;        ///< while above 0 queries answer not ready, but of events that were never
                          ///< recorded; idle() counts it down
  Time clock;             ///< what an event record reads
  std::uint64_t launches = 0;
  std::vector<FakeCall> calls;
  std::map<Handle, StreamDescription> streams;  ///< those that were made and live
  std::map<Handle, EventDescription> events;
  std::map<Handle, MemoryDescription> memories;

  [[nodiscard]] std::ptrdiff_t count(std::string_view what) const {
    return std::count_if(calls.begin(), calls.end(),
                         [&](const FakeCall& call) { return call.what == what; });
  }
  [[nodiscard]] const FakeCall& last() const { return calls.back(); }

  std::string_view type() const noexcept override { return type_; }
  int device_count() const noexcept override { return devices_; }
  DeviceProperties properties(int) override { return {"fake device", 0, -5, 1}; }
  void reset_device(int device, const CallSite& site) override {
    note("reset_device", device, site);
  }
  void synchronize_device(int device, const CallSite& site) override {
    note("synchronize_device", device, site);
  }

  Handle create_stream(const StreamDescription& description, const CallSite& site) override {
    const Handle stream = next_handle_++;
    note("create_stream", stream, site);
    streams[stream] = description;
    return stream;
  }
  void destroy_stream(Handle stream, const CallSite& site) override {
    note("destroy_stream", stream, site);
    streams.erase(stream);
  }
  Handle legacy_stream(int device) override { return legacy + static_cast<Handle>(device); }
  Handle per_thread_stream(int device) override { return per_thread + static_cast<Handle>(device); }
  Handle stream_from_native(void* native, int device, const CallSite& site) override {
    const Handle number = reinterpret_cast<std::uintptr_t>(native);
    note("stream_from_native", number, site);
    if (number <= 1) return legacy_stream(device);
    if (number == 2) return per_thread_stream(device);
    if (streams.count(number) == 0) {
      throw Error(Errc::InvalidResourceHandle, site.call, "no such stream", site.where);
    }
    return number;
  }
  void* native_stream(Handle stream, const CallSite& site) override {
    note("native_stream", stream, site);
    return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
        stream >= per_thread ? 2
        : stream >= legacy   ? 0
                             : stream);
  }
  int stream_device(Handle stream, const CallSite&) override { return streams[stream].device; }
  int stream_priority(Handle stream, const CallSite& site) override {
    note("stream_priority", stream, site);
    return stream >= legacy ? 0 : std::clamp(streams[stream].priority, -5, 0);
  }
  bool stream_is_capturing(Handle stream, const CallSite& site) override {
    note("stream_is_capturing", stream, site);
    return false;
  }
  bool query_stream(Handle stream, const CallSite& site) override {
    note("query_stream", stream, site);
    return pending == 0;
  }
  void synchronize_stream(Handle stream, const CallSite& site) override {
    note("synchronize_stream", stream, site);
  }

  Handle create_event(const EventDescription& description, const CallSite& site) override {
    const Handle event = next_handle_++;
    note("create_event", event, site);
    events[event] = description;
    return event;
  }
  void destroy_event(Handle event, const CallSite& site) override {
    note("destroy_event", event, site);
    events.erase(event);
  }
  void record_event(Handle event, Handle stream, bool, const CallSite& site) override {
    note("record_event", event, site, stream);
    records_[event] = clock;
  }
  void wait_event(Handle stream, Handle event, bool, const CallSite& site) override {
    note("wait_event", stream, site, event);
  }
  bool query_event(Handle event, const CallSite& site) override {
    note("query_event", event, site);
    return pending == 0 || records_.count(event) == 0;
  }
  void synchronize_event(Handle event, const CallSite& site) override {
    note("synchronize_event", event, site);
  }
  Duration elapsed_time(Handle start, Handle end, const CallSite& site) override {
    note("elapsed_time", start, site, end);
    return records_.at(end) - records_.at(start);
  }
  bool event_was_recorded(Handle event, const CallSite& site) override {
    note("event_was_recorded", event, site);
    return records_.count(event) != 0;
  }

  void launch(Handle stream, Name, const LaunchOptions&, Task body, const CallSite& site) override {
    ++launches;
    if (recording) note("launch", stream, site);
    run(body);
  }
  void call(Handle stream, Name, const CallOptions&, Task body, const CallSite& site) override {
    note("call", stream, site);
    run(body);
  }
  void copy(Handle stream, const Access& to, const Access& from, const TransferOptions&,
            const CallSite& site) override {
    note("copy", stream, site);
    copied_to = to;
    copied_from = from;
  }
  void fill(Handle stream, const Access& region, std::uint8_t, const TransferOptions&,
            const CallSite& site) override {
    note("fill", stream, site);
    copied_to = region;
  }

  Allocation allocate(const MemoryDescription& description, const CallSite& site) override {
    if (description.bytes > std::uint64_t{1} << 40) {
      throw Error(Errc::MemoryAllocation, site.call, "no room", site.where);
    }
    const Handle memory = next_handle_++;
    note("allocate", memory, site);
    memories[memory] = description;
    bytes_[memory].resize(description.bytes);
    return {memory, bytes_[memory].data()};
  }
  void free(Handle memory, const CallSite& site) override {
    note("free", memory, site);
    memories.erase(memory);
    bytes_.erase(memory);
  }
  void host_access(AccessList reads, AccessList writes, const CallSite& site) override {
    note("host_access", reads.size(), site, writes.size());
  }
  void idle(const CallSite& site) override {
    note("idle", 0, site);
    if (pending > 0) --pending;
  }

  Access copied_to;  ///< of the last copy or fill
  Access copied_from;

 private:
  static constexpr Handle legacy = 1000;
  static constexpr Handle per_thread = 3000;

  template <typename Object>
  void note(const char* what, Object object, const CallSite& site, Handle other = 0) {
    if (gone) throw Error(Errc::InvalidResourceHandle, site.call, "its run has ended", site.where);
    calls.push_back(FakeCall{what, static_cast<Handle>(object), other, site.call, site.where.line,
                             site.silent});
  }

  static void run(Task& body) {
    const OperationBodyScope scope;
    if (body) body();
  }

  std::string type_;
  int devices_;
  Handle next_handle_ = 10;
  std::map<Handle, Time> records_;
  std::map<Handle, std::vector<std::byte>> bytes_;
};

/// The calling thread as a host thread of a run over a fake backend, until the end of the scope.
class FakeRun {
 public:
  explicit FakeRun(int devices = 1)
      : backend(std::make_shared<FakeBackend>(devices)),
        thread_(make_host_thread("fake", backend)),
        former_(exchange_host_thread(thread_.get())) {}
  ~FakeRun() { exchange_host_thread(former_); }
  FakeRun(const FakeRun&) = delete;
  FakeRun& operator=(const FakeRun&) = delete;

  FakeBackend* operator->() const { return backend.get(); }

  std::shared_ptr<FakeBackend> backend;

 private:
  std::shared_ptr<HostThread> thread_;
  HostThread* former_;
};

}  // namespace millrace::test
