// SPDX-License-Identifier: Apache-2.0
#include "render/line.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace millrace::cli;

namespace {
constexpr Look plain{};
constexpr Look coloured{.colour = true};
constexpr Paint red{.foreground = 1};
}  // namespace

TEST_CASE("A line has no blanks at its end") {
  Line line(10);
  line.put(2, "a");
  line.write(5, "bc");
  CHECK(line.to_string(plain) == "  a  bc");
  CHECK(Line(10).to_string(plain).empty());
}

TEST_CASE("What lies outside of a line is not drawn") {
  Line line(4);
  line.put(-1, "x");
  line.put(4, "x");
  line.write(2, "abc");
  line.fill(-5, 1, "=");
  CHECK(line.to_string(plain) == "= ab");
}

TEST_CASE("A wide character takes two cells") {
  Line line(6);
  line.write(0, "核x");
  CHECK_FALSE(line.is_free(1));
  CHECK(line.free_until(3) == 6);
  CHECK(line.to_string(plain) == "核x");
}

TEST_CASE("Colours are switched only where they change, and never reach into blanks") {
  Line line(6);
  line.fill(0, 2, "#", red);
  line.put(4, "x", red);
  CHECK(line.to_string(coloured) == "\x1b[38;5;1m##\x1b[0m  \x1b[38;5;1mx\x1b[0m");
  CHECK(line.to_string(plain) == "##  x");
}

TEST_CASE("Painted text is plain where there are no colours") {
  CHECK(painted("x", red, plain) == "x");
  CHECK(painted("x", red, coloured) == "\x1b[38;5;1mx\x1b[0m");
  CHECK(painted("x", {.background = 3, .bold = true}, coloured) == "\x1b[1;48;5;3mx\x1b[0m");
  CHECK(painted("x", {}, coloured) == "x");
}
