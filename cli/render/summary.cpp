// SPDX-License-Identifier: Apache-2.0
#include "render/summary.hpp"

#include "render/findings.hpp"
#include "render/lanes.hpp"
#include "render/text.hpp"
#include "render/words.hpp"

#include <millrace/time.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace millrace::cli {

Load find_load(const Trace& trace) {
  Load load;
  std::vector<std::pair<std::int64_t, int>> changes;  // time, and how many more run from then on
  for (const Operation& o : trace.operations) {
    if (o.start_ns < 0) continue;
    const std::int64_t end = o.end_ns < 0 ? trace.end_ns : o.end_ns;
    if (end <= o.start_ns) continue;
    changes.emplace_back(o.start_ns, 1);
    changes.emplace_back(end, -1);
    load.sum_ns += end - o.start_ns;
  }
  std::sort(changes.begin(), changes.end());
  int running = 0;
  std::int64_t since = 0;
  for (const auto& [at, change] : changes) {
    if (running >= 1) load.one_or_more_ns += at - since;
    if (running >= 2) load.two_or_more_ns += at - since;
    running += change;
    since = at;
  }
  return load;
}

std::map<OperationKind, std::size_t> count_kinds(const Trace& trace) {
  std::map<OperationKind, std::size_t> kinds;
  for (const Operation& o : trace.operations) ++kinds[o.kind];
  return kinds;
}

std::string kinds_in_words(const std::map<OperationKind, std::size_t>& kinds) {
  std::string text;
  for (const auto& [kind, n] : kinds) {
    const std::string_view word = to_string(kind);
    text += (text.empty() ? "" : ", ");
    text += counted(n, word, word == "copy" ? "copies" : "");
  }
  return text;
}

namespace {

std::string share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "0%";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part > 0 && percent < 1) return "<1%";
  return std::to_string(std::lround(percent)) + "%";
}

std::string ratio(std::int64_t a, std::int64_t b) {
  const double value = static_cast<double>(a) / static_cast<double>(b);
  const std::int64_t hundredths = std::llround(value * 100);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" + rest : rest);
}

class Totals {
 public:
  explicit Totals(const Look& look) : look_(look) {}

  void add(std::string_view title, const std::string& text, const Paint& paint = paints::plain) {
    constexpr int left = 12;
    bool is_first = true;
    for (const std::string& line : wrap(text, look_.width - left - 2)) {
      text_ += "  " + painted(pad_right(is_first ? title : "", left), paints::faint, look_);
      text_ += painted(line, paint, look_) + "\n";
      is_first = false;
    }
  }
  std::string text() && { return std::move(text_); }

 private:
  const Look& look_;
  std::string text_;
};

std::string busy_streams(const Trace& trace, const Look& look) {
  constexpr std::size_t most = 8;
  const Words words(trace, look.ascii);
  std::vector<Lane> lanes = find_lanes(trace).streams;
  std::erase_if(lanes, [](const Lane& lane) { return lane.busy_ns == 0; });
  std::string text;
  const std::size_t shown = look.all ? lanes.size() : std::min(most, lanes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += text.empty() ? "" : ",  ";
    text += words.stream(lanes[i].index) + " " + to_string(Duration{lanes[i].busy_ns});
    text += " (" + share(lanes[i].busy_ns, trace.end_ns) + ")";
  }
  if (lanes.size() > shown) {
    text += " and " + counted(lanes.size() - shown, "more stream");
  }
  return text;
}

std::string overlap(const Trace& trace) {
  const Load load = find_load(trace);
  if (load.one_or_more_ns == 0) return {};
  if (load.two_or_more_ns == 0) return "none: never two operations at once";
  return "two or more operations at once for " + to_string(Duration{load.two_or_more_ns}) + " (" +
         share(load.two_or_more_ns, trace.end_ns) + "); " +
         ratio(load.sum_ns, load.one_or_more_ns) + " times as fast as one after another";
}

}  // namespace

std::string render_summary(const Trace& trace, const std::vector<Finding>& findings,
                           const Look& look) {
  Totals totals(look);
  const std::string kinds = kinds_in_words(count_kinds(trace));
  const auto unfinished =
      std::count_if(trace.operations.begin(), trace.operations.end(),
                    [](const Operation& o) { return o.state != OperationState::completed; });
  std::string operations = grouped(trace.operations.size());
  if (!kinds.empty()) operations += ": " + kinds;
  if (unfinished > 0) {
    operations += "; " + grouped(static_cast<std::size_t>(unfinished)) + " not completed";
  }
  totals.add("operations", operations);
  totals.add("host calls", grouped(trace.calls.size()));
  totals.add("time", to_string(Time{trace.end_ns}));
  if (const std::string busy = busy_streams(trace, look); !busy.empty()) totals.add("busy", busy);
  if (const std::string text = overlap(trace); !text.empty()) totals.add("overlap", text);
  totals.add("findings", count_findings(findings), findings.empty() ? paints::good : paints::bad);
  return std::move(totals).text();
}

}  // namespace millrace::cli
