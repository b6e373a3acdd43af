// SPDX-License-Identifier: Apache-2.0
#include "found.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::test {
namespace {

struct World : TraceBuilder {
  TraceIndex s = stream("s");
  TraceIndex t = stream("t");
  TraceIndex a = buffer("A");
  TraceIndex e = event("e");
};

}  // namespace

TEST_CASE("the branches of a graph are only ordered by its edges") {
  World b;
  const auto launch = b.launch_graph();
  const TraceIndex root = b.node(launch, b.s, "root").writes(b.a);
  const TraceIndex left = b.node(launch, b.s, "left", {root}).updates(b.a);
  const TraceIndex right = b.node(launch, b.s, "right", {root}).reads(b.a);
  b.node(launch, b.s, "last", {left, right}).writes(b.a);
  CHECK(found(b) == Lines{"race A: left, right"});
}

TEST_CASE("nodes that race are to be ordered by an edge of their graph") {
  World b;
  const auto launch = b.launch_graph();
  b.node(launch, b.s, "left").updates(b.a);
  b.node(launch, b.s, "right").reads(b.a);
  const auto findings = check(b.build());
  REQUIRE(findings.size() == 1);
  CAPTURE(findings[0].fix);
  CHECK(findings[0].fix.starts_with("let node right"));
  CHECK(findings[0].fix.find("come after node left") != std::string::npos);
  CHECK(findings[0].fix.find("Graph::add_dependency") != std::string::npos);
}

TEST_CASE("a launch stands in its stream as a whole") {
  World b;
  b.kernel(b.s, "before").writes(b.a);
  const auto launch = b.launch_graph();
  const auto other = b.buffer("B");
  b.node(launch, b.s, "one").reads(b.a).writes(other, 0, 8);
  b.node(launch, b.s, "two").reads(b.a).writes(other, 8, 16);
  b.kernel(b.s, "after").updates(b.a).reads(other);
  b.record(b.s, b.e);
  b.wait(b.t, b.e);
  b.kernel(b.t, "elsewhere").updates(b.a).writes(other);
  CHECK(found(b) == clean);
}

TEST_CASE("a record after a launch covers all its branches") {
  World b;
  const auto launch = b.launch_graph();
  b.node(launch, b.s, "one").writes(b.a, 0, 8);
  b.node(launch, b.s, "two").writes(b.a, 8, 16);
  b.record(b.s, b.e);
  b.sync_event(b.e);
  b.read(b.a);
  CHECK(found(b) == clean);
}

TEST_CASE("many launches of a wide graph need no more chains than it has branches") {
  World b;
  for (int i = 0; i < 50; ++i) {
    const auto launch = b.launch_graph();
    for (std::uint64_t n = 0; n < 4; ++n) b.node(launch, b.s, "n").writes(b.a, 8 * n, 8 * n + 8);
  }
  CHECK(found(b) == clean);
}

TEST_CASE("the source of a graph's copy may not be released before the launch is done") {
  World b;
  const auto source = b.malloc("source", 64, MemoryKind::pinned);
  const auto launch = b.launch_graph();
  b.node(launch, b.s, "upload").reads(source).writes(b.a);
  SECTION("at once") {
    b.host_free(source);
    CHECK(found(b) == Lines{"use-after-free source: upload, host free"});
  }
  SECTION("after a synchronization") {
    b.sync_stream(b.s);
    b.host_free(source);
    CHECK(found(b) == clean);
  }
}

}  // namespace millrace::test
