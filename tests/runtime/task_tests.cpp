// SPDX-License-Identifier: Apache-2.0
#include <millrace/task.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <functional>
#include <memory>

namespace millrace {
namespace {

void plain_function() {}

TEST_CASE("a task calls what it holds") {
  int calls = 0;
  Task task = [&] { ++calls; };
  REQUIRE(task);
  task();
  CHECK(calls == 1);
  CHECK_FALSE(Task{});
  CHECK_FALSE(Task{nullptr});
}

TEST_CASE("a callable that is null makes an empty task") {
  using Pointer = void (*)();
  CHECK_FALSE(Task{Pointer{nullptr}});
  CHECK_FALSE(Task{std::function<void()>{}});
  CHECK(Task{Pointer{[] {}}});
  CHECK(Task{std::function<void()>{[] {}}});
  CHECK(Task{[] {}});
  CHECK(Task{plain_function});
}

TEST_CASE("a task that was moved from is empty") {
  int calls = 0;
  Task task = [&] { ++calls; };
  Task other = std::move(task);
  CHECK_FALSE(task);  // NOLINT(bugprone-use-after-move)
  other();
  task = std::move(other);
  task();
  CHECK(calls == 2);
}

TEST_CASE("what a task holds goes with it, small or large, move-only or not") {
  const auto watched = std::make_shared<int>(0);
  {
    Task small = [watched] {};
    Task large = [watched, padding = std::array<char, 100>{}] { static_cast<void>(padding); };
    Task move_only = [watched, owner = std::make_unique<int>(1)] { static_cast<void>(owner); };
    Task moved = std::move(large);
    CHECK(watched.use_count() == 4);
    small.reset();
    CHECK(watched.use_count() == 3);
    moved = std::move(move_only);
    CHECK(watched.use_count() == 2);
  }
  CHECK(watched.use_count() == 1);
}

}  // namespace
}  // namespace millrace
