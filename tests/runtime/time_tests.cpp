// SPDX-License-Identifier: Apache-2.0
#include <millrace/time.hpp>

#include <catch2/catch_test_macros.hpp>

namespace millrace {
namespace {

using namespace std::chrono_literals;

TEST_CASE("points and durations calculate in nanoseconds") {
  static_assert(Time{5} + Duration{3} == Time{8});
  static_assert(Time{5} - Time{8} == Duration{-3});
  static_assert(Duration{4} * 3 == Duration{12});
  static_assert(Duration(120us).ns == 120'000);
  static_assert(Duration(std::chrono::duration<double, std::milli>(1.5)).ns == 1'500'000);
  static_assert(Time{5} < Time::never());
  SUCCEED();
}

TEST_CASE("durations are written exactly, in the unit people would choose") {
  CHECK(to_string(Duration{0}) == "0ns");
  CHECK(to_string(Duration{750}) == "750ns");
  CHECK(to_string(Duration{12'500}) == "12.5us");
  CHECK(to_string(Duration{1'234'567}) == "1.234567ms");
  CHECK(to_string(Duration{-3'000}) == "-3us");
  CHECK(to_string(Duration{2'000'000'000}) == "2s");
  CHECK(to_string(Duration{1'000'000'001}) == "1.000000001s");
  CHECK(to_string(Duration{std::numeric_limits<std::int64_t>::min()}) == "-9223372036.854775808s");
  CHECK(to_string(Time{10'000}) == "10us");
}

}  // namespace
}  // namespace millrace
