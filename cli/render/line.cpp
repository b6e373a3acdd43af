// SPDX-License-Identifier: Apache-2.0
#include "render/line.hpp"

#include "render/text.hpp"

namespace millrace::cli {

void Line::put(int column, std::string_view glyph, const Paint& paint) {
  if (is_inside(column)) cell(column) = {std::string(glyph), paint};
}

void Line::fill(int begin, int end, std::string_view glyph, const Paint& paint) {
  for (int column = begin; column < end; ++column) put(column, glyph, paint);
}

void Line::write(int column, std::string_view text, const Paint& paint) {
  for (std::size_t i = 0; i < text.size();) {
    const Character next = character_at(text, i);
    i += next.bytes.size();
    if (next.columns == 0) {
      if (is_inside(column - 1)) cell(column - 1).glyph += next.bytes;
      continue;
    }
    put(column, next.bytes, paint);
    if (next.columns == 2 && is_inside(column + 1)) cell(column + 1) = {"", paint, true};
    column += next.columns;
  }
}

bool Line::is_free(int column) const {
  if (!is_inside(column)) return false;
  const Cell& at = cells_[static_cast<std::size_t>(column)];
  return at.glyph.empty() && !at.covered;
}

int Line::free_until(int column) const {
  while (is_free(column)) ++column;
  return column;
}

std::string Line::to_string(const Look& look) const {
  std::string text;
  Paint now;
  std::size_t blanks = 0;  // not written yet: only if something follows
  for (const Cell& at : cells_) {
    if (at.covered) continue;
    if (at.glyph.empty()) {
      ++blanks;
      continue;
    }
    const bool changes = look.colour && at.paint != now;
    if (look.colour && now != paints::plain && (changes || blanks > 0)) {
      text += end_paint;
      now = paints::plain;
    }
    text.append(blanks, ' ');
    blanks = 0;
    if (look.colour && at.paint != now) text += begin_paint(now = at.paint);
    text += at.glyph;
  }
  if (now != paints::plain) text += end_paint;
  return text;
}

}  // namespace millrace::cli
