// SPDX-License-Identifier: Apache-2.0
// Memory and handles that go too early.
#include "pair.hpp"

#include <optional>
#include <utility>

namespace millrace::test {

TEST_CASE("a plain free orders nothing") {
  check_pair({"use-after-free T"}, [](World& w, bool fixed) {
    {
      const Buffer<float> temporary(16, {.name = "T"});
      w.s1.launch("fill", {.writes = {temporary}});
      if (fixed) w.s1.synchronize();
    }
  });
}

TEST_CASE("pinned memory must outlive its copy") {
  check_pair({"use-after-free T"}, [](World& w, bool fixed) {
    {
      const Buffer<float> staging(World::floats, {.kind = MemoryKind::pinned, .name = "T"});
      w.s1.copy(w.a, staging);
      if (fixed) w.s1.synchronize();
    }
  });
}

TEST_CASE("a free that waits for one of two users") {
  check_pair({"use-after-free T"}, [](World& w, bool fixed) {
    {
      const Buffer<float> shared(16, {.name = "T"});
      w.s1.launch("one", {.reads = {shared}});
      w.s2.launch("two", {.reads = {shared}});
      w.s1.synchronize();
      if (fixed) w.s2.synchronize();
    }
  });
}

TEST_CASE("a free behind the synchronization of an early event") {
  check_pair({"use-after-free T"}, [](World& w, bool fixed) {
    {
      const Buffer<float> shared(16, {.name = "T"});
      if (!fixed) w.e.record(w.s1);
      w.s1.launch("late", {.updates = {shared}});
      if (fixed) w.e.record(w.s1);
      w.e.synchronize();
    }
  });
}

TEST_CASE("a graph reads what was freed after its capture") {
  check_pair({"use-after-free T"}, [](World& w, bool fixed) {
    std::optional<Buffer<float>> source(std::in_place, World::floats,
                                        BufferOptions{.kind = MemoryKind::pinned, .name = "T"});
    Graph graph;
    graph.add_copy(w.a, *source);
    graph.instantiate().launch(w.s1);
    if (fixed) w.s1.synchronize();
    source.reset();
  });
}

}  // namespace millrace::test
