// SPDX-License-Identifier: Apache-2.0
//
// The shared memory itself, where two processes would have to meet within a few instructions.
#include "shared_event.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <optional>

using namespace millrace;
using sim::Process;
using sim::SharedEvent;
using sim::SharedEventName;
using State = SharedEvent::Record::State;

TEST_CASE("records are pending, then complete at a time, or lost") {
  const std::unique_ptr<SharedEvent> event = SharedEvent::create();
  CHECK(event->latest() == 0);
  CHECK(event->begin() == 1);
  CHECK(event->begin() == 2);
  CHECK(event->latest() == 2);
  CHECK(event->record(1).state == State::pending);
  CHECK(event->record(1).owner == Process::self());
  event->complete(1, Time{7});
  event->lose(2);
  CHECK(event->record(1).state == State::complete);
  CHECK(event->record(1).completed == Time{7});
  CHECK(event->record(2).state == State::lost);
  event->abandon();
}

TEST_CASE("a record that others have taken the place of is complete only if it was before") {
  const std::unique_ptr<SharedEvent> event = SharedEvent::create();
  static_cast<void>(event->begin());
  static_cast<void>(event->begin());
  event->complete(1, Time{7});
  for (std::uint64_t i = 2; i < SharedEvent::capacity; ++i) static_cast<void>(event->begin());
  CHECK(event->has_room());
  CHECK(event->begin() == SharedEvent::capacity + 1);
  CHECK(event->record(1).state == State::complete);
  CHECK_FALSE(event->has_room());
  static_cast<void>(event->begin());  // who had seen that there was room, as another did
  CHECK(event->record(2).state == State::lost);
  event->abandon();
}

TEST_CASE("an event is opened by what its handle says, until its maker destroys it") {
  const std::unique_ptr<SharedEvent> event = SharedEvent::create();
  const std::optional<SharedEventName> name = SharedEventName::read(event->name().handle());
  REQUIRE(name);
  const std::unique_ptr<SharedEvent> opened = SharedEvent::open(*name);
  REQUIRE(opened != nullptr);
  CHECK(opened->begin() == 1);
  CHECK(event->latest() == 1);
  event->abandon();
  CHECK(opened->is_abandoned());
  CHECK(SharedEvent::open(*name) == nullptr);
}

TEST_CASE("processes of one number that began at different times are two") {
  const Process self = Process::self();
  CHECK(self.is_alive());
  CHECK_FALSE(Process{self.number, self.started + 1}.is_alive());
  CHECK_FALSE(Process{-1, 0}.is_alive());
  const std::unique_ptr<SharedEvent> event = SharedEvent::create();
  SharedEventName former = event->name();
  ++former.exporter.started;
  CHECK(SharedEvent::open(former) == nullptr);
  event->abandon();
}
