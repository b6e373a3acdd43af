// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include "blocked_time.hpp"

#include <algorithm>
#include <map>

namespace millrace::chrome {
namespace {

/// The lanes of one thread's calls or one stream's operations that take time: as many as it takes
/// that no two slices of one lane overlap.
struct Lanes {
  struct Part {
    std::uint32_t lane;
    std::int64_t end_ns;    ///< of the last slice, in truth
    std::int64_t drawn_ns;  ///< of the last slice, as drawn
  };
  std::vector<Part> parts;
};

class Painter {
 public:
  explicit Painter(const Trace& trace);

  Picture paint();

 private:
  void draw_calls();
  void draw_operations();
  Slice draw_instant(TraceIndex index);
  void draw_arrows();
  void add_arrow(Step from, Step to, TraceIndex dependency);

  std::uint32_t add_lane(std::uint32_t process, TraceIndex owner, std::uint32_t part,
                         const std::string& name);
  std::uint32_t add_stream_lane(TraceIndex stream, std::uint32_t part);
  std::uint32_t waits_lane(TraceIndex stream);
  /// Chooses a part for a slice, with `add` making lanes, and pushes the slice behind what is
  /// drawn.
  template <typename AddLane>
  Slice place(Lanes& lanes, std::int64_t begin_ns, std::int64_t end_ns, AddLane add);
  [[nodiscard]] std::int64_t earliest(TraceIndex operation) const;

  const Trace& trace_;
  Picture picture_;
  std::vector<Lanes> thread_lanes_;
  std::vector<Lanes> stream_lanes_;
  std::vector<std::uint32_t> waits_lanes_;  ///< by stream
  // For each operation the dependencies that point to it, as linked lists.
  std::vector<TraceIndex> first_cause_;
  std::vector<TraceIndex> next_cause_;
};

constexpr std::int64_t long_ago = std::numeric_limits<std::int64_t>::min();

Painter::Painter(const Trace& trace)
    : trace_(trace),
      thread_lanes_(trace.threads.size()),
      stream_lanes_(trace.streams.size()),
      waits_lanes_(trace.streams.size(), none),
      first_cause_(trace.operations.size(), none),
      next_cause_(trace.dependencies.size(), none) {
  picture_.operations.resize(trace.operations.size());
  picture_.calls.resize(trace.calls.size());
  picture_.processes.emplace_back("host");
  for (TraceIndex i = 0; i < trace.devices.size(); ++i) {
    picture_.processes.push_back(trace.object_name(ObjectKind::device, i));
  }
  for (TraceIndex i = 0; i < trace.dependencies.size(); ++i) {
    const Step to = trace.dependencies[i].to;
    if (to.is_call || !to.exists()) continue;
    next_cause_[i] = first_cause_[to.index];
    first_cause_[to.index] = i;
  }
}

Picture Painter::paint() {
  draw_calls();
  draw_operations();
  draw_arrows();
  return std::move(picture_);
}

std::uint32_t Painter::add_lane(std::uint32_t process, TraceIndex owner, std::uint32_t part,
                                const std::string& name) {
  picture_.lanes.push_back(Lane{process, owner, part, name});
  return static_cast<std::uint32_t>(picture_.lanes.size() - 1);
}

std::uint32_t Painter::add_stream_lane(TraceIndex stream, std::uint32_t part) {
  std::string name = trace_.object_name(ObjectKind::stream, stream);
  if (part == waits_part) {
    name += " waits";
  } else if (part != 0) {
    name += " (" + std::to_string(part + 1) + ")";
  }
  return add_lane(trace_.streams[stream].device + 1, stream, part, name);
}

std::uint32_t Painter::waits_lane(TraceIndex stream) {
  std::uint32_t& lane = waits_lanes_[stream];
  if (lane == none) lane = add_stream_lane(stream, waits_part);
  return lane;
}

template <typename AddLane>
Slice Painter::place(Lanes& lanes, std::int64_t begin_ns, std::int64_t end_ns, AddLane add) {
  auto part = std::find_if(lanes.parts.begin(), lanes.parts.end(),
                           [&](const Lanes::Part& p) { return p.end_ns <= begin_ns; });
  if (part == lanes.parts.end()) {
    const auto number = static_cast<std::uint32_t>(lanes.parts.size());
    part = lanes.parts.insert(part, Lanes::Part{add(number), long_ago, long_ago});
  }
  Slice slice{std::max(begin_ns, part->drawn_ns), end_ns, part->lane};
  slice.end_ns = std::max(slice.end_ns, slice.begin_ns + 1);
  part->end_ns = end_ns;
  part->drawn_ns = slice.end_ns;
  return slice;
}

void Painter::draw_calls() {
  for (TraceIndex i = 0; i < trace_.calls.size(); ++i) {
    const HostCall& call = trace_.calls[i];
    const bool returned = call.outcome != CallOutcome::blocked;
    const std::int64_t end = std::max(call.begin_ns, returned ? call.end_ns : trace_.end_ns);
    picture_.calls[i] = place(thread_lanes_[call.thread], call.begin_ns, end, [&](std::uint32_t p) {
      std::string name = trace_.object_name(ObjectKind::thread, call.thread);
      if (p != 0) name += " (" + std::to_string(p + 1) + ")";
      return add_lane(0, call.thread, p, name);
    });
  }
}

void Painter::draw_operations() {
  BlockedTime blocked(trace_);
  for (TraceIndex i = 0; i < trace_.operations.size(); ++i) {
    const Operation& operation = trace_.operations[i];
    if (operation.start_ns < 0) continue;
    if (const Span span = blocked.before(operation); span.length_ns() > 0) {
      const Slice slice{span.begin_ns, span.end_ns, waits_lane(operation.stream)};
      picture_.blocked.push_back(BlockedSlice{i, slice});
    }
    const std::int64_t end = end_ns(trace_, operation);
    picture_.operations[i] =
        end == operation.start_ns
            ? draw_instant(i)
            : place(stream_lanes_[operation.stream], operation.start_ns, end,
                    [&](std::uint32_t p) { return add_stream_lane(operation.stream, p); });
  }
}

/// The time before which an operation must not be drawn, lest an arrow to it points back.
std::int64_t Painter::earliest(TraceIndex operation) const {
  const TraceIndex call = trace_.operations[operation].call;
  std::int64_t time = call == none ? long_ago : picture_.calls[call].begin_ns;
  for (TraceIndex i = first_cause_[operation]; i != none; i = next_cause_[i]) {
    const Step from = trace_.dependencies[i].from;
    if (!from.exists() || !picture_.slice(from).exists()) continue;
    time = std::max(time, picture_.slice(from).begin_ns);
  }
  return time;
}

Slice Painter::draw_instant(TraceIndex index) {
  const Operation& operation = trace_.operations[index];
  const std::int64_t time = std::max<std::int64_t>(operation.start_ns - 1, 0);
  const std::int64_t begin = std::max(time, earliest(index));
  return Slice{begin, begin + 1, waits_lane(operation.stream)};
}

void Painter::draw_arrows() {
  for (TraceIndex i = 0; i < trace_.operations.size(); ++i) {
    const TraceIndex call = trace_.operations[i].call;
    if (call != none) add_arrow(Step::call(call), Step::operation(i), none);
  }
  for (TraceIndex i = 0; i < trace_.dependencies.size(); ++i) {
    const Dependency& dependency = trace_.dependencies[i];
    add_arrow(dependency.from, dependency.to, i);
  }
}

void Painter::add_arrow(Step from, Step to, TraceIndex dependency) {
  const auto is_drawn = [&](Step step) { return step.exists() && picture_.slice(step).exists(); };
  if (!is_drawn(from) || !is_drawn(to)) {
    ++picture_.arrows_left_out;
    return;
  }
  const Slice& source = picture_.slice(from);
  const Slice& target = picture_.slice(to);
  // What orders a call orders its return, what orders an operation its start.
  const std::int64_t aim = to.is_call ? target.last_ns() : target.begin_ns;
  const std::int64_t begin = std::clamp(aim, source.begin_ns, source.last_ns());
  const std::int64_t end = std::max(aim, begin);
  if (end > target.last_ns()) {
    ++picture_.arrows_left_out;
    return;
  }
  picture_.arrows.push_back(
      Arrow{dependency, ArrowEnd{from, source.lane, begin}, ArrowEnd{to, target.lane, end}});
}

}  // namespace

Picture draw(const Trace& trace) { return Painter(trace).paint(); }

}  // namespace millrace::chrome
