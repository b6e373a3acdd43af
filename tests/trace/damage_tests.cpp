// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"
#include "reseal.hpp"
#include "rich_trace.hpp"

#include <millrace/trace_file.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

using namespace millrace;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Bytes;
using test::failure_of;
using test::to_bytes;
using test::written;

namespace {

/// Puts a name of the same length in the place of another, wherever it stands, with right
/// checksums.
Bytes renamed(Bytes bytes, std::string_view from, std::string_view to) {
  const Bytes old = to_bytes(from);
  const Bytes fresh = to_bytes(to);
  auto at = std::search(bytes.begin(), bytes.end(), old.begin(), old.end());
  while (at != bytes.end()) {
    std::copy(fresh.begin(), fresh.end(), at);
    at = std::search(at, bytes.end(), old.begin(), old.end());
  }
  test::reseal(bytes);
  return bytes;
}

Bytes with_version(std::uint32_t version) {
  Bytes bytes = written(Trace{});
  mtrace::store(bytes.data() + 8, version);
  test::reseal(bytes);
  return bytes;
}

}  // namespace

TEST_CASE("Every changed byte of a file is found") {
  const Bytes good = written(test::rich_trace());
  std::size_t unnoticed = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    Bytes bad = good;
    for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
      bad[i] = good[i] ^ static_cast<std::byte>(flip);
      if (failure_of(bad).empty()) ++unnoticed;
    }
  }
  CHECK(unnoticed == 0);
}

TEST_CASE("Every file that was cut off is found") {
  const Bytes good = written(test::rich_trace());
  for (std::size_t size = 0; size < good.size(); ++size) {
    const std::string failure =
        failure_of(Bytes(good.begin(), good.begin() + std::ptrdiff_t(size)));
    if (size == 0) CHECK_THAT(failure, StartsWith("the file is empty"));
    if (size != 0) CHECK_THAT(failure, StartsWith("the file ends early"));
  }
}

TEST_CASE("Bytes behind the end are found") {
  Bytes bytes = written(test::example_trace());
  bytes.push_back({});
  CHECK_THAT(failure_of(bytes), StartsWith("the file ends early"));
}

TEST_CASE("Whatever is changed behind the checksums, what can be read can be trusted") {
  const Bytes good = written(test::rich_trace());
  std::size_t readable = 0;
  std::size_t untrue = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    test::reseal(bytes);
    try {
      const Trace trace = read_trace(bytes);
      ++readable;
      if (read_trace(written(trace)) != trace) ++untrue;
    } catch (const TraceFileError&) {  // as it should be
    }
  }
  CHECK(untrue == 0);
  CHECK(readable > 0);
}

TEST_CASE("Damage is named with its place and what was expected") {
  Bytes bytes = written(test::example_trace());
  bytes[mtrace::header_bytes] ^= std::byte{1};
  CHECK_THAT(failure_of(bytes), StartsWith("damaged: block 0 of run has checksum ") &&
                                    ContainsSubstring(", expected ") &&
                                    ContainsSubstring(" (at byte 16)"));
  try {
    read_trace(bytes);
  } catch (const TraceFileError& error) {
    CHECK(error.offset() == 16);
  }
}

TEST_CASE("Files of other kinds are called by what they look like") {
  CHECK_THAT(failure_of(to_bytes("{\"traceEvents\":[]}")), ContainsSubstring("JSON"));
  CHECK_THAT(failure_of(to_bytes("\xef\xbb\xbf\n [\n{}]")), ContainsSubstring("JSON"));
  CHECK_THAT(failure_of(to_bytes("\x1f\x8b\x08")), ContainsSubstring("gzip"));
  CHECK_THAT(failure_of(to_bytes("\x28\xb5\x2f\xfd....")), ContainsSubstring("zstd"));
  CHECK_THAT(failure_of(to_bytes("SQLite format 3")), ContainsSubstring("SQLite"));
  CHECK_THAT(failure_of(to_bytes("PK\x03\x04...")), ContainsSubstring("zip"));
  CHECK_THAT(failure_of(to_bytes("stream s1 s2\n")), ContainsSubstring("text"));
  CHECK_THAT(failure_of(to_bytes("\x01\x02\x03\x04\x05")),
             ContainsSubstring("it begins with 01 02 03 04"));
  CHECK_THAT(failure_of(Bytes{}), StartsWith("the file is empty"));
}

TEST_CASE("A newer version is told from damage") {
  CHECK(failure_of(with_version(1)).empty());
  CHECK_THAT(
      failure_of(with_version(2)),
      StartsWith("the trace has format version 2, and this Millrace reads versions up to 1"));
  CHECK_THAT(failure_of(with_version(0)), StartsWith("there is no format version 0"));
}

TEST_CASE("An unknown column is passed over, and an absent one has its default") {
  const Trace trace = test::rich_trace();
  Trace expected = trace;
  for (Operation& operation : expected.operations) operation.bytes = 0;
  for (TraceMemory& memory : expected.memories) memory.bytes = 0;
  CHECK(read_trace(renamed(written(trace), "bytes", "novel")) == expected);
}

TEST_CASE("An unknown table is passed over, but its checksums are not") {
  const Trace trace = test::rich_trace();
  Trace expected = trace;
  expected.uses.clear();
  Bytes bytes = renamed(written(trace), "uses", "news");
  CHECK(read_trace(bytes) == expected);
  const std::size_t directory = mtrace::read_directory(bytes).offset;
  bytes[directory - 1] ^= std::byte{1};
  CHECK_THAT(failure_of(bytes), StartsWith("damaged: block 0 of news"));
}

TEST_CASE("A file that refers to a table that it lacks is refused") {
  const Bytes bytes = written(test::rich_trace());
  CHECK_THAT(failure_of(renamed(bytes, "streams", "STREAMS")),
             ContainsSubstring("operations row 0: stream refers to number 0 of the streams, "
                               "but there are 0"));
  for (const std::string_view table : {"devices", "threads", "memories", "signals", "operations",
                                       "calls", "accesses", "strings", "flags"}) {
    INFO(table);
    CHECK_FALSE(failure_of(renamed(bytes, table, std::string(table.size(), 'X'))).empty());
  }
}
