// SPDX-License-Identifier: Apache-2.0
//
// How long traces are read: in one walk, with memory for what is under way.
#include "found.hpp"
#include "order.hpp"
#include "random_program.hpp"
#include "row_set.hpp"
#include "stamp_table.hpp"
#include "walk.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace millrace::test {
namespace {

using checker::Keep;
using checker::Order;
using checker::RowSet;
using checker::Scope;
using checker::StampTable;
using checker::Steps;
using checker::Walk;

std::vector<TraceIndex> sequences(const Trace& trace) {
  std::vector<TraceIndex> all;
  Walk walk(trace);
  for (Step step = walk.next(); step.exists(); step = walk.next()) {
    all.push_back(step.is_call ? trace.calls[step.index].sequence
                               : trace.operations[step.index].sequence);
  }
  return all;
}

/// Rounds of two streams that hand a buffer back and forth, with new events, streams and memory in
/// each: nothing of a round matters two rounds later.
Trace long_run(int rounds) {
  TraceBuilder b;
  const TraceIndex a = b.buffer("A");
  for (int i = 0; i < rounds; ++i) {
    const TraceIndex one = b.stream("one");
    const TraceIndex two = b.stream("two");
    const TraceIndex ready = b.event("ready");
    const TraceIndex memory = b.alloc(one, "T", 64);
    b.kernel(one, "fill").writes(a).writes(memory);
    b.free(one, memory);
    b.record(one, ready);
    b.wait(two, ready);
    b.kernel(two, "use").reads(a);
    b.sync_stream(two);
  }
  return b.build();
}

/// The most clocks and stamps that one walk over the trace keeps.
std::size_t most_room(const Trace& trace) {
  const Steps steps(trace);
  Order order(steps, Scope::everything, nullptr, Keep::live_steps);
  std::size_t most = 0;
  Walk walk(trace);
  for (Step step = walk.next(); step.exists(); step = walk.next()) {
    order.feed(step);
    order.forget(step);
    most = std::max(most, order.room() + walk.room());
  }
  CHECK(order.is_sure());
  return most;
}

}  // namespace

TEST_CASE("a walk gives each step that happened once, in order") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Trace trace = RandomProgram(seed).trace();
    std::vector<TraceIndex> expected;
    for (const HostCall& call : trace.calls) expected.push_back(call.sequence);
    for (const Operation& operation : trace.operations) expected.push_back(operation.sequence);
    std::erase(expected, none);
    std::sort(expected.begin(), expected.end());
    REQUIRE(sequences(trace) == expected);
  }
}

TEST_CASE("a walk over a damaged trace gives each step once, too") {
  Trace trace = RandomProgram(7).trace();
  REQUIRE(trace.operations.size() > 4);
  trace.operations[0].sequence = 0;  // taken by a call
  trace.operations[1].sequence = 4'000'000'000;
  trace.operations[2].sequence = trace.operations[3].sequence;
  std::size_t happened = 0;
  for (const HostCall& call : trace.calls) happened += call.sequence != none ? 1U : 0U;
  for (const Operation& each : trace.operations) happened += each.sequence != none ? 1U : 0U;
  CHECK(sequences(trace).size() == happened);
}

TEST_CASE("a long run is followed with the memory of a short one") {
  const std::size_t some = most_room(long_run(5'000));
  const std::size_t many = most_room(long_run(20'000));
  CHECK(many <= some + some / 4);
  CHECK(check(long_run(2'000)).empty());
}

TEST_CASE("numbers of a row set are those of a list") {
  std::mt19937 random(3);
  RowSet set(1000);
  std::set<std::size_t> expected;
  for (int i = 0; i < 300; ++i) {
    const std::size_t row = random() % 1001;
    set.insert(row);
    expected.insert(row);
  }
  set.seal();
  REQUIRE(set.size() == expected.size());
  std::size_t number = 0;
  for (std::size_t row = 0; row <= 1000; ++row) {
    REQUIRE(set.contains(row) == expected.contains(row));
    if (set.contains(row)) REQUIRE(set.number(row) == number++);
  }
}

TEST_CASE("a stamp table keeps what is used, and no more") {
  struct Entry {
    std::uint32_t uses = 0;
    TraceIndex value = none;
  };
  StampTable<Entry> table;
  const std::size_t empty = table.size();
  for (TraceIndex i = 0; i < 100'000; ++i) {
    table.add(i) = {i % 1000 == 0 ? 1U : 0U, i};
    REQUIRE(table.find(i)->value == i);
  }
  for (TraceIndex i = 0; i < 90'000; i += 1000) REQUIRE(table.find(i)->value == i);
  CHECK(table.find(1) == nullptr);
  CHECK(table.size() >= empty + 90);
  for (TraceIndex i = 0; i < 100'000; i += 1000) table.release(i);
  CHECK(table.size() == empty);
  table.add(5) = {0, 5};  // long behind the others
  CHECK(table.find(5)->value == 5);
  table.drop_unused(5);
  CHECK(table.find(5) == nullptr);
}

}  // namespace millrace::test
