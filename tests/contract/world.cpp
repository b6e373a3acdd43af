// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace millrace::contract {
namespace {

World* current = nullptr;

std::vector<Finding> run(World& in, int devices, const std::function<void()>& body) {
  current = &in;
  return in.run(devices, body);
}

}  // namespace

const std::vector<World*>& worlds() {
  static const std::vector<World*> all = [] {
    std::vector<World*> found{ideal_world(), h200_world()};
    if (device_count("cuda") > 0) {
      static const std::unique_ptr<World> cuda = ordinary_world("cuda");
      found.push_back(cuda.get());
    }
    return found;
  }();
  return all;
}

World& world() { return *current; }

void in_every_world(const std::function<void()>& body) {
  for (World* const in : worlds()) {
    DYNAMIC_SECTION("in " << in->name()) {
      current = in;
      body();
    }
  }
}

void on_every_backend(const std::function<void()>& body) { on_every_backend(1, body); }

void on_every_backend(int devices, const std::function<void()>& body) {
  for (World* const in : worlds()) {
    DYNAMIC_SECTION("on " << in->name()) {
      if (in->device_count() < devices) SKIP("needs " << devices << " devices");
      run(*in, devices, body);
    }
  }
}

void check_on_every_backend(const std::function<void()>& body,
                            const std::function<void(const std::vector<Finding>&)>& look) {
  for (World* const in : worlds()) {
    DYNAMIC_SECTION("on " << in->name()) { look(run(*in, 1, body)); }
  }
}

Device device(int index) {
  return Device{std::string(world().type()) + ":" + std::to_string(index)};
}

Gate::Gate(const Stream& stream) : latch_(world().make_latch()) {
  stream.call("gate", [latch = latch_] { latch->wait(); });
}

bool blocks(Gate& gate, const std::function<void()>& call) {
  const auto join_watchdog = world().start([&gate] {
    world().pause(150ms);
    gate.open();
  });
  call();
  const bool blocked = gate.is_open();
  gate.open();
  join_watchdog();
  return blocked;
}

void settle() { world().pause(20ms); }

Errc code_of(const std::function<void()>& call) {
  try {
    call();
    return Errc::Success;
  } catch (const Error& error) {
    return error.code();
  }
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace millrace::contract
