// SPDX-License-Identifier: Apache-2.0
#include "checksum.hpp"
#include "layout.hpp"
#include "packing.hpp"
#include "rows.hpp"
#include "rules.hpp"

#include <millrace/trace_file.hpp>

#include <algorithm>
#include <limits>
#include <ostream>
#include <stdexcept>

namespace millrace::mtrace {
namespace {

Sizes sizes_of(const Trace& trace) {
  Sizes sizes;
  sizes[TableId::strings] = trace.strings.size();
  sizes[TableId::steps] = trace.steps;
  for_each_table(trace, [&](TableId id, const auto& rows) { sizes[id] = rows.size(); });
  return sizes;
}

/// Throws when the text is not empty.
void refuse(TableId table, std::size_t first, Violation violation) {
  if (violation.text.empty()) return;
  violation.row += first;
  throw std::invalid_argument("the trace cannot be written: " +
                              describe(TraceViolation{table, violation}));
}

std::vector<ColumnEntry> columns_of(const Schema& schema) {
  std::vector<ColumnEntry> columns;
  for (const Field& field : schema.fields) {
    columns.push_back({std::string(field.name), element_type(field.type)});
  }
  return columns;
}

/// Writes tables one after the other and remembers where they are.
class Writer {
 public:
  Writer(std::ostream& out, const Sizes& sizes) : out_(out), sizes_(sizes) {
    numbers_.reserve(trace_block_rows);
    write(encode_header());
  }

  void write_rows(TableId id, const Schema& schema, std::span<const std::byte> bytes);
  void write_strings(TableId id, std::span<const std::string> strings);
  void finish() { write(encode_directory(directory_, offset_)); }

 private:
  void begin_table(TableId id, std::size_t rows, std::vector<ColumnEntry> columns);
  void begin_block(std::size_t columns) { block_.assign(columns * Packing::header_bytes, {}); }
  void append_column(std::size_t column);
  void end_block();
  void write(const Bytes& bytes);

  std::ostream& out_;
  const Sizes& sizes_;
  Directory directory_;
  std::uint64_t offset_ = 0;
  Bytes block_;
  std::vector<std::uint64_t> numbers_;  ///< of the column in hand
};

void Writer::begin_table(TableId id, std::size_t rows, std::vector<ColumnEntry> columns) {
  if (rows >= none) refuse(id, 0, {none, "index", "is more than a trace can have"});
  directory_.tables.push_back(TableEntry{std::string(name_of(id)), rows, std::move(columns), {}});
}

void Writer::append_column(std::size_t column) {
  const Packing packing = choose_packing(numbers_);
  store_packing(block_.data() + column * Packing::header_bytes, packing);
  pack(numbers_, packing, block_);
}

void Writer::end_block() {
  block_.resize(block_.size() + tail_bytes);
  directory_.tables.back().blocks.push_back({offset_, block_.size(), crc32c(block_)});
  write(block_);
}

void Writer::write(const Bytes& bytes) {
  out_.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  offset_ += bytes.size();
}

void Writer::write_rows(TableId id, const Schema& schema, std::span<const std::byte> bytes) {
  const std::size_t count = bytes.size() / schema.row_bytes;
  if (count == 0) return;
  begin_table(id, count, columns_of(schema));
  for (std::size_t first = 0; first < count; first += trace_block_rows) {
    const std::byte* rows = bytes.data() + first * schema.row_bytes;
    numbers_.resize(std::min(trace_block_rows, count - first));
    refuse(id, first, check_rows(schema, rows, numbers_.size(), sizes_));
    begin_block(schema.fields.size());
    for (std::size_t i = 0; i < schema.fields.size(); ++i) {
      gather(schema.fields[i], rows, schema.row_bytes, numbers_);
      refuse(id, first, check_range(schema.fields[i], numbers_, sizes_));
      append_column(i);
    }
    end_block();
  }
}

void Writer::write_strings(TableId id, std::span<const std::string> strings) {
  begin_table(id, strings.size(), {{"text", ElementType::text}});
  while (!strings.empty()) {
    const auto block = strings.first(std::min(trace_block_rows, strings.size()));
    strings = strings.subspan(block.size());
    std::uint64_t end = 0;
    numbers_.clear();
    for (const std::string& string : block) numbers_.push_back(end += string.size());
    begin_block(1);
    append_column(0);
    for (const std::string& string : block) append(block_, string);
    end_block();
  }
}

}  // namespace
}  // namespace millrace::mtrace

namespace millrace {

using mtrace::schema_of;
using mtrace::TableId;

void write_trace(const Trace& trace, std::ostream& out) {
  const mtrace::Sizes sizes = mtrace::sizes_of(trace);
  mtrace::Writer writer(out, sizes);
  const mtrace::RunRow run{trace.end_ns, trace.steps, trace.has_dependencies};
  writer.write_rows(TableId::run, schema_of<mtrace::RunRow>(), std::as_bytes(std::span(&run, 1)));
  if (!trace.producer.empty()) writer.write_strings(TableId::producer, {&trace.producer, 1});
  writer.write_strings(TableId::strings, trace.strings);
  mtrace::for_each_table(trace, [&]<typename Row>(TableId id, const std::vector<Row>& rows) {
    writer.write_rows(id, schema_of<Row>(), std::as_bytes(std::span(rows)));
  });
  const mtrace::TraceViolation violation = mtrace::check_whole(trace);
  mtrace::refuse(violation.table, 0, violation.what);
  writer.finish();
}

}  // namespace millrace
