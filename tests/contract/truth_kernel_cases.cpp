// SPDX-License-Identifier: Apache-2.0
// Kernels that fail, impossible ones, flags.

#include "truth.hpp"

namespace millrace::contract {
namespace {

/// A kernel that fails with that code.
void fail_with(const Stream& stream, Errc code) {
  stream.backend().fault(stream.handle(), code, {"fault", SourceLocation::current()});
}

std::string shaped(const Stream& stream, Dim3 grid, Dim3 block, std::uint32_t shared_bytes = 0) {
  return answer(
      [&] { stream.launch("k", {.grid = grid, .block = block, .shared_bytes = shared_bytes}); });
}

std::string illegal_address(Scene& s) {
  const Event event = plain_event(s);
  std::string text = "launch:" + answer([&] { fail_with(s.stream, Errc::IllegalAddress); });
  const auto say = [&](const char* what, const std::string& answered) {
    text.append(",").append(what).append(":").append(answered);
  };
  const auto synchronize = [&] { s.stream.synchronize(); };
  const auto allocate = [&] { static_cast<void>(s.memory(MemoryKind::device)); };
  say("sync", answer(synchronize));
  say("sync2", answer(synchronize));
  say("malloc", answer(allocate));
  say("record", answer([&] { static_cast<void>(s.stream.record_event()); }));
  say("query", answer([&] { return s.stream.query(); }));
  say("last", std::string(to_string(last_error())));
  say("last2", std::string(to_string(last_error())));
  say("destroy", answer([&] {
        s.stream.backend().destroy_event(event.handle(), {"destroy", SourceLocation::current()});
      }));
  say("reset", answer([&] { s.device.reset(); }));
  say("malloc", answer(allocate));
  return text;
}

/// Which of a host function (1) and a callback (2) run after a fault, and what the latter is told.
std::string after_fault(Scene& s) {
  int ran = 0;
  Errc status = Errc::Success;
  fail_with(s.stream, Errc::LaunchFailure);
  const std::string function = answer([&] { s.stream.call("f", [&] { ran |= 1; }); });
  const std::string callback = answer([&] {
    s.stream.add_callback("c", [&](Errc told) {
      status = told;
      ran |= 2;
    });
  });
  const std::string waited = answer([&] { s.stream.synchronize(); });
  settle();
  return join({function, callback, waited, "ran " + std::to_string(ran),
               "status " + std::string(to_string(status))});
}

}  // namespace

Truths kernel_truths() {
  return {
      {"kernel.illegal-address", illegal_address},
      {"kernel.trap",
       [](Scene& s) {
         fail_with(s.stream, Errc::LaunchFailure);
         const std::string waited = answer([&] { s.stream.synchronize(); });
         return join({waited, answer([&] { s.device.synchronize(); })});
       }},
      {"kernel.error-then-hostfn", after_fault},
      {"kernel.bad-config",
       [](Scene& s) {
         const std::string threads = shaped(s.stream, 1, 2048);
         const std::string no_blocks = shaped(s.stream, 0, 1);
         const std::string no_threads = shaped(s.stream, 1, 0);
         const std::string shared = shaped(s.stream, 1, 1, 1 << 20);
         const std::string rows = shaped(s.stream, {1, 70000}, 1);
         return join({threads, no_blocks, no_threads, shared, rows,
                      answer([&] { s.stream.synchronize(); })});
       }},
      {"memop.wait-value",
       [](Scene& s) {
         const Flag flag({.device = s.device});
         const std::string waited =
             answer([&] { s.stream.await_flag(flag, FlagCondition::greater_or_equal, 5); });
         const Event event = s.stream.record_event();
         settle();
         const std::string asked = answer([&] { return event.query(); });
         s.other.set_flag(flag, 7);
         return join(
             {waited == "Success" ? "0" : waited, asked, answer([&] { event.synchronize(); })});
       }},
      {"legacy.kernel-serialises-blocking-streams",
       [](Scene& s) {
         const Stream later({.device = s.device, .blocking = true});
         std::string order;
         const auto run = [&](const Stream& stream, char name) {
           stream.launch("k", {.block = 1, .cost = Duration{1'000'000}},
                         [&order, name] { order += name; });
         };
         run(s.blocking, 'a');
         run(s.legacy(), '0');
         run(later, 'b');
         s.device.synchronize();
         const auto before = [&](char first, char second) {
           return std::to_string(static_cast<int>(order.find(first) < order.find(second)));
         };
         return "a..0 gap>=0:" + before('a', '0') + " 0..b gap>=0:" + before('0', 'b');
       }},
  };
}

}  // namespace millrace::contract
