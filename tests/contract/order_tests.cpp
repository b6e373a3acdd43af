// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <optional>

// The situations of PyTorch's stream sanitizer tests. A kernel "uses" a buffer as they say; at the
// end the device is synchronized, so that freeing the buffers is no finding.

namespace millrace::contract {
namespace {

using Findings = std::vector<Finding>;

std::ptrdiff_t count(const Findings& findings, FindingKind kind) {
  return std::count_if(findings.begin(), findings.end(),
                       [kind](const Finding& finding) { return finding.kind == kind; });
}

void expect_clean(const Findings& findings) { CHECK(findings.empty()); }

void expect_one_race(const Findings& findings) {
  CHECK(findings.size() == 1);
  CHECK(count(findings, FindingKind::race) == 1);
}

/// What the situations share.
struct Scene {
  Buffer<char> a{64, BufferOptions{.name = "A"}};
  Buffer<char> b{64, BufferOptions{.name = "B"}};
  Stream first{StreamOptions{.name = "first"}};
  Stream second{StreamOptions{.name = "second"}};
  Stream third{StreamOptions{.name = "third"}};

  ~Scene() { first.device().synchronize(); }
};

void reads(const Stream& stream, const Buffer<char>& buffer) {
  stream.launch("reader", {.reads = {buffer}});
}
void writes(const Stream& stream, const Buffer<char>& buffer) {
  stream.launch("writer", {.writes = {buffer}});
}

TEST_CASE("order: a launch that touches nothing is fine") {
  check_on_every_backend([] { Scene{}.first.launch("k"); }, expect_clean);
}

TEST_CASE("order: two streams may read the same buffer") {
  check_on_every_backend(
      [] {
        const Scene scene;
        reads(scene.first, scene.a);
        reads(scene.second, scene.a);
      },
      expect_clean);
}

TEST_CASE("order: a read and a write in two streams are a race") {
  check_on_every_backend(
      [] {
        const Scene scene;
        reads(scene.first, scene.a);
        writes(scene.second, scene.a);
      },
      [](const Findings& findings) {
        expect_one_race(findings);
        CHECK(findings.front().object == "A");
        CHECK(findings.front().begin == 0);
        CHECK(findings.front().end == 64);
        CHECK(findings.front().first.operation == "reader");
        CHECK(findings.front().second.operation == "writer");
      });
}

TEST_CASE("order: record and wait between them make it right") {
  check_on_every_backend(
      [] {
        const Scene scene;
        reads(scene.first, scene.a);
        scene.second.wait_event(scene.first.record_event());
        writes(scene.second, scene.a);
      },
      expect_clean);
}

TEST_CASE("order: every later read is checked against the last write, not just the first") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.a);
        scene.second.wait_stream(scene.first);
        reads(scene.second, scene.a);
        reads(scene.third, scene.a);
      },
      [](const Findings& findings) {
        expect_one_race(findings);
        CHECK(findings.front().second.stream == "third");
      });
}

TEST_CASE(
    "order: two branches may read after a write, but one's write races with the other's read") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.a);
        const Event written = scene.first.record_event();
        scene.second.wait_event(written);
        scene.third.wait_event(written);
        reads(scene.second, scene.a);
        reads(scene.third, scene.a);
        writes(scene.second, scene.a);
      },
      expect_one_race);
}

TEST_CASE("order: a chain of ten streams is transitive") {
  check_on_every_backend(
      [] {
        const Scene scene;
        std::vector<Stream> chain(1, scene.first);
        for (int i = 1; i < 10; ++i) chain.emplace_back();
        writes(chain.front(), scene.a);
        for (std::size_t i = 1; i < chain.size(); ++i) chain[i].wait_stream(chain[i - 1]);
        writes(chain.back(), scene.a);
      },
      expect_clean);
}

TEST_CASE("order: work after a record is not covered by it") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.b);
        const Event early = scene.first.record_event();
        writes(scene.first, scene.a);
        scene.second.wait_event(early);
        writes(scene.second, scene.a);
      },
      expect_one_race);
}

TEST_CASE("order: a new event in the place of a recorded one makes its wait worthless") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.a);
        Event event(EventOptions{.device = device(0)});
        event.record(scene.first);
        event = Event(EventOptions{.device = device(0)});
        scene.second.wait_event(event);
        reads(scene.second, scene.a);
      },
      [](const Findings& findings) {
        CHECK(count(findings, FindingKind::race) == 1);
        CHECK(count(findings, FindingKind::unrecorded_wait) == 1);
        CHECK(findings.size() == 2);
      });
}

TEST_CASE("order: a wait enqueued before the event went away still orders") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.a);
        { scene.second.wait_event(scene.first.record_event()); }
        writes(scene.second, scene.a);
      },
      expect_clean);
}

TEST_CASE("order: a write must come after all readers, not after most of them") {
  check_on_every_backend(
      [] {
        const Scene scene;
        reads(scene.first, scene.a);
        reads(scene.second, scene.a);
        scene.third.wait_stream(scene.second);
        writes(scene.third, scene.a);
      },
      [](const Findings& findings) {
        expect_one_race(findings);
        CHECK(findings.front().first.stream == "first");
      });
}

TEST_CASE("order: a write after all readers is fine") {
  check_on_every_backend(
      [] {
        const Scene scene;
        reads(scene.first, scene.a);
        reads(scene.second, scene.a);
        scene.third.wait_stream(scene.first);
        scene.third.wait_stream(scene.second);
        writes(scene.third, scene.a);
      },
      expect_clean);
}

TEST_CASE("order: one launch that conflicts on two buffers is two races") {
  check_on_every_backend(
      [] {
        const Scene scene;
        scene.first.launch("both", {.writes = {scene.a, scene.b}});
        scene.second.launch("both", {.updates = {scene.a, scene.b}});
      },
      [](const Findings& findings) {
        CHECK(findings.size() == 2);
        CHECK(count(findings, FindingKind::race) == 2);
      });
}

TEST_CASE("order: a wait adds to what its stream already comes after") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.a);
        writes(scene.second, scene.b);
        scene.third.wait_stream(scene.first);
        scene.third.wait_stream(scene.second);
        reads(scene.third, scene.a);
        reads(scene.third, scene.b);
      },
      expect_clean);
}

TEST_CASE("order: a record on another stream loses the first record") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.a);
        Event event;
        event.record(scene.first);
        event.record(scene.second);
        scene.third.wait_event(event);
        reads(scene.third, scene.a);
      },
      expect_one_race);
}

TEST_CASE("order: several streams may wait for one event") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.a);
        const Event event = scene.first.record_event();
        scene.second.wait_event(event);
        scene.third.wait_event(event);
        reads(scene.second, scene.a);
        reads(scene.third, scene.a);
      },
      expect_clean);
}

TEST_CASE("order: synchronizing device, stream or event orders what the host enqueues next") {
  const std::vector<std::function<void(const Scene&)>> ways{
      [](const Scene&) { current_device().synchronize(); },
      [](const Scene& scene) { scene.first.synchronize(); },
      [](const Scene& scene) { scene.first.record_event().synchronize(); },
      [](const Scene& scene) {
        while (!scene.first.query()) {
        }
      },
  };
  for (const auto& way : ways) {
    check_on_every_backend(
        [&] {
          const Scene scene;
          writes(scene.first, scene.a);
          way(scene);
          writes(scene.second, scene.a);
        },
        expect_clean);
  }
}

TEST_CASE("order: synchronizing the device covers streams that are destroyed and done") {
  check_on_every_backend(
      [] {
        const Scene scene;
        {
          const Stream brief;
          writes(brief, scene.a);
          settle();
        }
        current_device().synchronize();
        writes(scene.second, scene.a);
      },
      expect_clean);
}

TEST_CASE("order: synchronizing another stream orders nothing") {
  check_on_every_backend(
      [] {
        const Scene scene;
        writes(scene.first, scene.a);
        scene.third.synchronize();
        writes(scene.second, scene.a);
      },
      expect_one_race);
}

TEST_CASE("order: freeing a buffer that a kernel may still use is a use after free") {
  check_on_every_backend(
      [] {
        const Stream stream;
        std::optional<Buffer<char>> buffer{Buffer<char>(64, BufferOptions{.name = "gone"})};
        writes(stream, *buffer);
        buffer.reset();
        stream.synchronize();
      },
      [](const Findings& findings) {
        REQUIRE(findings.size() == 1);
        CHECK(findings.front().kind == FindingKind::use_after_free);
        CHECK(findings.front().object == "gone");
      });
}

TEST_CASE("order: the host reads a result only after it was synchronized") {
  for (const bool waits : {true, false}) {
    check_on_every_backend(
        [waits] {
          const Scene scene;
          const Buffer<char> result(64, BufferOptions{.kind = MemoryKind::pinned, .name = "R"});
          scene.first.copy(result, scene.a);
          if (waits) scene.first.synchronize();
          static_cast<void>(result.read());
          scene.first.synchronize();
        },
        waits ? expect_clean : expect_one_race);
  }
}

}  // namespace
}  // namespace millrace::contract
