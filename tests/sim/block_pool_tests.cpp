// SPDX-License-Identifier: Apache-2.0
// What memory pools are made of.

#include "address_space.hpp"
#include "block_pool.hpp"
#include "stream_order.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace millrace::sim;

namespace {

constexpr std::uint64_t chunk = 1 << 14;
const auto anyone = [](const Freed&) { return true; };
const auto nobody = [](const Freed& freed) { return freed.by.serial == 0; };

/// Blocks in use, by address.
using Blocks = std::map<std::uint64_t, std::uint64_t>;

bool fits(const Blocks& blocks, std::uint64_t begin, std::uint64_t bytes) {
  const auto next = blocks.lower_bound(begin);
  if (next != blocks.end() && next->first < begin + bytes) return false;
  if (next == blocks.begin()) return true;
  const auto before = std::prev(next);
  return before->first + before->second <= begin;
}

std::uint64_t take_or_grow(BlockPool& pool, std::uint64_t bytes) {
  if (const auto block = pool.take(bytes, anyone)) return block->address;
  const auto growth = pool.growth(bytes, anyone);
  REQUIRE(growth);
  return pool.grow(growth->address, bytes).address;
}

}  // namespace

TEST_CASE("blocks never overlap, lie in what is reserved, and come back whole") {
  std::mt19937 random(3);
  BlockPool pool(chunk, chunk);
  Blocks live;
  std::uint64_t serial = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (live.empty() || random() % 2 == 0) {
      const std::uint64_t bytes = 1 + random() % 5000;
      const std::uint64_t address = take_or_grow(pool, bytes);
      if (address % block_alignment != 0 || !fits(live, address, bytes)) {
        FAIL("step " << step << ": " << bytes << " bytes at " << address);
      }
      live[address] = bytes;
    } else {
      const auto freed = std::next(live.begin(), static_cast<long>(random() % live.size()));
      pool.give(freed->first, freed->second, {.stream = 0, .by = {.serial = ++serial}});
      live.erase(freed);
    }
    if (step % 100 == 0) pool.settle(anyone);
    if (step % 500 == 0) pool.release(random() % (4 * chunk));
    std::uint64_t used = 0;
    for (const auto& [address, bytes] : live) used += round_up(bytes, block_alignment);
    if (pool.reserved() < used || pool.reserved() % chunk != 0) FAIL("step " << step);
  }
  for (const auto& [address, bytes] : live) pool.give(address, bytes, {});
  pool.settle(anyone);
  CHECK(pool.release(0) % chunk == 0);
  CHECK(pool.reserved() == 0);
}

TEST_CASE("a block is made of what may be used, and tells which frees it is behind") {
  BlockPool pool(0, chunk);
  const std::uint64_t left = take_or_grow(pool, chunk / 2);
  const std::uint64_t right = take_or_grow(pool, chunk / 2);
  pool.give(left, chunk / 2, {.stream = 1, .by = {.serial = 7}});
  pool.give(right, chunk / 2, {.stream = 2, .by = {.serial = 9}});
  CHECK(pool.oldest_free() == 7);
  CHECK_FALSE(pool.take(chunk, nobody));
  CHECK_FALSE(pool.take(chunk, [](const Freed& freed) { return freed.by.serial == 7; }));
  const auto whole = pool.take(chunk, anyone);
  REQUIRE(whole);
  CHECK(whole->address == left);
  std::set<std::uint64_t> behind;
  for (const Freed& freed : whole->freed) behind.insert(freed.by.serial);
  CHECK(behind == std::set<std::uint64_t>{7, 9});
}

TEST_CASE("what a free is pending on stays reserved") {
  BlockPool pool(0, chunk);
  const std::uint64_t block = take_or_grow(pool, 3 * chunk);
  pool.give(block, 3 * chunk, {.stream = 0, .by = {.serial = 1}});
  CHECK(pool.release(0) == 0);
  pool.settle(anyone);
  CHECK(pool.release(chunk) == 2 * chunk);
  CHECK(pool.release(chunk) == 0);
  CHECK(pool.release(0) == chunk);
}

TEST_CASE("the order between streams is followed over any number of them") {
  StreamOrder order;
  order.note({.stream = 1, .serial = 20}, {.stream = 0, .serial = 10});
  order.note({.stream = 2, .serial = 30}, {.stream = 1, .serial = 25});
  order.note({.stream = 3, .serial = 40}, {.stream = 2, .serial = 29});
  const std::vector<StreamPlace> second{{.stream = 2, .serial = 31}};
  CHECK(order.before(second).covers({.stream = 0, .serial = 10}));
  CHECK_FALSE(order.before(second).covers({.stream = 0, .serial = 11}));
  CHECK(order.before(second).covers({.stream = 1, .serial = 25}));
  const std::vector<StreamPlace> third{{.stream = 3, .serial = 50}};  // joined before the second's
  CHECK_FALSE(order.before(third).covers({.stream = 1, .serial = 1}));
  order.forget_before(30);
  CHECK(order.size() == 2);
}

TEST_CASE("plain allocations get the lowest addresses that are free") {
  AddressSpace space(1 << 20);
  const std::uint64_t first = space.take(1000);
  const std::uint64_t second = space.take(1);
  const std::uint64_t third = space.take(1);
  CHECK(second - first == 1024);
  CHECK(third - second == 512);
  space.give(first, 1000);
  space.give(second, 1);
  CHECK(space.take(1536) == first);
  CHECK(space.take(1) > third);
}
