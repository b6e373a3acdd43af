// SPDX-License-Identifier: Apache-2.0
#include "render/lane_painter.hpp"

#include "render/text.hpp"

#include <algorithm>
#include <cmath>

namespace millrace::cli {
namespace {

/// What happened in one column to spans too short to be drawn by themselves.
struct Column {
  std::size_t spans = 0;
  double busy_ns = 0;
  Paint paint;
  const Span* span = nullptr;  // the last of them
};

/// The fullest text that fits, or as much of it as tells something.
std::string fitting(const std::vector<std::string>& texts, int room, bool ascii) {
  constexpr int telling = 9;
  for (const std::string& text : texts) {
    if (columns(text) <= room) {
      const bool is_cut_better = room >= telling && text.size() < 5 && text != texts.front();
      return is_cut_better ? fit(texts.front(), room, ascii) : text;
    }
  }
  return texts.empty() ? std::string() : fit(texts.back(), room, ascii);
}

Paint inverse(const Paint& paint) { return {.foreground = 16, .background = paint.foreground}; }

}  // namespace

bool LanePainter::is_small(const Span& span) const {
  return static_cast<double>(span.end - span.begin) < 1.5 * ruler_.ns_per_column();
}

void LanePainter::write_centred(Line& line, int begin, int end, std::string_view text,
                                const Paint& paint) const {
  const int blank = end - begin - columns(text);
  line.write(begin + blank / 2, text, paint);
}

void LanePainter::draw_wait(const Span& span, Line& line, int left) const {
  const int begin = left + ruler_.boundary(span.begin);
  const int end = left + (span.for_ever ? ruler_.width() : ruler_.boundary(span.end));
  if (end <= begin) return;
  const Paint paint = paint_of(words_.trace(), span);
  line.fill(begin, end, shapes_.wait, paint);
  (span.for_ever ? used_.for_ever : used_.wait) = true;
  if (span.for_ever) line.put(end - 1, shapes_.wait_for_ever, paint);
  const int room = end - begin - 4 - (span.for_ever ? 2 : 0);  // for text between blanks
  if (room < 3) return;
  const std::string text = fitting(labels(words_, span), room, look_.ascii);
  if (!text.empty()) write_centred(line, begin, end, " " + text + " ", paint);
}

void LanePainter::draw_body(const Span& span, Line& line, int left) const {
  const int begin = left + ruler_.boundary(span.begin);
  const int end = left + ruler_.boundary(span.end);
  const Paint paint = paint_of(words_.trace(), span);
  const std::string_view body = note_used(span);
  if (end - begin == 1) return line.put(begin, body, paint);
  const Paint inner = look_.colour ? inverse(paint) : paint;
  line.put(begin, shapes_.left, paint);
  line.fill(begin + 1, end - 1, look_.colour ? " " : body, inner);
  line.put(end - 1, span.failed ? shapes_.failed : shapes_.right, paint);
  const int room = end - begin - 2;
  const std::string name = labels(words_, span).front();
  if (!found_.contains(span.step)) {
    const std::string text = columns(name) <= room || room >= 3 ? fit(name, room, look_.ascii) : "";
    return write_centred(line, begin + 1, end - 1, text, inner);
  }
  used_.finding = true;
  const std::string sign(shapes_.finding);
  if (columns(name) + 2 <= room) {
    return write_centred(line, begin + 1, end - 1, name + " " + sign, inner);
  }
  line.write(begin + 1, fit(name, room, look_.ascii), inner);
  line.put(end - 1, sign, paints::bad);
}

/// Remembers what the key must explain; the character that fills the span.
std::string_view LanePainter::note_used(const Span& span) const {
  const auto shape = static_cast<std::size_t>(span.shape);
  used_.body[shape] = paint_of(words_.trace(), span);
  if (span.shape == Shape::copy) {
    const Direction way = direction(words_.trace(), words_.trace().operations[span.step.index]);
    used_.copies[static_cast<std::size_t>(way)] = paint_of(words_.trace(), span);
  }
  used_.failed = used_.failed || span.failed;
  return shapes_.body[shape];
}

void LanePainter::draw_dense(const Lane& lane, Line& line, int left) const {
  std::vector<Column> dense(static_cast<std::size_t>(ruler_.columns()));
  for (const Span& span : lane.spans) {
    if (span.shape == Shape::waiting || !is_small(span)) continue;
    const int last = ruler_.column(std::max(span.begin, span.end - 1));
    for (int column = ruler_.column(span.begin); column <= last; ++column) {
      Column& in = dense[static_cast<std::size_t>(column)];
      const double begin = std::max(ruler_.begin_of(column), static_cast<double>(span.begin));
      const double end = std::min(ruler_.begin_of(column + 1), static_cast<double>(span.end));
      const double share = (end - begin) / ruler_.ns_per_column();
      if (share < 0.05 && last > ruler_.column(span.begin)) continue;  // a rounding's rest
      if (in.spans++ == 0) in.paint = paint_of(words_.trace(), span);
      in.busy_ns += end - begin;
      in.span = &span;
    }
  }
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const Column& in = dense[i];
    if (in.spans == 0) continue;
    const int column = left + static_cast<int>(i);
    if (in.spans == 1) {
      line.put(column, note_used(*in.span), in.paint);
      continue;
    }
    used_.density = true;
    line.put(column, density(in.busy_ns / ruler_.ns_per_column()), in.paint);
  }
}

/// As high as the share, which is more than nothing.
std::string_view LanePainter::density(double share) const {
  const auto steps = static_cast<double>(shapes_.density.size());
  const double level = std::clamp(std::ceil(share * steps - 1e-9) - 1, 0.0, steps - 1);
  return shapes_.density[static_cast<std::size_t>(level)];
}

void LanePainter::draw_levels(const std::vector<ResourceLevel>& levels, std::uint32_t capacity,
                              Line& line, int left) const {
  if (capacity == 0) return;
  std::vector<double> held(static_cast<std::size_t>(ruler_.columns()));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].amount == 0) continue;
    const std::int64_t begin = levels[i].at_ns;
    const std::int64_t end = i + 1 < levels.size() ? levels[i + 1].at_ns : ruler_.end();
    const double share = static_cast<double>(levels[i].amount) / capacity;
    const int last = ruler_.column(std::max(begin, end - 1));
    for (int column = ruler_.column(begin); column <= last; ++column) {
      const double from = std::max(ruler_.begin_of(column), static_cast<double>(begin));
      const double to = std::min(ruler_.begin_of(column + 1), static_cast<double>(end));
      held[static_cast<std::size_t>(column)] += share * std::max(to - from, 0.0);
    }
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0) continue;
    used_.levels = true;
    line.put(left + static_cast<int>(i), density(held[i] / ruler_.ns_per_column()), paints::good);
  }
}

void LanePainter::draw_calls(const Lane& lane, Line& line, int left) const {
  std::vector<std::size_t> calls(static_cast<std::size_t>(ruler_.columns()));
  const auto column_of = [this](const Mark& mark) {
    return static_cast<std::size_t>(ruler_.column(mark.at));
  };
  for (const Mark& mark : lane.marks) ++calls[column_of(mark)];
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i] == 0) continue;
    (calls[i] == 1 ? used_.call : used_.calls) = true;
    line.put(left + static_cast<int>(i), calls[i] == 1 ? shapes_.call : shapes_.calls,
             paints::mark);
  }
  for (const Mark& mark : lane.marks) {
    if (!found_.contains(mark.step)) continue;
    used_.finding = true;
    line.put(left + ruler_.column(mark.at), shapes_.finding, paints::bad);
  }
}

void LanePainter::draw_spans(const Lane& lane, Line& line, int left) const {
  for (const Span& span : lane.spans) {
    if (span.shape == Shape::waiting) draw_wait(span, line, left);
  }
  for (const Span& span : lane.spans) {
    if (span.shape != Shape::waiting && !is_small(span)) draw_body(span, line, left);
  }
  draw_dense(lane, line, left);
  if (lane.is_host) draw_calls(lane, line, left);
}

std::string_view LanePainter::glyph(MarkKind kind) const {
  switch (kind) {
    case MarkKind::record:
      return shapes_.record;
    case MarkKind::wait:
      return shapes_.held_nothing;
    default:
      return shapes_.instant;
  }
}

/// The names of marks in one column, as many as fit, and how many more there are.
std::string LanePainter::marks_text(const Lane& lane, std::size_t first, std::size_t last,
                                    int room) const {
  const std::string name = label(words_, lane.marks[first]);
  if (last - first == 1 || columns(name) + 3 > room) {
    return room < 3 ? std::string() : fit(name, room, look_.ascii);
  }
  std::string text = name;
  for (std::size_t i = first + 1; i < last; ++i) {
    const Mark& mark = lane.marks[i];
    const bool same = mark.kind == lane.marks[i - 1].kind;
    const std::string next =
        (same ? "," : " " + std::string(glyph(mark.kind))) + label(words_, mark);
    const std::string more = " +" + std::to_string(last - i);
    const int rest = i + 1 < last ? columns(more) : 0;
    if (columns(text) + columns(next) + rest > room) return text + more;
    text += next;
  }
  return text;
}

void LanePainter::note_used(const Mark& mark) const {
  switch (mark.kind) {
    case MarkKind::record:
      used_.record = true;
      break;
    case MarkKind::wait:
      used_.held_nothing = true;
      break;
    default:
      used_.instant = true;
  }
}

bool LanePainter::draw_marks(const Lane& lane, Line& line, int left) const {
  if (lane.is_host || lane.marks.empty()) return false;
  std::vector<std::size_t> starts;  // of the marks in one column
  for (std::size_t i = 0; i < lane.marks.size(); ++i) {
    const int column = ruler_.column(lane.marks[i].at);
    if (i == 0 || column != ruler_.column(lane.marks[i - 1].at)) starts.push_back(i);
  }
  if (!look_.all && static_cast<int>(starts.size()) * 3 > ruler_.width()) return false;
  starts.push_back(lane.marks.size());
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const bool is_last = k + 2 == starts.size();
    const Mark& mark = lane.marks[starts[k]];
    const int column = ruler_.column(mark.at);
    const int next = is_last ? ruler_.width() : ruler_.column(lane.marks[starts[k + 1]].at) - 1;
    const std::string text = marks_text(lane, starts[k], starts[k + 1], next - column - 1);
    line.put(left + column, glyph(mark.kind), paints::mark);
    line.write(left + column + 1, text, paints::faint);
    if (text.empty() && is_last) write_before(line, left + column, label(words_, mark));
    for (std::size_t i = starts[k]; i < starts[k + 1]; ++i) note_used(lane.marks[i]);
  }
  return true;
}

/// A name that has no room behind its mark, if it has room before it.
void LanePainter::write_before(Line& line, int column, std::string_view text) const {
  const int begin = column - columns(text);
  if (begin > 0 && line.free_until(begin - 1) == column) line.write(begin, text, paints::faint);
}

}  // namespace millrace::cli
