// SPDX-License-Identifier: Apache-2.0
// Memory that the host and the device share.
#include "pair.hpp"

#include <chrono>

namespace millrace::test {

TEST_CASE("a pinned buffer refilled during its upload") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.copy(w.a, w.pinned);
    if (fixed) w.s1.synchronize();
    host_writes(w.pinned);
  });
}

TEST_CASE("a pinned buffer read during its download") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.copy(w.pinned, w.a);
    if (fixed) w.s1.synchronize();
    host_reads(w.pinned);
  });
}

TEST_CASE("a pinned buffer may be read during its upload, not written") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.copy(w.a, w.pinned);
    if (fixed) {
      host_reads(w.pinned);
    } else {
      host_writes(w.pinned);
    }
  });
}

TEST_CASE("pageable memory is read from the call on") {
  check_pair({"race pageable"}, [](World& w, bool fixed) {
    w.s1.call("make", {.writes = {w.pageable}}, [] {});
    if (fixed) w.s1.synchronize();
    w.s1.copy(w.a, w.pageable);
  });
}

TEST_CASE("pageable memory is not left on return") {
  check_pair({"race pageable"}, [](World& w, bool fixed) {
    w.s1.copy(w.a, w.pageable);
    if (fixed) w.s1.synchronize();
    host_writes(w.pageable);
  });
}

TEST_CASE("a download to pageable memory is not finished on return") {
  check_pair({"race pageable"}, [](World& w, bool fixed) {
    w.s1.copy(w.pageable, w.a);
    if (fixed) w.s1.synchronize();
    host_reads(w.pageable);
  });
}

TEST_CASE("a kernel reads pinned memory while it runs") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.launch("use", {.reads = {w.pinned}});
    if (fixed) w.s1.synchronize();
    host_writes(w.pinned);
  });
}

TEST_CASE("managed memory needs a synchronization") {
  check_pair({"race managed"}, [](World& w, bool fixed) {
    const Buffer<float> managed(16, {.kind = MemoryKind::managed, .name = "managed"});
    w.s1.launch("fill", {.writes = {managed}});
    if (fixed) w.s1.synchronize();
    host_reads(managed);
    w.s1.synchronize();
  });
}

TEST_CASE("a host function runs in stream order") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.call("log", {.updates = {w.pinned}}, [] {});
    if (fixed) w.s1.synchronize();
    host_writes(w.pinned);
  });
}

TEST_CASE("host functions of two streams have no order") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.call("one", {.updates = {w.pinned}}, [] {});
    if (fixed) w.s2.wait_stream(w.s1);
    w.s2.call("two", {.updates = {w.pinned}}, [] {});
  });
}

TEST_CASE("time that passes orders nothing") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    w.s1.copy(w.pinned, w.a);
    sim::sleep_for(std::chrono::seconds(1));
    if (fixed) w.s1.synchronize();
    host_reads(w.pinned);
  });
}

TEST_CASE("copies of one direction have no order") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    w.s1.copy(w.a, w.pinned);
    if (fixed) w.s2.wait_stream(w.s1);
    w.s2.copy(w.a, w.pinned);
  });
}

}  // namespace millrace::test
