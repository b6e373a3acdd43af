// SPDX-License-Identifier: Apache-2.0
#include "bad_scripts.hpp"

#include <millrace/script.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

namespace millrace::test {
namespace {

std::string plain(std::string_view text) { return Script::parse(text).to_text(); }

struct Failure {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string message;
};

Failure failure_of(std::string_view text) {
  try {
    static_cast<void>(Script::parse(text));
  } catch (const ScriptError& error) {
    return {error.line(), error.column(), error.message()};
  }
  return {};
}

}  // namespace

TEST_CASE("An empty script is a script") {
  CHECK(plain("").empty());
  CHECK(plain("\n\n").empty());
  CHECK(plain("# nothing but a comment").empty());
  CHECK(plain(" ;; \t; # nothing\n;").empty());
}

TEST_CASE("Lines may end as on Windows, and the last one not at all") {
  const std::string unix_text =
      "stream s\ns: kernel k # a comment\nrepeat 2 {\n  host: sync s\n}\n";
  std::string windows_text;
  for (const char c : unix_text) {
    if (c == '\n') windows_text += '\r';
    windows_text += c;
  }
  CHECK(plain(windows_text) == plain(unix_text));
  CHECK(plain(unix_text.substr(0, unix_text.size() - 1)) == plain(unix_text));
  CHECK(failure_of("stream s\r\ns: kernal k\r\n").column == 4);
}

TEST_CASE("A byte order mark says nothing and counts for nothing") {
  CHECK(plain("\xEF\xBB\xBFstream s") == "stream s\n");
  CHECK(failure_of("\xEF\xBB\xBFstraem s").column == 1);
}

TEST_CASE("Tabs are blanks and columns count bytes") {
  CHECK(plain("\tstream\ts") == "stream s\n");
  CHECK(failure_of("stream s\n\ts:\tkernal k").column == 5);
  CHECK(failure_of("stream s; straem t # \xC3\xA9").column == 11);
}

TEST_CASE("Comments end with their line, also when they stand against what they comment") {
  CHECK(plain("stream s#comment\nevent e # s: kernal\n") == "stream s\nevent e\n");
  CHECK(plain("buffer A 64KiB#3\n") == "buffer A 64KiB\n");
  CHECK(plain("stream s # \xE2\x82\xAC \xF0\x9F\x8E\xA1\n") == "stream s\n");
}

TEST_CASE("A name with # and digits is an instance, not a comment") {
  CHECK(plain("stream s\ns: kernel k\nexpect k#2 before k#10 # later\n") ==
        "stream s\ns: kernel k\nexpect k#2 before k#10\n");
  const Failure failure = failure_of("stream s#2\n");
  CHECK(failure.column == 8);
  CHECK(failure.message == "found 's#2', expected a name for the stream");
  CHECK(failure_of("stream s\nhost: query s#2").message ==
        "found 's#2', expected a stream or an event: only operations have instances; a comment "
        "needs a blank before '#'");
}

TEST_CASE("Text that is no UTF-8 is refused with its place") {
  for (const char* bad :
       {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xFF", "\xE2\x82", "\xE2\x28\xA1", "\xF0\x9F\x8E"}) {
    INFO(static_cast<int>(static_cast<unsigned char>(bad[0])));
    const Failure failure = failure_of(std::string("stream s\n# caf\xC3\xA9 ") + bad);
    CHECK(failure.line == 2);
    CHECK(failure.column == 9);
    CHECK(failure.message == "found a byte that is no UTF-8, expected UTF-8 text");
  }
}

TEST_CASE("Characters that mean nothing are named") {
  using namespace std::string_view_literals;
  CHECK(failure_of("@").message == "found '@', expected a statement");
  CHECK(failure_of("\xE2\x82\xAC").message == "found '\xE2\x82\xAC', expected a statement");
  CHECK(failure_of("\0"sv).message == "found the control character U+0000, expected a statement");
  CHECK(failure_of("\x1B[0m").message ==
        "found the control character U+001B, expected a statement");
  CHECK(failure_of("stream s\rstream t").message ==
        "found the control character U+000D, expected the end of the statement");
}

TEST_CASE("Long words are cut in messages, between characters") {
  const std::string message = failure_of(std::string(1000, 'x')).message;
  CHECK(message == "found '" + std::string(60, 'x') + "\xE2\x80\xA6', expected a statement");
}

TEST_CASE("Blocks nest to a bound") {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "repeat 1 {\n";
    for (int i = 0; i < depth; ++i) text += "}\n";
    return text;
  };
  CHECK(failure_of(nested(64)).message.empty());
  const Failure failure = failure_of(nested(65));
  CHECK(failure.line == 65);
  CHECK(failure.message == "found blocks in each other deeper than 64, expected no more");
}

TEST_CASE("Loops run their body a billion times at most") {
  CHECK(failure_of("repeat 1000000000 {\n}\n").message.empty());
  CHECK(failure_of("repeat 0 {\nrepeat 1000000000 {\n}\n}\n").message.empty());
  CHECK(failure_of("repeat 2 {\n}\nrepeat 1000000000 {\n}\n").message.empty());
  CHECK(failure_of("repeat 2 {\nrepeat 1000000000 {\n}\n}\n").message ==
        "found loops in each other that run 2000000000 times, expected at most 1000000000");
}

TEST_CASE("A million statements are read in a moment") {
  std::string text = "stream s\n";
  for (int i = 0; i < 1'000'000; ++i) text += "s: kernel k\n";
  CHECK(plain(text).size() == text.size());
}

}  // namespace millrace::test
