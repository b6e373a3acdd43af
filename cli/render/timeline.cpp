// SPDX-License-Identifier: Apache-2.0
#include "render/timeline.hpp"

#include "render/lane_painter.hpp"
#include "render/resource_rows.hpp"
#include "render/text.hpp"

#include <millrace/time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace millrace::cli {
namespace {

constexpr std::size_t most_streams = 32;
constexpr std::size_t most_hosts = 12;
constexpr std::size_t most_rows_with_marks = 16;

/// What stands before a stream's row: its name and what is not ordinary about it.
std::string stream_title(const Words& words, TraceIndex index) {
  const TraceStream& stream = words.trace().streams[index];
  std::string title = words.stream(index);
  if (stream.kind == StreamKind::per_thread && stream.thread != none) {
    title += " of " + words.thread(stream.thread);
  }
  if (stream.blocking && stream.kind == StreamKind::created) title += " (blocking)";
  if (stream.priority != 0) title += " (priority " + std::to_string(stream.priority) + ")";
  return title;
}

std::string title_of(const Words& words, const Lane& lane) {
  return lane.is_host ? words.thread(lane.index) : stream_title(words, lane.index);
}

/// The rows that are shown, and what is said of the others.
struct Choice {
  std::vector<const Lane*> rows;
  std::vector<const Lane*> unused;
  std::size_t left_out = 0;
};

Choice choose(const std::vector<Lane>& lanes, std::size_t most, const Look& look) {
  Choice choice;
  for (const Lane& lane : lanes) {
    if (lane.is_empty() && lane.operations == 0) {
      choice.unused.push_back(&lane);
    } else if (look.all || choice.rows.size() < most) {
      choice.rows.push_back(&lane);
    } else {
      ++choice.left_out;
    }
  }
  return choice;
}

Found steps_of(const std::vector<Finding>& findings) {
  Found found;
  for (const Finding& finding : findings) {
    for (const Step step : {finding.first.step, finding.second.step}) {
      if (step.exists()) (step.is_call ? found.calls : found.operations).insert(step.index);
    }
  }
  return found;
}

/// What the shapes mean, in lines.
class Key {
 public:
  explicit Key(const Look& look) : look_(look) {}

  void add(bool used, std::string_view glyph, std::string_view meaning,
           const Paint& paint = paints::faint) {
    if (!used) return;
    const int width = columns(glyph) + 1 + columns(meaning);
    const std::string gap = taken_ == 0 ? "  " : "   ";
    const bool fits = taken_ + columns(gap) + width <= look_.width;
    if (!fits) text_ += "\n";
    const std::string before = fits ? gap : "  ";
    taken_ = (fits ? taken_ : 0) + columns(before) + width;
    text_ += before + painted(glyph, paint, look_) + " " + painted(meaning, paints::faint, look_);
  }
  [[nodiscard]] std::string text() const { return text_.empty() ? text_ : text_ + "\n"; }

 private:
  const Look& look_;
  std::string text_;
  int taken_ = 0;  // columns of the last line
};

class Picture {
 public:
  Picture(const Trace& trace, const std::vector<Finding>& findings, const Look& look)
      : look_(look),
        words_(trace, look.ascii),
        found_(steps_of(findings)),
        lanes_(find_lanes(trace)),
        hosts_(choose(lanes_.hosts, most_hosts, look)),
        streams_(choose(lanes_.streams, most_streams, look)),
        resources_(find_resource_rows(trace, look, lanes_.end)),
        left_(find_left()),
        ruler_(find_ruler()) {}

  std::string draw() {
    add_axis();
    for (const Lane* lane : hosts_.rows) add_row(*lane);
    add_left_out(hosts_, "thread");
    TraceIndex device = none;
    const bool several = words_.trace().devices.size() > 1;
    for (const Lane* lane : streams_.rows) {
      const TraceIndex on = words_.trace().streams[lane->index].device;
      if (on != device) add_device(on, several);
      device = on;
      add_row(*lane);
    }
    add_left_out(streams_, "stream");
    add_unused();
    add_resources();
    add_key();
    return std::move(text_);
  }

 private:
  [[nodiscard]] int find_left() const {
    int longest = 4;
    for (const Choice* choice : {&hosts_, &streams_}) {
      for (const Lane* lane : choice->rows) {
        longest = std::max(longest, columns(title_of(words_, *lane)));
      }
    }
    for (const ResourceRow& row : resources_) longest = std::max(longest, columns(row.title));
    return std::min(longest, look_.width / 3) + 3;
  }
  [[nodiscard]] Ruler find_ruler() const {
    const int room = look_.width - left_ - 1;
    if (!lanes_.has_for_ever) return {lanes_.end, room, 0};
    const int for_ever = lanes_.end == 0 ? room - 1 : room / 4;
    return {lanes_.end, room - for_ever, for_ever};
  }

  void add(const Line& line) { text_ += line.to_string(look_) + "\n"; }
  void add_axis() {
    Line texts(look_.width);
    Line line(look_.width);
    ruler_.draw(texts, line, left_, look_);
    add(texts);
    add(line);
  }
  void add_row(const Lane& lane) {
    Line line(look_.width);
    const LanePainter painter(words_, ruler_, found_, look_, used_);
    line.write(2, fit(title_of(words_, lane), left_ - 3, look_.ascii));
    painter.draw_spans(lane, line, left_);
    add(line);
    const bool has_room = look_.all || streams_.rows.size() <= most_rows_with_marks;
    Line marks(look_.width);
    if (has_room && painter.draw_marks(lane, marks, left_)) add(marks);
  }
  void add_device(TraceIndex device, bool several) {
    Line line(look_.width);
    const std::string name = words_.device(device);
    line.write(0, several ? name : "device " + name, paints::heading);
    add(line);
  }
  void add_left_out(const Choice& choice, std::string_view what) {
    if (choice.left_out == 0) return;
    const std::string more = std::string("more ") + std::string(what);
    add_note("and " + counted(choice.left_out, more) + " (--all shows them)");
  }
  void add_note(const std::string& note) {
    for (const std::string& line : wrap(note, look_.width - 2)) {
      text_ += "  " + painted(line, paints::faint, look_) + "\n";
    }
  }
  void add_unused() {
    constexpr std::size_t named = 8;
    if (streams_.unused.empty()) return;
    std::string note = "nothing ran in ";
    for (std::size_t i = 0; i < std::min(named, streams_.unused.size()); ++i) {
      note += (i == 0 ? "" : ", ") + words_.stream(streams_.unused[i]->index);
    }
    if (streams_.unused.size() > named) {
      note += " and " + counted(streams_.unused.size() - named, "more stream");
    }
    add_note(note);
  }
  void add_resources();
  void add_key();

  const Look& look_;
  Words words_;
  Found found_;
  Lanes lanes_;
  Choice hosts_;
  Choice streams_;
  std::vector<ResourceRow> resources_;
  int left_;
  Ruler ruler_;
  Used used_;
  std::string text_;
};

void Picture::add_resources() {
  const bool asked = look_.engines || look_.queues || look_.sms;
  if (asked && words_.trace().resources.empty()) {
    add_note("nothing is held of engines, queues or multiprocessors: here nothing competes");
  }
  const LanePainter painter(words_, ruler_, found_, look_, used_);
  TraceIndex device = none;
  for (const ResourceRow& row : resources_) {
    if (row.device != device) {
      device = row.device;
      Line heading(look_.width);
      heading.write(0, "held on " + words_.device(device), paints::heading);
      add(heading);
    }
    Line line(look_.width);
    line.write(2, fit(row.title, left_ - 3, look_.ascii));
    painter.draw_spans(row.lane, line, left_);
    painter.draw_levels(row.levels, row.capacity, line, left_);
    add(line);
  }
}

void Picture::add_key() {
  const Shapes& s = shapes(look_.ascii);
  constexpr std::array<std::string_view, 7> bodies{
      "kernel", "copy", "fill", "host function", "other", "host work", "host call"};
  constexpr std::array<std::string_view, 5> copies{
      "copy to device", "copy to host", "copy on a device", "copy between devices", "copy"};
  Key key(look_);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const bool by_direction = look_.colour && i == static_cast<std::size_t>(Shape::copy);
    if (used_.body[i] && !by_direction) key.add(true, s.body[i], bodies[i], *used_.body[i]);
    for (std::size_t k = 0; by_direction && k < copies.size(); ++k) {
      if (used_.copies[k]) key.add(true, s.body[0], copies[k], *used_.copies[k]);
    }
  }
  key.add(used_.wait, s.wait, "waits", paints::waiting);
  key.add(used_.for_ever, s.wait_for_ever, "waits for ever", paints::bad);
  key.add(used_.failed, s.failed, "failed", paints::bad);
  key.add(used_.finding, s.finding, "in a finding", paints::bad);
  key.add(used_.density, std::string(s.density[1]) + std::string(s.density[4]),
          "several operations, as high as busy");
  key.add(used_.levels, std::string(s.density[1]) + std::string(s.density[4]),
          "warps, as high as the multiprocessors are full", paints::good);
  key.add(used_.record, s.record, "record", paints::mark);
  key.add(used_.held_nothing, s.held_nothing, "wait that held nothing up", paints::mark);
  key.add(used_.instant, s.instant, "takes no time", paints::mark);
  key.add(used_.call, s.call, "host call", paints::mark);
  key.add(used_.calls, s.calls, "host calls", paints::mark);
  text_ += key.text();
}

}  // namespace

std::string render_timeline(const Trace& trace, const std::vector<Finding>& findings,
                            const Look& look) {
  return Picture(trace, findings, look).draw();
}

}  // namespace millrace::cli
