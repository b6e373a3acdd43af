// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"
#include "layout.hpp"
#include "rich_trace.hpp"

#include <millrace/trace_file.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using namespace millrace;
using test::Bytes;
using test::written;

namespace {

/// Three blocks of operations.
Trace three_blocks() {
  test::TraceSketch b;
  const TraceIndex s = b.stream("s");
  for (std::size_t i = 0; i < 2 * trace_block_rows + 5; ++i) {
    b.now_ns += 10 + static_cast<std::int64_t>(i % 7);
    b.operation(CallKind::launch, OperationKind::kernel, s, "k", b.now_ns, b.now_ns + 9);
  }
  return b.trace;
}

/// Changes a byte in the middle of a block.
void damage(Bytes& bytes, std::string_view table, std::size_t block) {
  const mtrace::Directory directory = mtrace::read_directory(bytes);
  const mtrace::BlockEntry& entry = directory.find(table)->blocks[block];
  bytes[entry.offset + entry.bytes / 2] ^= std::byte{1};
}

}  // namespace

TEST_CASE("A mapped trace gives rows, columns and counts as the trace has them") {
  const Trace trace = test::rich_trace();
  const Bytes bytes = written(trace);
  const MappedTrace mapped(bytes);
  CHECK(mapped.producer() == trace.producer);
  CHECK(mapped.end_ns() == trace.end_ns);
  CHECK(mapped.steps() == trace.steps);
  CHECK(mapped.has_dependencies() == trace.has_dependencies);
  REQUIRE(mapped.string_count() == trace.strings.size());
  for (TraceIndex i = 0; i < trace.strings.size(); ++i) {
    CHECK(mapped.string(i) == trace.strings[i]);
  }
  REQUIRE(mapped.operations().size() == trace.operations.size());
  CHECK(mapped.operations()[1] == trace.operations[1]);
  CHECK(mapped.calls()[3] == trace.calls[3]);
  CHECK(mapped.streams()[1] == trace.streams[1]);
  CHECK(mapped.blocked()[1] == trace.blocked[1]);
  CHECK(mapped.graphs().size() == 1);
  CHECK(mapped.read() == trace);
}

TEST_CASE("A column has the type of its field") {
  const Trace trace = test::rich_trace();
  const Bytes bytes = written(trace);
  const MappedTrace mapped(bytes);
  const TraceTable<Operation> operations = mapped.operations();
  for (std::size_t i = 0; i < trace.operations.size(); ++i) {
    const Operation& operation = trace.operations[i];
    CHECK(operations.column(&Operation::start_ns, 0)[i] == operation.start_ns);
    CHECK(operations.column(&Operation::bytes, 0)[i] == operation.bytes);
    CHECK(operations.column(&Operation::object, 0)[i] == operation.object);
    CHECK(operations.column(&Operation::because, 0)[i] == operation.because);
    CHECK(operations.column(&Operation::kind, 0)[i] == operation.kind);
  }
  CHECK(mapped.streams().column(&TraceStream::priority, 0)[1] == -5);
  CHECK(mapped.streams().column(&TraceStream::blocking, 0)[1]);
  CHECK_FALSE(mapped.streams().column(&TraceStream::blocking, 0)[0]);
  CHECK(mapped.calls().column(&HostCall::error, 0)[3] == 400);
}

TEST_CASE("Rows can be read across blocks") {
  const Trace trace = three_blocks();
  const Bytes bytes = written(trace);
  const MappedTrace mapped(bytes);
  const TraceTable<Operation> operations = mapped.operations();
  CHECK(operations.block_count() == 3);
  CHECK(operations.column(&Operation::end_ns, 2).size() == 5);
  std::vector<Operation> rows(trace_block_rows + 8);
  operations.read(trace_block_rows - 3, rows);
  const auto expected = trace.operations.begin() + (trace_block_rows - 3);
  CHECK(std::equal(rows.begin(), rows.end(), expected));
  CHECK(operations[2 * trace_block_rows + 4] == trace.operations.back());
  operations.read(operations.size(), std::span<Operation>());
  CHECK_THROWS_AS(operations[operations.size()], std::out_of_range);
  CHECK_THROWS_AS(operations.read(operations.size() - 1, std::span(rows).first(2)),
                  std::out_of_range);
}

TEST_CASE("A damaged block is found when it is first used, and the others can be read") {
  const Trace trace = three_blocks();
  Bytes bytes = written(trace);
  damage(bytes, "operations", 1);
  const MappedTrace mapped(bytes);
  const TraceTable<Operation> operations = mapped.operations();
  CHECK(operations[0] == trace.operations[0]);
  CHECK(operations[2 * trace_block_rows] == trace.operations[2 * trace_block_rows]);
  CHECK_THROWS_AS(operations[trace_block_rows], TraceFileError);
  CHECK_THROWS_AS(operations.column(&Operation::end_ns, 1), TraceFileError);
  CHECK_THROWS_AS(mapped.read(), TraceFileError);
}

TEST_CASE("A damaged string is found when it is first used") {
  Bytes bytes = written(test::rich_trace());
  damage(bytes, "strings", 0);
  const MappedTrace mapped(bytes);
  CHECK(mapped.operations().size() == 3);
  CHECK_THROWS_AS(mapped.string(1), TraceFileError);
}

TEST_CASE("The empty trace can be mapped") {
  const Bytes bytes = written(Trace{});
  MappedTrace mapped(bytes);
  CHECK(mapped.operations().size() == 0);
  CHECK(mapped.operations().block_count() == 0);
  CHECK(mapped.producer().empty());
  const MappedTrace moved = std::move(mapped);
  CHECK(moved.string(0).empty());
}

TEST_CASE("Several threads may read one mapped trace") {
  const Trace trace = three_blocks();
  const Bytes bytes = written(trace);
  const MappedTrace mapped(bytes);
  std::vector<std::int64_t> sums(4);
  std::vector<std::thread> threads;
  for (std::int64_t& sum : sums) {
    threads.emplace_back([&mapped, &sum] {
      for (std::size_t i = 0; i < mapped.operations().size(); i += 97) {
        sum += mapped.operations()[i].start_ns;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::int64_t sum : sums) CHECK(sum == sums[0]);
}
