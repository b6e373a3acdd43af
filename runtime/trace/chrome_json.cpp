// SPDX-License-Identifier: Apache-2.0
#include "chrome_counters.hpp"
#include "json_writer.hpp"
#include "picture.hpp"

#include <millrace/trace_file.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace millrace {
namespace {

using chrome::Arrow;
using chrome::ArrowEnd;
using chrome::BlockedSlice;
using chrome::Lane;
using chrome::Picture;
using chrome::Slice;

/// An event to be written. Viewers take events of equal time as they come, and tie an arrow's end
/// to the slice that was opened last: so slices that take time come first, then step by step each
/// instant with the arrows that leave it and those that reach it.
struct Item {
  enum class Kind : std::uint8_t { blocked, operation, call, leaving, reaching };

  std::int64_t time_ns;
  std::uint32_t order;  ///< 0: a slice that takes time; else one more than the step's sequence
  Kind kind;
  std::uint32_t index;

  friend bool operator<(const Item& a, const Item& b) {
    return std::tie(a.time_ns, a.order, a.kind, a.index) <
           std::tie(b.time_ns, b.order, b.kind, b.index);
  }
};

std::string category_of(const Dependency& dependency) {
  const bool is_graph = dependency.kind == DependencyKind::graph_edge ||
                        dependency.kind == DependencyKind::graph_launch;
  std::string category = is_graph ? "graph" : "wait";
  if (dependency.state != DependencyState::exact) category += ",inferred";
  return category;
}

class Exporter {
 public:
  Exporter(const Trace& trace, std::ostream& stream)
      : trace_(trace), picture_(chrome::draw(trace)), out_(stream) {}

  void write();

 private:
  void number_lanes();
  void write_header();
  void write_names();
  void write_name(const std::string& what, std::uint32_t process, std::uint32_t lane,
                  std::string_view name);
  [[nodiscard]] std::vector<Item> items() const;
  [[nodiscard]] std::uint32_t order_of(Step step) const;

  void write_item(const Item& item);
  void begin_slice(const Slice& slice, std::string_view category, std::string_view name);
  void end_event();
  void write_operation(TraceIndex index);
  void write_call(TraceIndex index);
  void write_blocked(const BlockedSlice& blocked);
  void write_arrow_end(std::uint32_t index, bool leaving);
  void write_place(std::uint32_t lane, std::int64_t time_ns);
  void write_source(TraceIndex call);
  void write_true_times(const Slice& slice, std::int64_t begin_ns, std::int64_t end_ns);
  [[nodiscard]] std::string reason(const Operation& operation) const;
  [[nodiscard]] std::string name_of(const HostCall& call) const;
  [[nodiscard]] std::string describe(Step step) const;

  const Trace& trace_;
  const Picture picture_;
  json::Writer out_;
  std::vector<std::uint32_t> order_;    ///< the lanes from the top
  std::vector<std::uint32_t> threads_;  ///< by lane: its thread id, which is its place in `order_`
};

void Exporter::write() {
  number_lanes();
  out_.begin_object();
  write_header();
  out_.key("traceEvents");
  out_.begin_array();
  write_names();
  for (const Item& item : items()) write_item(item);
  chrome::write_counters(trace_, out_);
  out_.new_line();
  out_.end_array();
  out_.end_object();
  out_.finish();
}

void Exporter::number_lanes() {
  const std::vector<Lane>& lanes = picture_.lanes;
  order_.resize(lanes.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t i) {
      return std::tie(lanes[i].process, lanes[i].owner, lanes[i].part);
    };
    return key(a) < key(b);
  });
  threads_.resize(lanes.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) threads_[order_[i]] = i + 1;
}

void Exporter::write_header() {
  const auto never_started = std::count_if(picture_.operations.begin(), picture_.operations.end(),
                                           [](const Slice& slice) { return !slice.exists(); });
  out_.field("displayTimeUnit", "ns");
  out_.key("otherData");
  out_.begin_object();
  out_.field("producer", trace_.producer);
  out_.field("end_ns", trace_.end_ns);
  out_.field("operations", trace_.operations.size());
  out_.field("never_started", never_started);
  out_.field("calls", trace_.calls.size());
  out_.field("arrows", picture_.arrows.size());
  out_.field("arrows_left_out", picture_.arrows_left_out);
  out_.end_object();
}

void Exporter::write_names() {
  for (std::uint32_t i = 0; i < picture_.processes.size(); ++i) {
    write_name("process", i, none, picture_.processes[i]);
  }
  for (const std::uint32_t lane : order_) {
    write_name("thread", picture_.lanes[lane].process, lane, picture_.lanes[lane].name);
  }
}

void Exporter::write_name(const std::string& what, std::uint32_t process, std::uint32_t lane,
                          std::string_view name) {
  const auto begin = [&](const char* kind) {
    out_.new_line();
    out_.begin_object();
    out_.field("ph", "M");
    out_.field("pid", process + 1);
    if (lane != none) out_.field("tid", threads_[lane]);
    out_.field("name", what + kind);
    out_.key("args");
    out_.begin_object();
  };
  begin("_name");
  out_.field("name", name);
  end_event();
  begin("_sort_index");
  out_.field("sort_index", lane == none ? process : threads_[lane]);
  end_event();
}

std::uint32_t Exporter::order_of(Step step) const {
  const TraceIndex sequence =
      step.is_call ? trace_.calls[step.index].sequence : trace_.operations[step.index].sequence;
  return sequence == none ? none : sequence + 1;
}

std::vector<Item> Exporter::items() const {
  std::vector<Item> items;
  const auto add_slice = [&](const Slice& slice, Item::Kind kind, std::size_t i, Step step) {
    if (!slice.exists()) return;
    const bool takes_time = slice.end_ns - slice.begin_ns > 1;
    items.push_back(
        {slice.begin_ns, takes_time ? 0 : order_of(step), kind, static_cast<std::uint32_t>(i)});
  };
  for (std::size_t i = 0; i < picture_.blocked.size(); ++i) {
    const Slice& slice = picture_.blocked[i].slice;
    items.push_back({slice.begin_ns, 0, Item::Kind::blocked, static_cast<std::uint32_t>(i)});
  }
  for (TraceIndex i = 0; i < picture_.operations.size(); ++i) {
    add_slice(picture_.operations[i], Item::Kind::operation, i, Step::operation(i));
  }
  for (TraceIndex i = 0; i < picture_.calls.size(); ++i) {
    add_slice(picture_.calls[i], Item::Kind::call, i, Step::call(i));
  }
  for (std::size_t i = 0; i < picture_.arrows.size(); ++i) {
    const Arrow& arrow = picture_.arrows[i];
    const auto index = static_cast<std::uint32_t>(i);
    items.push_back({arrow.from.time_ns, order_of(arrow.from.step), Item::Kind::leaving, index});
    items.push_back({arrow.to.time_ns, order_of(arrow.to.step), Item::Kind::reaching, index});
  }
  std::sort(items.begin(), items.end());
  return items;
}

void Exporter::write_item(const Item& item) {
  out_.new_line();
  out_.begin_object();
  switch (item.kind) {
    case Item::Kind::blocked:
      return write_blocked(picture_.blocked[item.index]);
    case Item::Kind::operation:
      return write_operation(item.index);
    case Item::Kind::call:
      return write_call(item.index);
    case Item::Kind::leaving:
      return write_arrow_end(item.index, true);
    case Item::Kind::reaching:
      return write_arrow_end(item.index, false);
  }
}

void Exporter::write_place(std::uint32_t lane, std::int64_t time_ns) {
  out_.field("pid", picture_.lanes[lane].process + 1);
  out_.field("tid", threads_[lane]);
  out_.microseconds("ts", time_ns);
}

void Exporter::begin_slice(const Slice& slice, std::string_view category, std::string_view name) {
  out_.field("ph", "X");
  write_place(slice.lane, slice.begin_ns);
  out_.microseconds("dur", slice.end_ns - slice.begin_ns);
  out_.field("cat", category);
  out_.field("name", name);
  out_.key("args");
  out_.begin_object();
}

void Exporter::end_event() {
  out_.end_object();
  out_.end_object();
}

void Exporter::write_operation(TraceIndex index) {
  const Operation& operation = trace_.operations[index];
  const Slice& slice = picture_.operations[index];
  begin_slice(slice, to_string(operation.kind), trace_.describe(index));
  out_.field("operation", index);
  out_.field("kind", to_string(operation.kind));
  out_.field("because", reason(operation));
  if (operation.bytes != 0) out_.field("bytes", operation.bytes);
  if (operation.state != OperationState::completed) {
    out_.field("state", to_string(operation.state));
  }
  if (operation.call != none) write_source(operation.call);
  write_true_times(slice, operation.start_ns, operation.end_ns);
  end_event();
}

void Exporter::write_call(TraceIndex index) {
  const HostCall& call = trace_.calls[index];
  const Slice& slice = picture_.calls[index];
  begin_slice(slice, "host", name_of(call));
  out_.field("call", index);
  out_.field("kind", to_string(call.kind));
  if (call.outcome == CallOutcome::error) {
    out_.field("error", to_string(static_cast<Errc>(call.error)));
  } else if (call.outcome != CallOutcome::success) {
    out_.field("outcome", to_string(call.outcome));
  }
  write_source(index);
  const bool returned = call.outcome != CallOutcome::blocked;
  write_true_times(slice, call.begin_ns, returned ? call.end_ns : slice.end_ns);
  end_event();
}

void Exporter::write_blocked(const BlockedSlice& blocked) {
  const Operation& operation = trace_.operations[blocked.operation];
  begin_slice(blocked.slice, "blocked", "blocked by " + reason(operation));
  out_.field("operation", blocked.operation);
  out_.field("name", trace_.describe(blocked.operation));
  end_event();
}

void Exporter::write_arrow_end(std::uint32_t index, bool leaving) {
  const Arrow& arrow = picture_.arrows[index];
  const ArrowEnd& end = leaving ? arrow.from : arrow.to;
  out_.field("ph", leaving ? "s" : "f");
  if (!leaving) out_.field("bp", "e");  // the enclosing slice, not the next one
  write_place(end.lane, end.time_ns);
  out_.field("id", index + 1);
  if (arrow.dependency == none) {
    out_.field("cat", "launch");
    out_.field("name", "launch");
  } else {
    const Dependency& dependency = trace_.dependencies[arrow.dependency];
    out_.field("cat", category_of(dependency));
    out_.field("name", to_string(dependency.kind));
  }
  out_.end_object();
}

void Exporter::write_source(TraceIndex index) {
  const HostCall& call = trace_.calls[index];
  if (call.line == 0) return;
  out_.field("source", std::string(trace_.string(call.file)) + ":" + std::to_string(call.line));
}

void Exporter::write_true_times(const Slice& slice, std::int64_t begin_ns, std::int64_t end_ns) {
  if (slice.begin_ns == begin_ns && slice.end_ns == end_ns) return;
  out_.field("start_ns", begin_ns);
  out_.field("end_ns", end_ns);
}

std::string Exporter::describe(Step step) const {
  return step.is_call ? name_of(trace_.calls[step.index]) : trace_.describe(step.index);
}

std::string Exporter::reason(const Operation& operation) const {
  std::string text(to_string(operation.constraint));
  if (operation.because.exists()) text += ": " + describe(operation.because);
  return text;
}

std::string Exporter::name_of(const HostCall& call) const {
  std::string kind(to_string(call.kind));
  if (call.operation != none) {
    const Operation& operation = trace_.operations[call.operation];
    if (operation.name != 0) return kind + " " + trace_.describe(call.operation);
    if (operation.object != none) return trace_.describe(call.operation);
  }
  if (call.object_kind == ObjectKind::nothing || call.object == none) return kind;
  return kind + " " + trace_.object_name(call.object_kind, call.object);
}

}  // namespace

void write_chrome_json(const Trace& trace, std::ostream& out) { Exporter(trace, out).write(); }

}  // namespace millrace
