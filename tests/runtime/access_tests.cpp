// SPDX-License-Identifier: Apache-2.0
#include <millrace/access.hpp>

#include <catch2/catch_test_macros.hpp>

namespace millrace {
namespace {

TEST_CASE("a region covers its bytes, in two dimensions its rows") {
  CHECK(Access{.memory = 1, .begin = 4, .end = 10}.bytes() == 6);
  CHECK(Access{.memory = 1, .begin = 0, .end = 12, .pitch = 8, .width = 4}.bytes() == 8);
  CHECK(Access{.memory = 1, .begin = 0, .end = 10, .pitch = 8, .width = 4}.bytes() == 6);
}

TEST_CASE("an empty or reversed region covers nothing") {
  CHECK(Access{}.bytes() == 0);
  CHECK(Access{.memory = 1, .begin = 9, .end = 3}.bytes() == 0);
}

TEST_CASE("a list of regions refers to what it was made of") {
  const Access regions[] = {{1, 0, 8}, {2, 0, 4}};
  const AccessList list{std::span<const Access>(regions)};
  REQUIRE(list.size() == 2);
  CHECK(list.begin() == regions);
  CHECK(AccessList{}.empty());
}

}  // namespace
}  // namespace millrace
