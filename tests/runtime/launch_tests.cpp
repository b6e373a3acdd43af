// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/stream.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int> allocations = 0;
}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads)
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND(misc-new-delete-overloads)

namespace millrace {
namespace {

using test::FakeRun;

TEST_CASE("a launch allocates nothing, body and accesses included") {
  const FakeRun run;
  run->recording = false;
  const Stream stream;
  const Name name = "k";
  const Access a{1, 0, 64};
  const Access b{2, 0, 64};
  int sum = 0;
  const int before = allocations;
  for (int i = 0; i < 1000; ++i) {
    stream.launch(name, {.grid = 8, .reads = {a}, .writes = {b}}, [&sum, i] { sum += i; });
  }
  CHECK(allocations == before);
  CHECK(run->launches == 1000);
  CHECK(sum == 499'500);
}

TEST_CASE("defaults of a launch are one block of 256 threads") {
  const LaunchOptions options;
  CHECK(options.grid.count() == 1);
  CHECK(options.block.count() == 256);
  CHECK_FALSE(options.cost);
  CHECK(Dim3(2, 3, 4).count() == 24);
}

}  // namespace
}  // namespace millrace
