// SPDX-License-Identifier: Apache-2.0
#include "render/why.hpp"

#include "render/reason.hpp"
#include "render/text.hpp"
#include "render/words.hpp"

#include <millrace/time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <vector>

namespace millrace::cli {
namespace {

constexpr std::size_t most_operations = 40;
constexpr std::size_t column_count = 7;
using Row = std::array<std::string, column_count>;
Row titles() { return {"operation", "stream", "line", "enqueued", "start", "end", "duration"}; }
constexpr std::array<bool, column_count> is_number{false, false, true, true, true, true, true};
constexpr std::string_view gap = "  ";

/// Records and waits only pass on what others waited for; their delays stand in those reasons.
bool is_worth_a_line(const Operation& o) {
  return o.kind != OperationKind::record && o.kind != OperationKind::wait;
}

std::vector<TraceIndex> choose(const Trace& trace, bool all) {
  std::vector<TraceIndex> chosen;
  for (TraceIndex i = 0; i < trace.operations.size(); ++i) {
    const Operation& o = trace.operations[i];
    if (all || is_worth_a_line(o)) chosen.push_back(i);
  }
  const auto key = [&trace](TraceIndex i) {
    const std::int64_t start = trace.operations[i].start_ns;
    return std::tuple(start < 0 ? Time::never().ns : start, i);
  };
  std::sort(chosen.begin(), chosen.end(),
            [&key](TraceIndex a, TraceIndex b) { return key(a) < key(b); });
  return chosen;
}

std::string time_text(std::int64_t ns) { return ns < 0 ? "-" : to_string(Time{ns}); }

Row row_of(const Words& words, TraceIndex index) {
  const Operation& o = words.trace().operations[index];
  const bool ran = o.start_ns >= 0 && o.end_ns >= 0;
  return {words.operation(index),
          o.stream == none ? "" : words.stream(o.stream),
          words.place_of_operation(index),
          time_text(o.enqueue_ns),
          time_text(o.start_ns),
          time_text(o.end_ns),
          ran ? to_string(Duration{o.end_ns - o.start_ns}) : "-"};
}

class Table {
 public:
  explicit Table(const Look& look) : look_(look) {
    for (std::size_t i = 0; i < column_count; ++i) widths_[i] = columns(titles()[i]);
  }

  void measure(const Row& row) {
    for (std::size_t i = 0; i < column_count; ++i) {
      const int most = i == 0   ? std::max(12, look_.width / 4)
                       : i == 1 ? std::max(10, look_.width / 6)
                                : look_.width;
      widths_[i] = std::max(widths_[i], std::min(most, columns(row[i])));
    }
  }
  std::string titles_line() const {
    return painted(cells(titles()) + "waited for", paints::heading, look_) + "\n";
  }
  /// The reason goes on in lines of its own under the column where it began; where that column is
  /// too narrow, under the operation's name.
  std::string line(const Row& row, const std::string& reason, const Paint& paint) const {
    const std::string head = cells(row);
    const int left = columns(head);
    const int room = look_.width - left;
    if (room < 24) {
      std::string text = painted(head.substr(0, head.find_last_not_of(' ') + 1), paint, look_);
      for (const std::string& piece : wrap(reason, look_.width - 6)) {
        text += "\n      " + painted(piece, paints::faint, look_);
      }
      return text + "\n";
    }
    std::string text;
    for (const std::string& piece : wrap(reason, room)) {
      text += text.empty() ? painted(head, paint, look_) : std::string(std::size_t(left), ' ');
      text += painted(piece, paint, look_) + "\n";
    }
    return text;
  }

 private:
  std::string cells(const Row& row) const {
    std::string text(2, ' ');
    for (std::size_t i = 0; i < column_count; ++i) {
      const std::string cell = fit(row[i], widths_[i], look_.ascii);
      text += is_number[i] ? pad_left(cell, widths_[i]) : pad_right(cell, widths_[i]);
      text += gap;
    }
    return text;
  }

  const Look& look_;
  std::array<int, column_count> widths_{};
};

}  // namespace

std::string render_why(const Trace& trace, const Look& look) {
  const Words words(trace, look.ascii);
  const Reasons reasons(words);
  std::vector<TraceIndex> chosen = choose(trace, look.all);
  if (chosen.empty()) return {};
  const std::size_t more = look.all ? 0 : chosen.size() - std::min(chosen.size(), most_operations);
  chosen.resize(chosen.size() - more);

  std::vector<Row> rows;
  Table table(look);
  for (const TraceIndex index : chosen) table.measure(rows.emplace_back(row_of(words, index)));
  std::string text = table.titles_line();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Operation& o = trace.operations[chosen[i]];
    const bool is_bad = o.start_ns < 0 || o.state == OperationState::failed;
    text += table.line(rows[i], reasons.why(chosen[i]), is_bad ? paints::bad : paints::plain);
  }
  if (more > 0) {
    const std::string note = "  and " + counted(more, "more operation") + " (--all shows them)";
    text += painted(note, paints::faint, look) + "\n";
  }
  return text;
}

}  // namespace millrace::cli
