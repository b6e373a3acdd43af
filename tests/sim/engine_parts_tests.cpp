// SPDX-License-Identifier: Apache-2.0
// The mechanisms of the device model, each by itself.

#include "device_model/hardware_queues.hpp"
#include "device_model/multiprocessors.hpp"
#include "device_model/shared_rate.hpp"
#include "size_table.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <map>
#include <vector>

using namespace millrace;
using namespace millrace::sim;

namespace {

Multiprocessors device() { return Multiprocessors(MultiprocessorRules{}); }

BlockNeed need(std::uint32_t threads, std::uint32_t registers = 32, std::uint32_t shared = 0) {
  return device().need({.threads = threads,
                        .shared_bytes = shared,
                        .registers = static_cast<std::uint16_t>(registers)});
}

std::uint64_t blocks_each(const BlockNeed& of) { return device().capacity(of) / 132; }

std::map<std::uint32_t, Time> ends(SharedRate& rate) {
  std::map<std::uint32_t, Time> told;
  rate.tell_ends([&](std::uint32_t slot, Time end) { told[slot] = end; });
  return told;
}

}  // namespace

TEST_CASE("Occupancy follows threads, blocks, registers and shared memory", "[engine]") {
  CHECK(blocks_each(need(1024)) == 2);
  CHECK(blocks_each(need(32)) == 32);
  CHECK(blocks_each(need(33)) == 32);  // two warps: still limited by blocks
  CHECK(blocks_each(need(96)) == 21);
  CHECK(blocks_each(need(256, 64)) == 4);
  CHECK(blocks_each(need(256, 65)) == 3);    // 72 registers a thread: 7 warps in each of 4 files
  CHECK(blocks_each(need(1024, 255)) == 1);  // an impossible block still runs, alone
  CHECK(blocks_each(need(32, 32, 112U << 10U)) == 2);
  CHECK(blocks_each(need(32, 32, (113U << 10U) + 1)) == 1);
}

TEST_CASE("Blocks go to the multiprocessor with most room, the lowest of equals", "[engine]") {
  Multiprocessors room = device();
  const BlockNeed half = need(1024);
  std::vector<PlacedBlocks> first;
  CHECK(room.place(half, 3, first) == 3);
  CHECK(first[0].multiprocessor == 0);
  CHECK(first[2].multiprocessor == 2);
  std::vector<PlacedBlocks> second;
  CHECK(room.place(half, 130, second) == 130);
  CHECK(second.front().multiprocessor == 3);
  CHECK(second.back().multiprocessor == 0);  // all hold one now
  std::vector<PlacedBlocks> rest;
  CHECK(room.place(half, 1000, rest) == 131);
  CHECK(room.place(half, 1, rest) == 0);
  room.remove(half, first);
  room.remove(half, second);
  CHECK_FALSE(room.empty());
  room.remove(half, rest);
  CHECK(room.empty());
}

TEST_CASE("Transfers that share a rate end later, and sooner when others leave", "[engine]") {
  SharedRate rate;
  rate.join(1, Duration{1000}, Time{0});
  CHECK(ends(rate).at(1) == Time{1000});
  CHECK(ends(rate).empty());  // told already
  rate.join(2, Duration{1000}, Time{500});
  rate.set_slowdown(2000, Time{500});
  const auto both = ends(rate);
  CHECK(both.at(1) == Time{1500});
  CHECK(both.at(2) == Time{2500});
  rate.leave(1, Time{1500});
  rate.set_slowdown(1000, Time{1500});
  CHECK(ends(rate).at(2) == Time{2000});
}

TEST_CASE("A slowdown that is no whole number never ends a transfer too early", "[engine]") {
  SharedRate rate;
  rate.set_slowdown(1094, Time{0});
  rate.join(1, Duration{1'000'000}, Time{0});
  CHECK(ends(rate).at(1) == Time{1'094'000});
  // Accounting at odd times must not lose time.
  for (int i = 1; i < 1000; ++i) rate.set_slowdown(i % 2 == 0 ? 1094 : 1093, Time{i * 997});
  rate.set_slowdown(1094, Time{997'000});
  const Time end = ends(rate).at(1);
  CHECK(end >= Time{1'093'400});
  CHECK(end <= Time{1'094'000});
}

TEST_CASE("Sizes between two rows take a time between theirs", "[engine]") {
  const SizeTable table({{0, Duration{100}}, {1000, Duration{200}}, {2000, Duration{1200}}});
  CHECK(table.at(0) == Duration{100});
  CHECK(table.at(500) == Duration{150});
  CHECK(table.at(1000) == Duration{200});
  CHECK(table.at(1500) == Duration{700});
  CHECK(table.at(4000) == Duration{3200});  // as the last two rise
  CHECK(table.at(std::uint64_t{1} << 40U).ns > 1'000'000'000'000);
  CHECK(table.least() == Duration{100});
  CHECK(SizeTable{}.at(7) == Duration{0});
}

TEST_CASE("A stream takes the queue with fewest busy streams when it becomes busy", "[engine]") {
  HardwareQueues queues({.count = 2, .assignment = QueueAssignment::busy});
  for (int i = 0; i < 3; ++i) queues.add_stream(true);
  CHECK_FALSE(queues.enqueue({.slot = 0, .stream = 2, .in_queue = true}));
  CHECK_FALSE(queues.enqueue({.slot = 1, .stream = 0, .in_queue = true}));
  CHECK(queues.queue_of(2) == 0);
  CHECK(queues.queue_of(0) == 1);
  CHECK(queues.enqueue({.slot = 2, .stream = 1, .in_queue = true}));  // behind stream 2's
  CHECK(queues.queue_of(1) == 0);
  CHECK(queues.pass_on({.slot = 0, .stream = 2, .in_queue = true}) == 2);
  CHECK(queues.pass_on({.slot = 1, .stream = 0, .in_queue = true}) == no_slot);
}
