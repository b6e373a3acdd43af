// SPDX-License-Identifier: Apache-2.0
#include <millrace/resource_levels.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace millrace;

namespace {

Trace trace_of(std::vector<ResourceUse> uses) {
  Trace trace;
  trace.resources.resize(2);
  trace.uses = std::move(uses);
  return trace;
}

}  // namespace

TEST_CASE("Levels rise and fall with what is held, and say nothing where they stay") {
  const auto levels = resource_levels(trace_of({
      {.begin_ns = 10, .end_ns = 30, .resource = 1, .operation = 0, .amount = 4},
      {.begin_ns = 20, .end_ns = 30, .resource = 1, .operation = 1, .amount = 2},
      {.begin_ns = 30, .end_ns = 40, .resource = 1, .operation = 2, .amount = 6},
  }));
  CHECK(levels[0].empty());
  CHECK(levels[1] == std::vector<ResourceLevel>{{10, 4}, {20, 6}, {40, 0}});
}

TEST_CASE("What is never given back is held for good") {
  const auto levels =
      resource_levels(trace_of({{.begin_ns = 5, .resource = 0, .operation = 0, .amount = 3}}));
  CHECK(levels[0] == std::vector<ResourceLevel>{{5, 3}});
}

TEST_CASE("What takes no time leaves no level") {
  const auto levels = resource_levels(
      trace_of({{.begin_ns = 5, .end_ns = 5, .resource = 0, .operation = 0, .amount = 3}}));
  CHECK(levels[0].empty());
}
