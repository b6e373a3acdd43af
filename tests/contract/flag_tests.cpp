// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace millrace::contract {
namespace {

/// Whether a wait of a stream for `flag`, which has the value `value`, is over at once.
bool passes(std::uint32_t value, FlagCondition condition, std::uint32_t wanted) {
  const Flag flag;
  const Stream setter;
  const Stream waiter;
  setter.set_flag(flag, value);
  setter.synchronize();
  waiter.await_flag(flag, condition, wanted);
  settle();
  const bool passed = waiter.query();
  for (const std::uint32_t cure : {wanted, ~std::uint32_t{0}}) setter.set_flag(flag, cure);
  setter.synchronize();
  return passed;
}

TEST_CASE("a flag is compared as CUDA's stream memory operations compare") {
  on_every_backend([] {
    using enum FlagCondition;
    CHECK(passes(0, greater_or_equal, 0));
    CHECK(passes(7, greater_or_equal, 5));
    CHECK_FALSE(passes(4, greater_or_equal, 5));
    CHECK(passes(2, greater_or_equal, 0xffff'fffe));  // cyclic: 4 beyond
    CHECK(passes(5, equal, 5));
    CHECK_FALSE(passes(6, equal, 5));
    CHECK(passes(6, bits, 4));
    CHECK_FALSE(passes(3, bits, 4));
  });
}

TEST_CASE("a stream waits for a flag until another one sets it, and the order holds") {
  check_on_every_backend(
      [] {
        const Buffer<char> data(64, {.name = "data"});
        const Flag ready({.name = "ready"});
        const Stream consumer;
        consumer.await_flag(ready, FlagCondition::greater_or_equal, 1);
        consumer.launch("use", {.reads = {data}});
        settle();
        CHECK_FALSE(consumer.query());
        const Stream producer;
        producer.launch("fill", {.writes = {data}});
        producer.set_flag(ready, 1);
        consumer.synchronize();
      },
      [](const std::vector<Finding>& findings) { CHECK(findings.empty()); });
}

TEST_CASE("a flag that is gone or of another backend is an error that says where it came from") {
  on_every_backend([] {
    const Stream stream;
    const Handle gone = [&] {
      const Flag flag({.name = "brief"});
      return flag.handle_for(device(0), {"test", SourceLocation::current()});
    }();
    const std::string text = message_of([&] {
      device(0).backend().set_flag(stream.handle(), gone, 1, {"set_flag", {}});
    });
    CHECK(text.find("InvalidResourceHandle: flag 'brief' (made at") != std::string::npos);
    CHECK(text.find("was destroyed") != std::string::npos);
  });
}

TEST_CASE("what was enqueued on a flag completes when the flag goes") {
  on_every_backend([] {
    const Stream setter;
    const Stream waiter;
    {
      const Flag flag;
      Gate gate{setter};
      setter.set_flag(flag, 1);
      waiter.await_flag(flag, FlagCondition::equal, 1);
    }
    waiter.synchronize();
    CHECK(setter.query());
  });
}

TEST_CASE("nodes set flags and wait for them at each launch") {
  on_every_backend([] {
    const Flag go({.name = "go"});
    const Flag done({.name = "done"});
    Graph graph;
    const NodeId wait = graph.add_await_flag(go, FlagCondition::equal, 1);
    const NodeId reset = graph.add_set_flag(go, 0, {wait});
    graph.add_set_flag(done, 1, {reset});
    CHECK(graph.info().nodes[0].kind == NodeKind::await_flag);
    CHECK(graph.info().nodes[2].kind == NodeKind::set_flag);
    const GraphExec executable = graph.instantiate();
    const Stream launcher;
    const Stream other;
    for (int i = 0; i < 2; ++i) {
      executable.launch(launcher);
      settle();
      CHECK_FALSE(launcher.query());
      other.set_flag(go, 1);
      other.await_flag(done, FlagCondition::equal, 1);
      other.set_flag(done, 0);
      launcher.synchronize();
    }
  });
}

}  // namespace
}  // namespace millrace::contract
