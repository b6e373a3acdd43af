// SPDX-License-Identifier: Apache-2.0
#include "json_writer.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

using namespace millrace::json;

namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string us(std::int64_t ns) {
  std::string out;
  append_microseconds(out, ns);
  return out;
}

}  // namespace

TEST_CASE("Control characters, quotes and backslashes are escaped") {
  CHECK(quoted("a\"b\\c\n\r\t") == R"("a\"b\\c\n\r\t")");
  CHECK(quoted(std::string_view("\0\x01\x1f\x7f", 4)) == R"("\u0000\u0001\u001f\u007f")");
  CHECK(quoted("") == R"("")");
}

TEST_CASE("UTF-8 passes, and what is none becomes the replacement character") {
  const std::string replaced = "\xEF\xBF\xBD";
  CHECK(quoted("gr\xC3\xBCn \xE2\x82\xAC \xF0\x9F\x98\x80") ==
        "\"gr\xC3\xBCn \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  CHECK(quoted("\xFFz") == "\"" + replaced + "z\"");
  CHECK(quoted("\xC3") == "\"" + replaced + "\"");                                // cut short
  CHECK(quoted("\xC0\xAF") == "\"" + replaced + replaced + "\"");                 // overlong
  CHECK(quoted("\xED\xA0\x80") == "\"" + replaced + replaced + replaced + "\"");  // a surrogate
  CHECK(quoted("\xF4\x90\x80\x80").size() == 2 + 4 * replaced.size());            // too large
}

TEST_CASE("Nanoseconds become microseconds without rounding") {
  CHECK(us(0) == "0.000");
  CHECK(us(1) == "0.001");
  CHECK(us(1'234'567) == "1234.567");
  CHECK(us(-1) == "-0.001");
  CHECK(us(-12'050) == "-12.050");
  CHECK(us(std::numeric_limits<std::int64_t>::max()) == "9223372036854775.807");
  CHECK(us(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775.808");
}

TEST_CASE("Commas stand between elements only") {
  std::ostringstream stream;
  Writer out(stream);
  out.begin_object();
  out.field("a", 1);
  out.field("b", "x");
  out.key("c");
  out.begin_array();
  out.begin_object();
  out.end_object();
  out.new_line();
  out.begin_object();
  out.microseconds("d", 1'500);
  out.end_object();
  out.end_array();
  out.end_object();
  out.finish();
  CHECK(stream.str() == "{\"a\":1,\"b\":\"x\",\"c\":[{},\n{\"d\":1.500}]}\n");
}
