// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Text as a terminal shows it: its width in columns, cut and wrapped there.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::cli {

/// One character of UTF-8 text; bytes that are none stand alone as U+FFFD.
struct Character {
  std::string_view bytes;
  char32_t code = 0;
  int columns = 1;  ///< 0 for marks that combine with the character before, 2 for wide ones
};

/// The character at `position`, which must be less than the text's size.
Character character_at(std::string_view text, std::size_t position);

/// How many columns the text takes.
int columns(std::string_view text);

/// The text without anything that could command a terminal; control characters and broken UTF-8
/// become `?`, and with `ascii` everything beyond ASCII does. Line ends stay.
std::string printable(std::string_view text, bool ascii);

/// The text, if need be cut to `width` columns with an ellipsis at its end.
std::string fit(std::string_view text, int width, bool ascii);

/// The text followed (or preceded) by as many blanks as fill `width` columns.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

/// The text in lines of at most `width` columns, broken at blanks where there are some, but not
/// inside of a short remark in brackets.
std::vector<std::string> wrap(std::string_view text, int width);

/// "1 stream", "2 streams": the plural is `one` with an s, unless it is given.
std::string counted(std::size_t n, std::string_view one, std::string_view several = {});

/// 1234567 as "1,234,567".
std::string grouped(std::size_t n);

}  // namespace millrace::cli
