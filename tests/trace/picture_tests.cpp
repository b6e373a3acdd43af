// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"
#include "rich_trace.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using namespace millrace;
using chrome::Arrow;
using chrome::ArrowEnd;
using chrome::Picture;
using chrome::Slice;

namespace {

bool encloses(const Picture& picture, const ArrowEnd& end) {
  const Slice& slice = picture.slice(end.step);
  return end.lane == slice.lane && slice.begin_ns <= end.time_ns && end.time_ns < slice.end_ns;
}

/// Slices of one lane lie beside or inside each other.
bool nests(const Slice& a, const Slice& b) {
  const bool apart = a.end_ns <= b.begin_ns || b.end_ns <= a.begin_ns;
  const bool inside = a.begin_ns <= b.begin_ns && b.end_ns <= a.end_ns;
  const bool outside = b.begin_ns <= a.begin_ns && a.end_ns <= b.end_ns;
  return apart || inside || outside;
}

std::map<std::uint32_t, std::vector<Slice>> by_lane(const Picture& picture) {
  std::map<std::uint32_t, std::vector<Slice>> lanes;
  const auto add = [&](const Slice& slice) {
    if (slice.exists()) lanes[slice.lane].push_back(slice);
  };
  for (const Slice& slice : picture.operations) add(slice);
  for (const Slice& slice : picture.calls) add(slice);
  for (const chrome::BlockedSlice& blocked : picture.blocked) add(blocked.slice);
  return lanes;
}

/// How many pairs of slices in one lane overlap in part.
std::size_t partial_overlaps(const Picture& picture) {
  std::size_t count = 0;
  for (auto& [lane, slices] : by_lane(picture)) {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) count += nests(slices[k], slices[i]) ? 0U : 1U;
    }
  }
  return count;
}

/// Streams that run as the profile `ideal` would have them, with many things that take no time.
Trace random_trace(unsigned seed, std::int64_t unit_ns) {
  std::mt19937 random(seed);
  const auto dice = [&](unsigned sides) { return static_cast<unsigned>(random() % sides); };
  test::TraceSketch b;
  std::vector<std::int64_t> end(3);
  std::vector<TraceIndex> last(3, none);
  for (const char* name : {"a", "b", "c"}) b.stream(name);
  b.event("e");
  TraceIndex recorded = none;
  for (int i = 0; i < 60; ++i) {
    const TraceIndex s = dice(3);
    std::int64_t start = std::max(end[s], b.now_ns);
    const unsigned action = dice(6);
    TraceIndex index = none;
    if (action < 3) {
      const std::int64_t length = unit_ns * dice(2) * dice(5);
      index = b.operation(CallKind::launch, OperationKind::kernel, s, "k", start, start + length);
    } else if (action == 3 || (action == 4 && recorded == none)) {
      index = b.operation(CallKind::record, OperationKind::record, s, "", start, start);
      recorded = index;
    } else if (action == 4) {
      start = std::max(start, b.trace.operations[recorded].end_ns);
      index = b.operation(CallKind::wait, OperationKind::wait, s, "", start, start);
      b.trace.operations[index].constraint = ConstraintKind::record_wait;
      b.trace.operations[index].because = Step::operation(recorded);
      b.depend(Step::operation(recorded), Step::operation(index), DependencyKind::record_wait);
    } else if (last[s] != none) {
      b.synchronize(s, last[s]);
    }
    if (index == none) continue;
    last[s] = index;
    end[s] = b.trace.operations[index].end_ns;
  }
  return b.trace;
}

}  // namespace

TEST_CASE("What takes time is drawn exactly") {
  const Trace trace = test::example_trace();
  const Picture picture = chrome::draw(trace);
  for (const TraceIndex i : {0U, 1U, 4U}) {
    CHECK(picture.operations[i].begin_ns == trace.operations[i].start_ns);
    CHECK(picture.operations[i].end_ns == trace.operations[i].end_ns);
  }
}

TEST_CASE("A record and its wait are drawn for a nanosecond in a lane beside the work") {
  const Picture picture = chrome::draw(test::example_trace());
  for (const TraceIndex i : {2U, 3U}) {
    CHECK(picture.operations[i].begin_ns == 29'999);
    CHECK(picture.operations[i].end_ns == 30'000);
  }
  CHECK(picture.operations[2].lane != picture.operations[1].lane);
  CHECK(picture.lanes[picture.operations[2].lane].name == "s1 waits");
  CHECK(picture.lanes[picture.operations[1].lane].name == "s1");
}

TEST_CASE("The time in which a wait held its stream is drawn") {
  const Picture picture = chrome::draw(test::example_trace());
  REQUIRE(picture.blocked.size() == 1);
  CHECK(picture.blocked[0].operation == 3);
  CHECK(picture.blocked[0].slice.begin_ns == 0);
  CHECK(picture.blocked[0].slice.end_ns == 30'000);
}

TEST_CASE("There is an arrow for each launch and each dependency") {
  const Picture picture = chrome::draw(test::example_trace());
  CHECK(picture.arrows.size() == 5 + 2);
  CHECK(picture.arrows_left_out == 0);
}

TEST_CASE("Arrows are left out, and counted, where an end is not drawn") {
  const Picture picture = chrome::draw(test::rich_trace());
  CHECK(picture.arrows_left_out >= 2);  // the launch of what never started, and the unresolved one
}

TEST_CASE("Work that overlaps in one stream gets further lanes") {
  test::TraceSketch b;
  const TraceIndex s = b.stream("s");
  b.operation(CallKind::launch, OperationKind::kernel, s, "a", 0, 10);
  b.operation(CallKind::launch, OperationKind::kernel, s, "b", 5, 15);
  b.operation(CallKind::launch, OperationKind::kernel, s, "c", 10, 12);
  const Picture picture = chrome::draw(b.trace);
  CHECK(picture.operations[0].lane != picture.operations[1].lane);
  CHECK(picture.operations[0].lane == picture.operations[2].lane);
  CHECK(picture.lanes[picture.operations[1].lane].name == "s (2)");
}

TEST_CASE("Every arrow begins and ends inside of its slices and does not point back") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::int64_t unit_ns = seed % 2 == 0 ? 1'000 : 1;
    const Picture picture = chrome::draw(random_trace(seed, unit_ns));
    INFO("seed " << seed);
    CHECK(partial_overlaps(picture) == 0);
    CHECK(std::all_of(picture.arrows.begin(), picture.arrows.end(), [&](const Arrow& arrow) {
      return encloses(picture, arrow.from) && encloses(picture, arrow.to) &&
             arrow.from.time_ns <= arrow.to.time_ns;
    }));
    // A program of a few nanoseconds has no room for all of its instants.
    if (unit_ns > 1) CHECK(picture.arrows_left_out == 0);
  }
}
