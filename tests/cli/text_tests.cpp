// SPDX-License-Identifier: Apache-2.0
#include "render/text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace millrace::cli;
using Lines = std::vector<std::string>;

TEST_CASE("The width of a text counts columns, not bytes") {
  CHECK(columns("") == 0);
  CHECK(columns("kernel") == 6);
  CHECK(columns("ядро") == 4);
  CHECK(columns("核心") == 4);
  CHECK(columns("e\u0301") == 1);
  CHECK(columns("\xff\xfe") == 2);
}

TEST_CASE("Nothing in a name can command the terminal") {
  CHECK(printable("a\x1b[31mb", false) == "a?[31mb");
  CHECK(printable("tab\tbell\x07", false) == "tab?bell?");
  CHECK(printable("\u009b31m", false) == "?31m");
  CHECK(printable("abc\u202edef", false) == "abc?def");
  CHECK(printable("two\nlines", false) == "two\nlines");
}

TEST_CASE("Bytes that are no UTF-8 become question marks") {
  CHECK(printable("a\xff"
                  "b",
                  false) == "a?b");
  CHECK(printable("\xc3", false) == "?");
  CHECK(printable("\xc0\x80", false) == "??");
  CHECK(printable("\xed\xa0\x80", false) == "???");
  CHECK(printable("\xf4\x90\x80\x80", false) == "????");
  CHECK(printable("ядро", false) == "ядро");
  CHECK(printable("ядро", true) == "????");
}

TEST_CASE("A text that is too long ends in an ellipsis") {
  CHECK(fit("kernel", 6, false) == "kernel");
  CHECK(fit("kernel", 5, false) == "kern…");
  CHECK(fit("kernel", 5, true) == "kern~");
  CHECK(fit("kernel", 1, false) == "…");
  CHECK(fit("kernel", 0, false).empty());
  CHECK(fit("核心核心", 4, false) == "核…");
}

TEST_CASE("Padding fills columns") {
  CHECK(pad_right("ядро", 6) == "ядро  ");
  CHECK(pad_left("7us", 5) == "  7us");
  CHECK(pad_left("too long", 3) == "too long");
}

TEST_CASE("Lines break at blanks, and inside of words that fit nowhere") {
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("one", 10) == Lines{"one"});
  CHECK(wrap("abcdefgh", 3) == Lines{"abc", "def", "gh"});
  CHECK(wrap("", 5) == Lines{""});
}

TEST_CASE("Counts agree with their nouns") {
  CHECK(counted(0, "stream") == "0 streams");
  CHECK(counted(1, "stream") == "1 stream");
  CHECK(counted(2, "copy", "copies") == "2 copies");
  CHECK(counted(1234567, "operation") == "1,234,567 operations");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
}
