// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/graph.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace {
using namespace millrace;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using millrace::test::FakeRun;

TEST_CASE("graphs and captures on a backend that has none fail and say so") {
  const FakeRun run;
  const Stream stream;
  CHECK_THROWS_MATCHES(Graph(), Error,
                       MessageMatches(ContainsSubstring("Graph: NotSupported: graphs")));
  CHECK_THROWS_MATCHES(
      GraphCapture(stream), Error,
      MessageMatches(ContainsSubstring("GraphCapture: NotSupported: graph capture")));
  CHECK_THROWS_MATCHES(CaptureModeGuard(CaptureMode::relaxed), Error,
                       MessageMatches(ContainsSubstring("NotSupported")));
}

TEST_CASE("a graph's edges are counted over its nodes") {
  const GraphInfo info{{NodeInfo{.name = "a", .after = {}, .made = {}},
                        NodeInfo{.name = "b", .after = {0}, .made = {}},
                        NodeInfo{.name = "c", .after = {0, 1}, .made = {}}}};
  CHECK(info.edges() == 3);
}

TEST_CASE("kinds of nodes have words") {
  CHECK(to_string(NodeKind::kernel) == "kernel");
  CHECK(to_string(NodeKind::host_function) == "host function");
  CHECK(to_string(NodeKind::child) == "child graph");
}

}  // namespace
