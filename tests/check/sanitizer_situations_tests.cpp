// SPDX-License-Identifier: Apache-2.0
// The situations that PyTorch's stream sanitizer is tested on (test/test_cuda_sanitizer.py there).
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace millrace::test {
namespace {

struct Streams : TraceBuilder {
  explicit Streams(int count) {
    for (int i = 0; i < count; ++i) {
      s.push_back(stream("s" + std::to_string(i + 1)));
      e.push_back(event("e" + std::to_string(i + 1)));
    }
  }
  void order(std::size_t from, std::size_t to) {
    record(s[from], e[from]);
    wait(s[to], e[from]);
  }

  std::vector<TraceIndex> s;
  std::vector<TraceIndex> e;
  TraceIndex x = buffer("x");
};

std::size_t count(const TraceBuilder& builder) { return found(builder).size(); }

}  // namespace

TEST_CASE("a launch without data is fine") {
  Streams b(1);
  b.kernel(b.s[0], "k");
  CHECK(count(b) == 0);
}

TEST_CASE("reading on one stream, then writing on another without synchronization") {
  Streams b(2);
  b.kernel(b.s[0], "read").reads(b.x);
  b.kernel(b.s[1], "write").writes(b.x);
  CHECK(count(b) == 1);
}

TEST_CASE("reading on one stream, then writing on another that waited") {
  Streams b(2);
  b.kernel(b.s[0], "read").reads(b.x);
  b.order(0, 1);
  b.kernel(b.s[1], "write").writes(b.x);
  CHECK(count(b) == 0);
}

TEST_CASE("each later read is held against the last write, not only the first one") {
  Streams b(3);
  b.kernel(b.s[0], "write").writes(b.x);
  b.order(0, 1);
  b.kernel(b.s[1], "read").reads(b.x);
  b.kernel(b.s[2], "unsynced").reads(b.x);
  CHECK(count(b) == 1);
}

TEST_CASE("two branches that waited for one may read, not write") {
  Streams b(3);
  b.kernel(b.s[0], "write").writes(b.x);
  b.order(0, 1);
  b.order(0, 2);
  b.kernel(b.s[1], "read").reads(b.x);
  b.kernel(b.s[2], "read too").reads(b.x);
  CHECK(count(b) == 0);
  b.kernel(b.s[1], "write again").writes(b.x);
  CHECK(found(b) == Lines{"race x: read too, write again"});
}

TEST_CASE("a chain of ten waits is transitive") {
  Streams b(10);
  b.kernel(b.s[0], "first").writes(b.x);
  for (std::size_t i = 0; i + 1 < 10; ++i) b.order(i, i + 1);
  b.kernel(b.s[9], "last").writes(b.x);
  CHECK(count(b) == 0);
}

TEST_CASE("work queued after a record is not covered by it") {
  Streams b(2);
  b.record(b.s[0], b.e[0]);
  b.kernel(b.s[0], "late").writes(b.x);
  b.wait(b.s[1], b.e[0]);
  b.kernel(b.s[1], "use").writes(b.x);
  CHECK(count(b) == 1);
}

TEST_CASE("a deleted event makes a wait worthless, made anew or not") {
  for (const bool anew : {false, true}) {
    Streams b(2);
    b.kernel(b.s[0], "write").writes(b.x);
    b.record(b.s[0], b.e[0]);
    b.destroy_event(b.e[0]);
    if (anew) {
      b.wait(b.s[1], b.event("e1"));
    } else {
      b.use_destroyed(CallKind::wait, ObjectKind::event, b.e[0]);
    }
    b.kernel(b.s[1], "use").reads(b.x);
    CHECK(count(b) == 2);  // the bad wait, and the race that it leaves
  }
}

TEST_CASE("a write must come after all readers") {
  Streams b(3);
  b.kernel(b.s[0], "one").reads(b.x);
  b.kernel(b.s[1], "two").reads(b.x);
  b.order(0, 2);
  SECTION("one is missing") {
    b.kernel(b.s[2], "write").writes(b.x);
    CHECK(found(b) == Lines{"race x: two, write"});
  }
  SECTION("it waited for both") {
    b.order(1, 2);
    b.kernel(b.s[2], "write").writes(b.x);
    CHECK(count(b) == 0);
  }
}

TEST_CASE("one launch in conflict over several buffers has several findings") {
  Streams b(2);
  const auto y = b.buffer("y");
  const auto z = b.buffer("z");
  b.kernel(b.s[0], "one").writes(b.x).reads(y).writes(z);
  b.kernel(b.s[1], "two").reads(b.x).writes(y).writes(z);
  CHECK(count(b) == 3);
}

TEST_CASE("a wait joins what both knew, component by component") {
  Streams b(4);
  b.kernel(b.s[0], "one").writes(b.x);
  b.order(0, 1);
  b.kernel(b.s[2], "two").writes(b.buffer("y"));
  b.order(2, 1);
  b.order(1, 3);
  b.kernel(b.s[3], "use").updates(b.x);
  b.order(0, 3);
  b.kernel(b.s[3], "again").updates(b.x);
  CHECK(count(b) == 0);
}

TEST_CASE("recording an event again loses the first record") {
  Streams b(3);
  b.kernel(b.s[0], "write").writes(b.x);
  b.record(b.s[0], b.e[0]);
  b.record(b.s[1], b.e[0]);
  b.wait(b.s[2], b.e[0]);
  b.kernel(b.s[2], "use").reads(b.x);
  CHECK(count(b) == 1);
}

TEST_CASE("several streams may wait for one event") {
  Streams b(3);
  b.kernel(b.s[0], "write").writes(b.x);
  b.record(b.s[0], b.e[0]);
  b.wait(b.s[1], b.e[0]);
  b.wait(b.s[2], b.e[0]);
  b.kernel(b.s[1], "one").reads(b.x);
  b.kernel(b.s[2], "two").reads(b.x);
  CHECK(count(b) == 0);
}

TEST_CASE("synchronizing the host with a device, stream or event orders what it enqueues next") {
  for (int how = 0; how < 3; ++how) {
    Streams b(2);
    b.kernel(b.s[0], "write").writes(b.x);
    b.record(b.s[0], b.e[0]);
    if (how == 0) b.sync_device();
    if (how == 1) b.sync_stream(b.s[0]);
    if (how == 2) b.sync_event(b.e[0]);
    b.kernel(b.s[1], "use").updates(b.x);
    CHECK(count(b) == 0);
  }
}

TEST_CASE("synchronizing the host with another stream does not") {
  Streams b(2);
  b.kernel(b.s[0], "write").writes(b.x);
  b.sync_stream(b.s[1]);
  b.kernel(b.s[1], "use").updates(b.x);
  CHECK(count(b) == 1);
}

}  // namespace millrace::test
