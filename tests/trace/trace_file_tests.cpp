// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"
#include "rich_trace.hpp"

#include <millrace/trace_file.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

namespace fs = std::filesystem;
using namespace millrace;
using test::written;

namespace {

/// A folder that is gone at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() /
                  ("millrace-trace-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));

  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
  }
};

/// Enough rows for several blocks, and numbers that need all widths.
Trace long_trace(std::size_t count) {
  test::TraceSketch b;
  const TraceIndex s = b.stream("s");
  std::uint64_t random = 88'172'645'463'325'252U;
  for (std::size_t i = 0; i < count; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    b.now_ns += static_cast<std::int64_t>(random % 1'000);
    const std::string name = "k" + std::to_string(i % 9'000 * (random % 2));
    const auto start = b.now_ns + static_cast<std::int64_t>(random % 77);
    const auto index = b.operation(CallKind::launch, OperationKind::kernel, s,
                                   i < 20'000 ? "k" : name, start, start + 5);
    b.trace.operations[index].bytes = random >> (random % 64);
  }
  return b.trace;
}

}  // namespace

TEST_CASE("A trace comes back from its file as it was") {
  for (const Trace& trace : {test::example_trace(), test::rich_trace()}) {
    CHECK(read_trace(written(trace)) == trace);
  }
}

TEST_CASE("The empty trace comes back as it was") {
  CHECK(read_trace(written(Trace{})) == Trace{});
}

TEST_CASE("A trace of many blocks comes back as it was") {
  for (const std::size_t count : {trace_block_rows - 1, trace_block_rows, trace_block_rows + 1}) {
    const Trace trace = long_trace(count);
    CHECK(read_trace(written(trace)) == trace);
  }
}

TEST_CASE("Strings fill several blocks") {
  Trace trace;
  for (std::size_t i = 1; i < 2 * trace_block_rows + 3; ++i) {
    trace.strings.push_back(i % 3 == 0 ? "" : std::string(i % 50, static_cast<char>(i)));
  }
  CHECK(read_trace(written(trace)) == trace);
}

TEST_CASE("Equal traces give equal bytes") {
  CHECK(written(test::rich_trace()) == written(test::rich_trace()));
  CHECK(written(test::rich_trace()) != written(test::example_trace()));
}

TEST_CASE("The format stays what it is") {
  CHECK(test::is_golden("rich.mtrace", test::written_text(test::rich_trace())));
  CHECK(read_trace("tests/trace/golden/rich.mtrace") == test::rich_trace());
}

TEST_CASE("A trace is small in its file") {
  const Trace trace = long_trace(20'000);
  const std::size_t in_memory = trace.operations.size() * (sizeof(Operation) + sizeof(HostCall));
  CHECK(written(trace).size() * 5 < in_memory);
}

TEST_CASE("A file appears under its name when it is complete, and alone") {
  const Folder folder;
  const fs::path path = folder.path / "a.mtrace";
  write_trace(test::example_trace(), path);
  write_trace(test::rich_trace(), path);
  CHECK(folder.count() == 1);
  CHECK(read_trace(path) == test::rich_trace());
}

TEST_CASE("A trace that is refused leaves no file and spoils none") {
  const Folder folder;
  const fs::path path = folder.path / "a.mtrace";
  write_trace(test::example_trace(), path);
  Trace wrong = test::example_trace();
  wrong.operations[0].stream = 9;
  CHECK_THROWS_AS(write_trace(wrong, path), std::invalid_argument);
  CHECK(folder.count() == 1);
  CHECK(read_trace(path) == test::example_trace());
}

TEST_CASE("A file that cannot be written or opened says why") {
  const Folder folder;
  const fs::path nowhere = folder.path / "no" / "a.mtrace";
  CHECK_THROWS_MATCHES(write_trace(Trace{}, nowhere), std::system_error,
                       Catch::Matchers::Message("cannot write '" + nowhere.string() +
                                                "': No such file or directory"));
  CHECK_THROWS_MATCHES(write_trace(Trace{}, ""), std::system_error,
                       Catch::Matchers::Message("cannot write '': No such file or directory"));
  CHECK_THROWS_AS(read_trace(folder.path / "no.mtrace"), std::system_error);
  CHECK_THROWS_AS(read_trace(folder.path), std::system_error);
}

TEST_CASE("A full device is an error, not a silent loss") {
  if (!fs::exists("/dev/full")) SKIP("there is no /dev/full here");
  CHECK_THROWS_AS(write_trace(test::example_trace(), fs::path("/dev/full")), std::system_error);
}
