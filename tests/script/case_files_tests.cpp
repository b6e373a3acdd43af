// SPDX-License-Identifier: Apache-2.0
#include <millrace/script.hpp>

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <string>
#include <system_error>

namespace millrace::test {

TEST_CASE("Every case file is read, and its plain form is the same script") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/cases")) {
    if (entry.path().extension() != ".mill") continue;
    INFO(entry.path().string());
    const Script script = Script::load(entry.path());
    const std::string text = script.to_text();
    CHECK(!text.empty());
    CHECK(Script::parse(text).to_text() == text);
    ++count;
  }
  CHECK(count > 200);
}

TEST_CASE("A file that cannot be read is named") {
  CHECK_THROWS_AS(Script::load("tests/cases/no-such.mill"), std::system_error);
  CHECK_THROWS_AS(Script::load("tests/cases"), std::system_error);
}

}  // namespace millrace::test
