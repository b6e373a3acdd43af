// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/stream_pool.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace millrace {
namespace {

using test::FakeBackend;
using test::FakeRun;

TEST_CASE("a pool hands out 32 streams in turn") {
  const FakeRun run;
  StreamPool pool;
  std::vector<Stream> streams;
  streams.reserve(40);
  for (int i = 0; i < 40; ++i) streams.push_back(pool.get());
  CHECK(std::unordered_set<Stream>(streams.begin(), streams.end()).size() == 32);
  CHECK(streams[32] == streams[0]);
  CHECK(streams[39] == streams[7]);
  CHECK(run->streams.size() == 32);
  CHECK_FALSE(run->streams.begin()->second.blocking);
}

TEST_CASE("a pool that was moved from still shares its streams") {
  const FakeRun run;
  StreamPool pool;
  const Stream first = pool.get();
  StreamPool other = std::move(pool);
  for (int i = 0; i < 31; ++i) static_cast<void>(other.get());
  CHECK(pool.get() == first);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("each device and each priority has streams of its own, priorities as clamped") {
  const FakeRun run(2);
  StreamPool pool;
  const Stream plain = pool.get("fake:0");
  const Stream urgent = pool.get("fake:0", -2);
  const Stream elsewhere = pool.get("fake:1");
  CHECK_FALSE(plain == urgent);
  CHECK_FALSE(plain == elsewhere);
  CHECK(urgent.priority() == -2);
  CHECK(elsewhere.device() == Device{"fake:1"});
  for (int i = 1; i < 32; ++i) static_cast<void>(pool.get("fake:0", 100));
  CHECK(pool.get("fake:0") == plain);
}

TEST_CASE("copies of a pool share its streams, and the last one releases them") {
  const FakeRun run;
  {
    StreamPool pool;
    StreamPool copy = pool;
    const Stream first = pool.get();
    CHECK_FALSE(copy.get() == first);
    for (int i = 2; i < 32; ++i) static_cast<void>(copy.get());
    CHECK(pool.get() == first);
  }
  CHECK(run->streams.empty());
}

/// A backend that many threads may use at once.
class QuietBackend : public FakeBackend {
 public:
  Handle create_stream(const StreamDescription&, const CallSite&) override { return next_++; }
  void destroy_stream(Handle, const CallSite&) override {}

 private:
  std::atomic<Handle> next_ = 1;
};

TEST_CASE("threads take different streams of one pool") {
  const Device device(std::make_shared<QuietBackend>(), 0);
  StreamPool pool;
  std::vector<std::vector<Stream>> taken(4);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (auto& mine : taken) {
    threads.emplace_back([&] {
      for (int i = 0; i < 8; ++i) mine.push_back(pool.get(device));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::unordered_set<Stream> all;
  for (const auto& mine : taken) all.insert(mine.begin(), mine.end());
  CHECK(all.size() == 32);
}

}  // namespace
}  // namespace millrace
