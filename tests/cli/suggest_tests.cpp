// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using millrace::cli::closest;

namespace {
const std::vector<std::string> commands{"run", "check", "info", "convert"};
}

TEST_CASE("A word with a slip of the finger is recognised") {
  CHECK(closest("chekc", commands) == "check");
  CHECK(closest("rnu", commands) == "run");
  CHECK(closest("covnert", commands) == "convert");
  CHECK(closest("inf", commands) == "info");
}

TEST_CASE("The beginning of a word is recognised") {
  CHECK(closest("conv", commands) == "convert");
  CHECK(closest("--prof", {"--seed", "--profile"}) == "--profile");
}

TEST_CASE("A word like no other has no suggestion") {
  CHECK(closest("visualise", commands).empty());
  CHECK(closest("x", commands).empty());
  CHECK(closest("", commands).empty());
}
