// SPDX-License-Identifier: Apache-2.0
#include "render/ruler.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace millrace::cli;
using Times = std::vector<std::int64_t>;

namespace {

std::string drawn(const Ruler& ruler) {
  const Look look{.ascii = true};
  Line texts(ruler.width());
  Line line(ruler.width());
  ruler.draw(texts, line, 0, look);
  return texts.to_string(look) + "\n" + line.to_string(look);
}

}  // namespace

TEST_CASE("Ticks are round and far enough apart for their texts") {
  CHECK(Ruler(100, 100, 0).ticks() == Times{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  CHECK(Ruler(280'000, 80, 0).ticks() == Times{0, 50'000, 100'000, 150'000, 200'000, 250'000});
  CHECK(Ruler(7, 40, 0).ticks() == Times{0, 2, 4, 6});
  CHECK(Ruler(0, 40, 0).ticks() == Times{0});
}

TEST_CASE("The longest run that there can be has ticks too") {
  const Ruler ruler(std::numeric_limits<std::int64_t>::max(), 100, 0);
  CHECK(ruler.ticks().size() > 2);
  CHECK(ruler.ticks().size() < 12);
}

TEST_CASE("The axis names its ticks") {
  CHECK(drawn(Ruler(30'000, 30, 0)) ==
        "0         10us      20us\n"
        "+---------+---------+--------+");
}

TEST_CASE("What never ends has columns of its own behind the end") {
  CHECK(drawn(Ruler(20'000, 20, 14)) ==
        "0         10us     20us   for ever\n"
        "+---------+--------+..............");
}

TEST_CASE("Every moment has a column, and the ends of the time lie on the ends of the columns") {
  const Ruler ruler(1000, 10, 0);
  CHECK(ruler.boundary(0) == 0);
  CHECK(ruler.boundary(1000) == 10);
  CHECK(ruler.boundary(540) == 5);
  CHECK(ruler.column(0) == 0);
  CHECK(ruler.column(99) == 0);
  CHECK(ruler.column(100) == 1);
  CHECK(ruler.column(1000) == 9);
  CHECK(Ruler(0, 10, 0).column(0) == 0);
}
