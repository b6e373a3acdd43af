// SPDX-License-Identifier: Apache-2.0
// Records and waits.
#include "pair.hpp"

#include <chrono>

namespace millrace::test {

TEST_CASE("streams are unordered until something orders them") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("fill", {.writes = {w.a}});
    w.e.record(w.s1);
    if (fixed) w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a record captures what its stream holds at the call") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    if (!fixed) w.e.record(w.s1);
    w.s1.launch("fill", {.writes = {w.a}});
    if (fixed) w.e.record(w.s1);
    w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a wait before any record orders nothing") {
  check_pair({"race A", "unrecorded-wait e"}, [](World& w, bool fixed) {
    if (!fixed) w.e.wait(w.s2);
    w.s1.launch("fill", {.writes = {w.a}});
    w.e.record(w.s1);
    if (fixed) w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a wait holds only what is enqueued after it") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("fill", {.writes = {w.a}});
    w.e.record(w.s1);
    if (fixed) w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
    w.e.wait(w.s2);
  });
}

TEST_CASE("a record replaces that of another stream") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("one", {.writes = {w.a}});
    w.e.record(w.s1);
    w.s2.launch("two", {.writes = {w.b}});
    w.s2.record_event(fixed ? w.f : w.e);
    w.e.wait(w.s3);
    if (fixed) w.f.wait(w.s3);
    w.s3.launch("use", {.reads = {w.a, w.b}});
  });
}

TEST_CASE("synchronizing an event does not cover what came behind its record") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    if (!fixed) w.e.record(w.s1);
    w.s1.copy(w.pinned, w.a);
    if (fixed) w.e.record(w.s1);
    w.e.synchronize();
    host_reads(w.pinned);
  });
}

TEST_CASE("a wait in the stream of the record orders no other stream") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("fill", {.writes = {w.a}});
    w.e.record(w.s1);
    w.e.wait(fixed ? w.s2 : w.s1);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a later record does not move a wait") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.e.record(w.s1);
    if (!fixed) w.e.wait(w.s2);
    w.s1.launch("fill", {.writes = {w.a}});
    w.e.record(w.s1);
    if (fixed) w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a query that answered pending orders nothing") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.copy(w.pinned, w.a);
    w.e.record(w.s1);
    if (!w.e.query() && fixed) w.e.synchronize();
    host_reads(w.pinned);
  });
}

TEST_CASE("an event that is ready says nothing of the work behind it") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.e.record(w.s1);
    w.s1.copy(w.pinned, w.a);
    if (fixed) w.e.record(w.s1);
    while (!w.e.query()) sim::sleep_for(std::chrono::microseconds(1));
    host_reads(w.pinned);
  });
}

TEST_CASE("polling one stream orders nothing of another one") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.copy(w.pinned, w.a);
    const Stream& polled = fixed ? w.s1 : w.s2;
    while (!polled.query()) sim::sleep_for(std::chrono::microseconds(1));
    host_reads(w.pinned);
  });
}

TEST_CASE("synchronizing a fresh event orders nothing") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.copy(w.pinned, w.a);
    if (fixed) w.e.record(w.s1);
    w.e.synchronize();
    host_reads(w.pinned);
  });
}

TEST_CASE("a join waits for each of its branches") {
  check_pair({"race B"}, [](World& w, bool fixed) {
    w.s1.launch("left", {.writes = {w.a}});
    w.e.record(w.s1);
    w.s2.launch("right", {.writes = {w.b}});
    w.f.record(w.s2);
    w.e.wait(w.s3);
    if (fixed) w.f.wait(w.s3);
    w.s3.launch("join", {.reads = {w.a, w.b}});
  });
}

TEST_CASE("a relay must wait before it records") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("fill", {.writes = {w.a}});
    w.e.record(w.s1);
    if (!fixed) w.f.record(w.s2);
    w.e.wait(w.s2);
    if (fixed) w.f.record(w.s2);
    w.f.wait(w.s3);
    w.s3.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a buffer is refilled only after its readers") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("fill", {.writes = {w.a}});
    w.e.record(w.s1);
    w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
    w.f.record(w.s2);
    if (fixed) w.f.wait(w.s1);
    w.s1.launch("refill", {.writes = {w.a}});
  });
}

TEST_CASE("each round of a loop waits for the one before on both sides") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    for (int round = 0; round < 3; ++round) {
      if (fixed && round > 0) w.f.wait(w.s1);
      w.s1.launch("fill", {.writes = {w.a}});
      w.e.record(w.s1);
      w.e.wait(w.s2);
      w.s2.launch("use", {.reads = {w.a}});
      w.f.record(w.s2);
    }
  });
}

TEST_CASE("wait_stream covers what the other stream holds at the call") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    if (!fixed) w.s2.wait_stream(w.s1);
    w.s1.launch("fill", {.writes = {w.a}});
    if (fixed) w.s2.wait_stream(w.s1);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("two readers need no order, two writers do") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.launch("one", {.reads = {w.a}});
    w.s2.launch("two", {.reads = {w.a}});
    w.s2.wait_stream(w.s1);
    w.s2.launch("fill", {.writes = {w.a}});
    if (fixed) w.s3.wait_stream(w.s2);
    w.s3.launch("refill", {.writes = {w.a}});
  });
}

}  // namespace millrace::test
