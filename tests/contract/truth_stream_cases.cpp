// SPDX-License-Identifier: Apache-2.0
#include "truth.hpp"

#include <optional>

namespace millrace::contract {
namespace {

/// Whether what comes behind it on `later` is done while `busy` is.
std::string record_beside(const Stream& busy, const Stream& later) {
  const Gate gate{busy};
  const Event event = later.record_event();
  settle();
  return answer([&] { return event.query(); });
}

std::string query_beside(const Stream& busy, const Stream& asked) {
  const Gate gate{busy};
  settle();
  return answer([&] { return asked.query(); });
}

std::string priority_of(const Stream& stream) {
  int priority = 9;
  const std::string answered = answer([&] { priority = stream.priority(); });
  return answered + std::to_string(priority);
}

std::string destroy(const Stream& stream) {
  return answer([&] {
    stream.backend().destroy_stream(stream.handle(), {"destroy", SourceLocation::current()});
  });
}

Truths streams() {
  return {
      {"stream.priority.range",
       [](Scene& s) {
         DeviceProperties found;
         const std::string answered = answer([&] { found = s.device.properties(); });
         return join({answered, std::to_string(found.least_priority),
                      std::to_string(found.greatest_priority)});
       }},
      {"stream.priority.default-streams",
       [](Scene& s) {
         const std::string legacy = priority_of(s.legacy());
         const std::string one = priority_of(
             ExternalStream(reinterpret_cast<void*>(1), s.device));  // NOLINT: CUDA's own handle
         return legacy + one + priority_of(per_thread_stream(s.device));
       }},
      {"stream.destroy.null",
       [](Scene& s) {
         const std::string legacy = destroy(s.legacy());
         const std::string again = destroy(s.legacy());
         return join({legacy, again, destroy(per_thread_stream(s.device))});
       }},
      {"stream.destroy.pending-returns",
       [](Scene& s) {
         std::optional<Stream> stream{Stream(s.device)};
         Gate gate{*stream};
         const Event event = stream->record_event();
         const std::string destroyed = gated(gate, [&] { stream.reset(); });
         return join({destroyed, answer([&] { event.synchronize(); })});
       }},
      {"stream.query.idle-and-busy",
       [](Scene& s) {
         const std::string idle = answer([&] { return s.stream.query(); });
         Gate gate{s.stream};
         const std::string busy = answer([&] { return s.stream.query(); });
         gate.open();
         s.device.synchronize();
         return join({idle, busy, answer([&] { return s.stream.query(); })});
       }},
      {"stream.id.unique",
       [](Scene& s) { return s.stream.handle() != s.other.handle() ? "unique" : "same"; }},
      {"stream.device",
       [](Scene& s) {
         int index = 9;
         const std::string answered = answer([&] { index = s.stream.device().index(); });
         return join({answered, std::to_string(index)});
       }},
  };
}

Truths default_streams() {
  return {
      {"legacy.work-waits-for-blocking-stream",
       [](Scene& s) { return record_beside(s.blocking, s.legacy()); }},
      {"legacy.work-ignores-nonblocking-stream",
       [](Scene& s) { return record_beside(s.stream, s.legacy()); }},
      {"legacy.query-while-blocking-stream-busy",
       [](Scene& s) { return query_beside(s.blocking, s.legacy()); }},
      {"legacy.query-while-nonblocking-stream-busy",
       [](Scene& s) { return query_beside(s.stream, s.legacy()); }},
      {"legacy.synchronize-while-nonblocking-stream-busy",
       [](Scene& s) {
         Gate gate{s.stream};
         return gated(gate, [&] { s.legacy().synchronize(); });
       }},
      {"legacy.busy-holds-blocking-stream",
       [](Scene& s) { return record_beside(s.legacy(), s.blocking); }},
      {"legacy.busy-holds-per-thread-stream",
       [](Scene& s) { return record_beside(s.legacy(), per_thread_stream(s.device)); }},
      {"legacy.wait-event-holds-blocking-streams",
       [](Scene& s) {
         const Gate gate{s.stream};
         s.legacy().wait_event(s.stream.record_event());
         const Event event = s.blocking.record_event();
         settle();
         return answer([&] { return event.query(); });
       }},
  };
}

Truths host_functions() {
  return {
      {"hostfn.fifo",
       [](Scene& s) {
         std::string order;
         for (char name = '0'; name < '8'; ++name) {
           s.stream.call("f", [&order, name] { order += name; });
         }
         s.stream.synchronize();
         return order;
       }},
      {"hostfn.other-stream-runs-meanwhile",
       [](Scene& s) {
         bool ran = false;
         Gate gate{s.stream};
         settle();
         s.other.call("f", [&] { ran = true; });
         settle();
         const bool meanwhile = ran;
         gate.open();
         s.device.synchronize();
         return meanwhile ? "concurrent" : "serialised";
       },
       true},
      {"hostfn.blocks-later-work-in-stream",
       [](Scene& s) { return record_beside(s.stream, s.stream); }},
  };
}

Truths memory() {
  return {
      {"memcpy.out-of-bounds",
       [](Scene& s) {
         const Buffer<char> target(1024, MemoryKind::device, s.device);
         const Buffer<char> source(4096, MemoryKind::pageable, s.device);
         const std::string copied = answer([&] { s.stream.copy(target.range(0, 4096), source); });
         return join({copied, answer([&] { s.stream.synchronize(); })});
       }},
      {"malloc.huge",
       [](Scene& s) {
         const std::string made =
             answer([&] { Buffer<char>(std::size_t{1} << 50, MemoryKind::device, s.device); });
         const std::string first(to_string(last_error()));
         return join({made, first, std::string(to_string(last_error()))});
       }},
      {"mallocAsync.freed-by-cudaFree",
       [](Scene& s) {
         const CallSite site{"free", SourceLocation::current()};
         const Allocation made =
             s.stream.backend().allocate_async(s.stream.handle(), {.bytes = 64}, site);
         s.stream.synchronize();
         return answer([&] { s.stream.backend().free(made.memory, site); });
       }},
      {"malloc.freed-by-cudaFreeAsync",
       [](Scene& s) {
         const CallSite site{"free_async", SourceLocation::current()};
         const std::string freed = answer(
             [&] { s.stream.backend().free_async(s.stream.handle(), s.buffer.handle(), site); });
         return join({freed, answer([&] { s.stream.synchronize(); })});
       }},
  };
}

std::string set_invalid_device(int index) {
  const std::string text = std::string(world().type()) + ":" + std::to_string(index);
  return answer([&] { set_device(Device(text)); });
}

Truths devices_and_errors() {
  return {
      {"device.count",
       [](Scene&) {
         return join({"Success", std::to_string(device_count(world().type()))});
       }},
      {"device.set-invalid",
       [](Scene&) {
         const std::string large = set_invalid_device(99);
         const std::string negative = set_invalid_device(-1);
         return join({large, negative, std::to_string(current_device().index())});
       }},
      {"error.last-error-per-thread",
       [](Scene&) {
         set_invalid_device(99);
         Errc other = Errc::Unknown;
         world().start([&] { other = peek_last_error(); })();
         const Errc peeked = peek_last_error();
         const Errc read = last_error();
         return join({std::string(to_string(other)), std::string(to_string(peeked)),
                      std::string(to_string(read)), std::string(to_string(last_error()))});
       }},
      {"error.success-call-keeps-last-error",
       [](Scene& s) {
         set_invalid_device(99);
         set_device(s.device);
         return std::string(to_string(last_error()));
       }},
  };
}

}  // namespace

Truths stream_truths() {
  Truths all;
  for (const Truths& some :
       {streams(), default_streams(), host_functions(), memory(), devices_and_errors()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace millrace::contract
