// SPDX-License-Identifier: Apache-2.0
// The suite's own means, where no run stands between them and the operating system.

#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::contract {
namespace {

TEST_CASE("a world of ordinary threads runs work, starts threads and lets time pass") {
  const std::unique_ptr<World> world = ordinary_world("sim");
  CHECK(world->device_count() == 1);
  bool ran = false;
  bool passed = false;
  const std::vector<Finding> findings = world->run(1, [&] {
    const Stream stream;
    stream.launch("k", {}, [&] { ran = true; });
    const std::shared_ptr<Latch> latch = world->make_latch();
    const auto join = world->start([&] {
      CHECK(current_device() == Device("sim:0"));
      latch->wait();
      passed = true;
    });
    const Time before = world->now();
    world->pause(1ms);
    CHECK(world->now() - before >= Duration{1'000'000});
    CHECK_FALSE(latch->is_open());
    latch->open();
    join();
  });
  CHECK(ran);
  CHECK(passed);
  CHECK(findings.empty());
}

TEST_CASE("there is a world for each profile that behaves its own way") {
  REQUIRE(worlds().size() >= 2);
  CHECK_FALSE(worlds()[0]->is_measured());
  CHECK(worlds()[1]->is_measured());
}

}  // namespace
}  // namespace millrace::contract
