// SPDX-License-Identifier: Apache-2.0
#include "logging_host.hpp"

#include <millrace/trace.hpp>

#include <utility>

namespace millrace::test {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string text(Name name) { return std::string(name.text()); }

std::string cost(const std::optional<Duration>& cost) {
  return cost ? " for " + to_string(*cost) : "";
}

}  // namespace

void LoggingBackend::note(const std::string& what, const CallSite& site) {
  log.push_back((site.silent ? "(silent) " : "") + number(site.where.line) + " " + what);
  if (const auto error = errors.find(what); error != errors.end()) {
    throw Error(error->second, site.call, "as the test wants it", site.where);
  }
}

Handle LoggingBackend::make(std::string name) {
  names_.push_back(std::move(name));
  return names_.size() - 1;
}

std::string LoggingBackend::text(const Access& access) const {
  std::string text = name(access.memory) + "[" + number(access.begin) + ".." + number(access.end);
  if (access.pitch != 0) text += "/" + number(access.pitch) + "/" + number(access.width);
  return text + "]";
}

std::string LoggingBackend::text(std::string_view word, AccessList list) const {
  if (list.empty()) return "";
  std::string all = " " + std::string(word);
  for (const Access& access : list) all += " " + text(access);
  return all;
}

bool LoggingBackend::query(Handle handle, const CallSite& site) {
  note("query " + name(handle), site);
  const auto found = pending.find(name(handle));
  if (found == pending.end() || found->second == 0) return true;
  --found->second;
  return false;
}

void LoggingBackend::reset_device(int device, const CallSite& site) {
  note("reset " + std::to_string(device), site);
}
void LoggingBackend::synchronize_device(int device, const CallSite& site) {
  note("sync device " + std::to_string(device), site);
}

Handle LoggingBackend::create_stream(const StreamDescription& description, const CallSite& site) {
  note("stream " + test::text(description.name) + (description.blocking ? " blocking" : "") +
           " priority " + std::to_string(description.priority) + " on " +
           std::to_string(description.device),
       site);
  return make(test::text(description.name));
}
void LoggingBackend::destroy_stream(Handle stream, const CallSite& site) {
  note("destroy stream " + name(stream), site);
}
Handle LoggingBackend::legacy_stream(int device) {
  const std::string name = "legacy" + std::to_string(device);
  Handle& handle = defaults_[name];
  if (handle == 0) handle = make(name);
  return handle;
}
Handle LoggingBackend::per_thread_stream(int device) {
  const std::string name = "perthread" + std::to_string(device) + " of " + thread;
  Handle& handle = defaults_[name];
  if (handle == 0) handle = make(name);
  return handle;
}
void LoggingBackend::synchronize_stream(Handle stream, const CallSite& site) {
  note("sync stream " + name(stream), site);
}

Handle LoggingBackend::create_event(const EventDescription& description, const CallSite& site) {
  note("event " + test::text(description.name) + (description.timing ? " timing" : "") +
           (description.blocking ? " blocking" : "") +
           (description.interprocess ? " interprocess" : "") + " on " +
           std::to_string(description.device),
       site);
  return make(test::text(description.name));
}
void LoggingBackend::destroy_event(Handle event, const CallSite& site) {
  note("destroy event " + name(event), site);
}
void LoggingBackend::record_event(Handle event, Handle stream, bool external,
                                  const CallSite& site) {
  note("record " + name(event) + " on " + name(stream) + (external ? " external" : ""), site);
}
void LoggingBackend::wait_event(Handle stream, Handle event, bool external, const CallSite& site) {
  note("wait " + name(event) + " on " + name(stream) + (external ? " external" : ""), site);
}
void LoggingBackend::synchronize_event(Handle event, const CallSite& site) {
  note("sync event " + name(event), site);
}
Duration LoggingBackend::elapsed_time(Handle start, Handle end, const CallSite& site) {
  note("elapsed " + name(start) + " " + name(end), site);
  return {};
}

void LoggingBackend::launch(Handle stream, Name name_of, const LaunchOptions& options, Task,
                            const CallSite& site) {
  note("kernel " + test::text(name_of) + " on " + name(stream) + text("reads", options.reads) +
           text("writes", options.writes) + text("updates", options.updates) + cost(options.cost) +
           " grid " + number(options.grid.count()) + "x" + number(options.block.count()),
       site);
}
void LoggingBackend::call(Handle stream, Name name_of, const CallOptions& options, Task,
                          const CallSite& site) {
  note("call " + test::text(name_of) + " on " + name(stream) + text("reads", options.reads) +
           text("writes", options.writes) + text("updates", options.updates) + cost(options.cost),
       site);
}
void LoggingBackend::copy(Handle stream, const Access& to, const Access& from,
                          const TransferOptions& options, const CallSite& site) {
  note(test::text(options.name) + " on " + name(stream) + " " + text(from) + " -> " + text(to) +
           cost(options.cost) + (options.synchronous ? " sync" : ""),
       site);
}
void LoggingBackend::fill(Handle stream, const Access& region, std::uint8_t value,
                          const TransferOptions& options, const CallSite& site) {
  note(test::text(options.name) + " on " + name(stream) + " " + text(region) + " with " +
           number(value) + cost(options.cost) + (options.synchronous ? " sync" : ""),
       site);
}
void LoggingBackend::fault(Handle stream, Errc code, const CallSite& site) {
  note("fault " + std::string(to_string(code)) + " on " + name(stream), site);
}

Allocation LoggingBackend::allocate(const MemoryDescription& description, const CallSite& site) {
  note("allocate " + test::text(description.name) + " " + number(description.bytes) + " " +
           std::string(to_string(description.kind)) + " on " + std::to_string(description.device) +
           (description.backed ? " backed" : ""),
       site);
  return {make(test::text(description.name)), nullptr};
}
void LoggingBackend::free(Handle memory, const CallSite& site) {
  note("free " + name(memory), site);
}
Allocation LoggingBackend::allocate_async(Handle stream, const MemoryDescription& description,
                                          const CallSite& site) {
  note("alloc " + test::text(description.name) + " " + number(description.bytes) + " on " +
           name(stream) + " of device " + std::to_string(description.device),
       site);
  return {make(test::text(description.name)), nullptr};
}
void LoggingBackend::free_async(Handle stream, Handle memory, const CallSite& site) {
  note("free " + name(memory) + " on " + name(stream), site);
}
void LoggingBackend::host_access(AccessList reads, AccessList writes, const CallSite& site) {
  note("host" + text("reads", reads) + text("writes", writes), site);
}

Handle LoggingBackend::create_flag(Name name_of, const CallSite& site) {
  note("flag " + test::text(name_of), site);
  return make(test::text(name_of));
}
void LoggingBackend::set_flag(Handle stream, Handle flag, std::uint32_t value,
                              const CallSite& site) {
  note("set " + name(flag) + " = " + number(value) + " on " + name(stream), site);
}
void LoggingBackend::await_flag(Handle stream, Handle flag, FlagCondition condition,
                                std::uint32_t value, const CallSite& site) {
  const std::string_view sign = condition == FlagCondition::greater_or_equal ? " >= "
                                : condition == FlagCondition::equal          ? " == "
                                                                             : " & ";
  note("await " + name(flag) + std::string(sign) + number(value) + " on " + name(stream), site);
}
void LoggingBackend::begin_capture(Handle stream, CaptureMode mode, const CallSite& site) {
  const std::string_view word = mode == CaptureMode::global    ? " global"
                                : mode == CaptureMode::relaxed ? " relaxed"
                                                               : " threadlocal";
  note("begin" + std::string(word) + " on " + name(stream), site);
}
Handle LoggingBackend::end_capture(Handle stream, Name graph, const CallSite& site) {
  note("end " + test::text(graph) + " on " + name(stream), site);
  return make(test::text(graph));
}
void LoggingBackend::launch_graph(Handle stream, Handle graph, const CallSite& site) {
  note("launch " + name(graph) + " on " + name(stream), site);
}
void LoggingBackend::destroy_graph(Handle graph, const CallSite& site) {
  note("destroy graph " + name(graph), site);
}

Handle LoggingHost::start_thread(Name name, std::function<void()> body, const CallSite& site) {
  machine.note("thread " + text(name), site);
  threads_.push_back({text(name), std::move(body)});
  return threads_.size();
}
void LoggingHost::run_body(Thread& thread) {
  if (!thread.body) return;
  const std::function<void()> body = std::exchange(thread.body, nullptr);
  const std::string former = std::exchange(machine.thread, thread.name);
  body();
  machine.thread = former;
}
void LoggingHost::join_thread(Handle thread, const CallSite& site) {
  run_body(threads_[thread - 1]);
  machine.note("join " + threads_[thread - 1].name, site);
}
void LoggingHost::raise(Name signal, const CallSite& site) {
  machine.note("raise " + text(signal), site);
}
void LoggingHost::await(Name signal, const CallSite& site) {
  machine.note("await " + text(signal), site);
}
void LoggingHost::work(Duration duration, const CallSite& site) {
  machine.note("work " + to_string(duration), site);
}

ScriptRun LoggingHost::run(std::string_view text) {
  ScriptRun run;
  run_script(Script::parse(text), *this, run);
  for (std::size_t i = 0; i < threads_.size(); ++i) run_body(threads_[i]);
  return run;
}

}  // namespace millrace::test
