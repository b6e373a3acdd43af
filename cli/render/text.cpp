// SPDX-License-Identifier: Apache-2.0
#include "render/text.hpp"

#include <algorithm>
#include <array>

namespace millrace::cli {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};
constexpr std::array wide_ranges{
    CodeRange{0x1100, 0x115f},   CodeRange{0x2e80, 0xa4cf},   CodeRange{0xac00, 0xd7a3},
    CodeRange{0xf900, 0xfaff},   CodeRange{0xfe30, 0xfe6f},   CodeRange{0xff00, 0xff60},
    CodeRange{0xffe0, 0xffe6},   CodeRange{0x1f300, 0x1f64f}, CodeRange{0x1f900, 0x1f9ff},
    CodeRange{0x20000, 0x3fffd},
};
constexpr std::array combining_ranges{
    CodeRange{0x0300, 0x036f}, CodeRange{0x200b, 0x200f}, CodeRange{0x20d0, 0x20ff},
    CodeRange{0xfe00, 0xfe0f}, CodeRange{0xfe20, 0xfe2f},
};

template <typename Ranges>
bool is_in(const Ranges& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

int columns_of(char32_t code) {
  if (code < 0x300) return 1;
  if (is_in(combining_ranges, code)) return 0;
  return is_in(wide_ranges, code) ? 2 : 1;
}

unsigned char byte_at(std::string_view text, std::size_t position) {
  return static_cast<unsigned char>(text[position]);
}

/// How many bytes a character has that starts so; 0: none does.
std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }
/// Marks that turn the direction of text: what is read would not be what is there.
bool turns_direction(char32_t code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

Character character_at(std::string_view text, std::size_t position) {
  const Character broken{text.substr(position, 1), U'\ufffd', 1};
  const std::size_t length = length_of(byte_at(text, position));
  if (length == 0 || position + length > text.size()) return broken;
  constexpr std::array<char32_t, 5> lead_bits{0, 0x7f, 0x1f, 0x0f, 0x07};
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  char32_t code = byte_at(text, position) & lead_bits[length];
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned char next = byte_at(text, position + i);
    if ((next & 0xc0) != 0x80) return broken;
    code = code << 6 | (next & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < smallest[length] || code > 0x10ffff || is_surrogate) return broken;
  return {text.substr(position, length), code, columns_of(code)};
}

int columns(std::string_view text) {
  int sum = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Character next = character_at(text, i);
    sum += next.columns;
    i += next.bytes.size();
  }
  return sum;
}

std::string printable(std::string_view text, bool ascii) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Character next = character_at(text, i);
    i += next.bytes.size();
    const bool is_hidden = is_control(next.code) || turns_direction(next.code);
    const bool is_lacking = next.code == U'\ufffd' || (ascii && next.code > 0x7e);
    if (next.code == U'\n') {
      clean += '\n';
    } else if (is_hidden || is_lacking) {
      clean += '?';
    } else {
      clean += next.bytes;
    }
  }
  return clean;
}

std::string fit(std::string_view text, int width, bool ascii) {
  if (columns(text) <= width) return std::string(text);
  const std::string_view ellipsis = ascii ? "~" : "…";
  if (width <= 0) return {};
  std::string cut;
  int taken = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Character next = character_at(text, i);
    if (taken + next.columns > width - 1) break;
    cut += next.bytes;
    taken += next.columns;
    i += next.bytes.size();
  }
  return cut + std::string(ellipsis);
}

namespace {
std::string blanks(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ');
}
}  // namespace

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + blanks(text, width);
}

std::string pad_left(std::string_view text, int width) {
  return blanks(text, width) + std::string(text);
}

namespace {

/// Where the word ends that begins there; a short remark in brackets, like "(line 8)", is one.
std::size_t end_of_word(std::string_view text, std::size_t begin) {
  constexpr std::size_t longest_remark = 24;
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  if (text[begin] != '(') return end;
  const std::size_t close = text.find(')', begin);
  if (close == std::string_view::npos || close - begin > longest_remark) return end;
  return std::min(text.find(' ', close), text.size());
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines{""};
  int taken = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_word(text, i);
    std::string_view word = text.substr(i, end - i);
    i = end + 1;
    if (taken > 0 && taken + 1 + columns(word) > width) {
      lines.emplace_back();
      taken = 0;
    } else if (taken > 0) {
      lines.back() += ' ';
      ++taken;
    }
    for (std::size_t k = 0; k < word.size();) {  // a word too long for any line is broken
      const Character next = character_at(word, k);
      if (taken + next.columns > std::max(width, 2)) {
        lines.emplace_back();
        taken = 0;
      }
      lines.back() += next.bytes;
      taken += next.columns;
      k += next.bytes.size();
    }
  }
  return lines;
}

std::string grouped(std::size_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string counted(std::size_t n, std::string_view one, std::string_view several) {
  const std::string plural = several.empty() ? std::string(one) + "s" : std::string(several);
  return grouped(n) + " " + (n == 1 ? std::string(one) : plural);
}

}  // namespace millrace::cli
