// SPDX-License-Identifier: Apache-2.0
// The legacy and the per-thread streams.
#include "pair.hpp"

namespace millrace::test {

TEST_CASE("a non-blocking stream takes no part in the legacy order") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.legacy.launch("fill", {.writes = {w.a}});
    (fixed ? w.blocking : w.s1).launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("two blocking streams are ordered by legacy work between them alone") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    const Stream other({.blocking = true, .name = "other"});
    w.blocking.launch("fill", {.writes = {w.a}});
    if (fixed) w.legacy.launch("between");
    other.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("synchronizing the legacy stream waits for blocking streams only") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    (fixed ? w.blocking : w.s1).copy(w.pinned, w.a);
    w.legacy.synchronize();
    host_reads(w.pinned);
  });
}

TEST_CASE("per-thread streams of two threads are two streams") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    sim::thread other([&] {
      per_thread_stream().launch("fill", {.writes = {w.a}});
      if (fixed) per_thread_stream().synchronize();
    });
    if (fixed) other.join();
    per_thread_stream().launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a non-blocking stream misses a synchronous fill") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.legacy.fill(w.a, 0, {.synchronous = true});
    if (fixed) w.legacy.synchronize();
    w.s1.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a synchronous copy on the device returns at once") {
  check_pair({"race B"}, [](World& w, bool fixed) {
    w.legacy.copy(w.b, w.a, {.synchronous = true});
    if (fixed) w.legacy.synchronize();
    w.s1.launch("use", {.reads = {w.b}});
  });
}

TEST_CASE("a synchronous upload from pageable memory may still be under way") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.legacy.copy(w.a, w.pageable, {.synchronous = true});
    if (fixed) w.legacy.synchronize();
    w.s1.launch("use", {.reads = {w.a}});
  });
}

}  // namespace millrace::test
