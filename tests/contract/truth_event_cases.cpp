// SPDX-License-Identifier: Apache-2.0
#include "truth.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace millrace::contract {
namespace {

Event timed_event(const Scene& s) {
  return Event(EventOptions{.device = s.device, .enable_timing = true});
}

Event shared_event(const Scene& s) {
  return Event(EventOptions{.device = s.device, .interprocess = true});
}

auto elapsed(const Event& start, const Event& end) {
  return [&] { return start.elapsed_time(end); };
}

Truths fresh_events() {
  return {
      {"event.fresh.query", [](Scene& s) { return answer([&] { return s.fresh.query(); }); }},
      {"event.fresh.synchronize", [](Scene& s) { return answer([&] { s.fresh.synchronize(); }); }},
      {"event.fresh-end.elapsed", [](Scene& s) { return answer(elapsed(s.done, s.fresh)); }},
      {"event.fresh.stream-wait",
       [](Scene& s) {
         const std::string waited = answer([&] { s.stream.wait_event(s.fresh); });
         return join({waited, answer([&] { return s.stream.query(); })});
       }},
      {"event.create.interprocess-with-timing",
       [](Scene& s) {
         return answer(
             [&] { Event({.device = s.device, .enable_timing = true, .interprocess = true}); });
       }},
      {"event.create.interprocess-no-timing",
       [](Scene& s) { return answer([&] { Event({.device = s.device, .interprocess = true}); }); }},
  };
}

Truths elapsed_times() {
  return {
      {"event.elapsed.timing-disabled",
       [](Scene& s) {
         const Event a = s.stream.record_event();
         const Event b = s.stream.record_event();
         s.stream.synchronize();
         return answer(elapsed(a, b));
       }},
      {"event.elapsed.one-timing-disabled",
       [](Scene& s) {
         const Event b = s.stream.record_event();
         s.stream.synchronize();
         return answer(elapsed(s.done, b));
       }},
      {"event.elapsed.end-pending",
       [](Scene& s) {
         Gate gate{s.stream};
         s.fresh.record(s.stream);
         const std::string pending = answer(elapsed(s.done, s.fresh));
         gate.open();
         s.stream.synchronize();
         return join({pending, answer(elapsed(s.done, s.fresh))});
       }},
      {"event.elapsed.start-pending",
       [](Scene& s) {
         Gate gate{s.stream};
         s.fresh.record(s.stream);
         return answer(elapsed(s.fresh, s.done));
       }},
      {"event.elapsed.reversed-negative",
       [](Scene& s) {
         settle();
         s.fresh.record(s.stream);
         s.stream.synchronize();
         const float forth = s.done.elapsed_time(s.fresh);
         float back = 0;
         const std::string answered = answer([&] { back = s.fresh.elapsed_time(s.done); });
         return join({answered, back < 0 && forth > 0 && back == -forth ? "negated" : "other"});
       }},
      {"event.elapsed.same-event",
       [](Scene& s) {
         float none = 5;
         const std::string answered = answer([&] { none = s.done.elapsed_time(s.done); });
         return join({answered, none == 0 ? "0" : "other"});
       }},
  };
}

Truths last_errors() {
  return {
      {"event.query.not-ready-last-error",
       [](Scene& s) {
         const auto last = [](Errc code) { return std::string(to_string(code)); };
         Gate gate{s.stream};
         s.fresh.record(s.stream);
         const std::string asked = answer([&] { return s.fresh.query(); });
         const std::string peeked = last(peek_last_error());
         const std::string read = last(last_error());
         gate.open();
         s.stream.synchronize();
         return join({asked, peeked, read, last(last_error())});
       }},
      {"event.stream-query.not-ready-last-error",
       [](Scene& s) {
         const Gate gate{s.stream};
         const std::string asked = answer([&] { return s.stream.query(); });
         return join({asked, std::string(to_string(last_error()))});
       }},
  };
}

Truths records_again() {
  return {
      {"event.rerecord.query-follows-latest",
       [](Scene& s) {
         const std::string first = answer([&] { return s.done.query(); });
         Gate gate{s.stream};
         s.done.record(s.stream);
         const std::string second = answer([&] { return s.done.query(); });
         gate.open();
         s.stream.synchronize();
         return join({first, second, answer([&] { return s.done.query(); })});
       }},
      {"event.rerecord.wait-captured-earlier-record",
       [](Scene& s) {
         const Stream third(s.device);
         s.stream.wait_event(s.done);
         const Gate gate{third};
         s.done.record(third);
         settle();
         return "t:" + answer([&] { return s.stream.query(); });
       }},
      {"event.rerecord.wait-sees-latest-at-call",
       [](Scene& s) {
         const Stream third(s.device);
         const Gate gate{third};
         s.done.record(third);
         s.stream.wait_event(s.done);
         settle();
         return "t:" + answer([&] { return s.stream.query(); });
       }},
      {"event.rerecord.first-gated-second-free",
       [](Scene& s) {
         const Gate gate{s.stream};
         s.fresh.record(s.stream);
         s.fresh.record(s.other);
         s.other.synchronize();
         const std::string asked = answer([&] { return s.fresh.query(); });
         return join({asked, answer([&] { s.fresh.synchronize(); })});
       }},
  };
}

Truths waits() {
  return {
      {"event.wait.same-stream",
       [](Scene& s) {
         Gate gate{s.stream};
         s.fresh.record(s.stream);
         const std::string waited = answer([&] { s.stream.wait_event(s.fresh); });
         gate.open();
         return join({waited, answer([&] { s.stream.synchronize(); })});
       }},
      {"event.wait.holds-only-later-work",
       [](Scene& s) {
         Gate gate{s.stream};
         s.fresh.record(s.stream);
         const Event before = s.other.record_event();
         s.other.wait_event(s.fresh);
         const Event after = s.other.record_event();
         settle();
         const std::string early = answer([&] { return before.query(); });
         const std::string late = answer([&] { return after.query(); });
         gate.open();
         s.device.synchronize();
         return join(
             {"before:" + early, "after:" + late, "end:" + answer([&] { return after.query(); })});
       }},
      {"event.wait.external-flag-outside-capture",
       [](Scene& s) { return answer([&] { s.stream.wait_external_event(s.done); }); }},
      {"event.record.external-flag-outside-capture",
       [](Scene& s) { return answer([&] { s.stream.record_external_event(s.fresh); }); }},
      {"event.destroy.pending",
       [](Scene& s) {
         Gate gate{s.stream};
         std::optional<Event> event{plain_event(s)};
         event->record(s.stream);
         s.other.wait_event(*event);
         const std::string destroyed = answer([&] { event.reset(); });
         settle();
         const std::string waiter = answer([&] { return s.other.query(); });
         gate.open();
         return join({destroyed, "waiter:" + waiter, answer([&] { s.other.synchronize(); })});
       }},
  };
}

Truths synchronizations() {
  return {
      {"event.blocking-sync.synchronize",
       [](Scene& s) {
         Event event({.device = s.device, .enable_timing = true, .blocking = true});
         Gate gate{s.stream};
         event.record(s.stream);
         return gated(gate, [&] { event.synchronize(); });
       }},
      {"event.synchronize.blocks",
       [](Scene& s) {
         Event event = timed_event(s);
         Gate gate{s.stream};
         event.record(s.stream);
         return gated(gate, [&] { event.synchronize(); });
       }},
      {"event.synchronize.earlier-than-gate",
       [](Scene& s) {
         Event event = timed_event(s);
         event.record(s.stream);
         Gate gate{s.stream};
         return gated(gate, [&] { event.synchronize(); });
       }},
  };
}

Truths events_for_other_processes() {
  return {
      {"event.ipc.get-handle-plain-event",
       [](Scene& s) { return answer([&] { return plain_event(s).ipc_handle(); }); }},
      {"event.ipc.get-handle",
       [](Scene& s) { return answer([&] { return shared_event(s).ipc_handle(); }); }},
      {"event.ipc.handle-size",
       [](Scene& s) { return std::to_string(shared_event(s).ipc_handle().size()); }},
      {"event.ipc.open-garbage",
       [](Scene& s) {
         std::array<std::byte, 64> garbage{};
         garbage.fill(std::byte{0x5a});
         return answer([&] { Event::from_ipc_handle(s.device, garbage); });
       }},
  };
}

}  // namespace

Truths event_truths() {
  Truths all;
  for (const Truths& some : {fresh_events(), elapsed_times(), last_errors(), records_again(),
                             waits(), synchronizations(), events_for_other_processes()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace millrace::contract
