// SPDX-License-Identifier: Apache-2.0
#include "mapped_file.hpp"
#include "rows.hpp"
#include "rules.hpp"
#include "table_reader.hpp"

#include <millrace/mapped_trace.hpp>
#include <millrace/trace_file.hpp>

#include <algorithm>

namespace millrace {

using mtrace::Directory;
using mtrace::schema_of;
using mtrace::TableEntry;
using mtrace::TableId;
using mtrace::TableReader;
using mtrace::TextReader;

struct MappedTrace::Data {
  explicit Data(std::span<const std::byte> file_bytes)
      : bytes(file_bytes), directory(mtrace::read_directory(bytes)) {
    read_run();
    const Trace model;  // for its row types
    mtrace::for_each_table(model, [&]<typename Row>(TableId id, const std::vector<Row>& rows) {
      static_cast<void>(rows);
      tables.emplace_back(bytes, directory, id, schema_of<Row>(), sizes);
      sizes[id] = tables.back().rows();
    });
    sizes[TableId::strings] = strings.rows();
    sizes[TableId::steps] = run.steps;
  }

  void read_run() {
    const TableReader reader(bytes, directory, TableId::run, schema_of<mtrace::RunRow>(), sizes);
    if (reader.rows() > 1 || producer.rows() > 1) {
      throw TraceFileError("damaged: one file describes more than one run", directory.offset);
    }
    reader.read(0, reader.rows(), reinterpret_cast<std::byte*>(&run));
  }

  [[noreturn]] void fail(const mtrace::TraceViolation& violation) const {
    if (violation.table >= TableId::devices) table(violation.table).fail(violation.what);
    throw TraceFileError("damaged: " + describe(violation), directory.offset);
  }

  [[nodiscard]] const TableReader& table(TableId id) const {
    return tables[static_cast<std::size_t>(id) - static_cast<std::size_t>(TableId::devices)];
  }

  std::unique_ptr<const mtrace::MappedFile> file;  // null where the caller keeps the bytes
  std::span<const std::byte> bytes;
  Directory directory;
  mtrace::Sizes sizes;
  mtrace::RunRow run;
  TextReader producer{bytes, directory, TableId::producer};
  TextReader strings{bytes, directory, TableId::strings};
  std::vector<TableReader> tables;  // from TableId::devices on
};

namespace {

/// Blocks that no reader has looked at, since this version does not know what they hold.
void check_unknown_tables(std::span<const std::byte> bytes, const Directory& directory) {
  for (const TableEntry& table : directory.tables) {
    if (mtrace::is_table_name(table.name)) continue;
    for (std::size_t block = 0; block < table.blocks.size(); ++block) {
      mtrace::check_block(bytes, table, block);
    }
  }
}

template <typename Row>
void read_rows(const TraceTable<Row>& table, std::size_t file_bytes, std::vector<Row>& rows) {
  // Blocks of equal rows are small, so that only those that have been read prove their number.
  rows.reserve(std::min(table.size(), file_bytes));
  for (std::size_t block = 0; block < table.block_count(); ++block) {
    const std::size_t first = rows.size();
    rows.resize(std::min(first + trace_block_rows, table.size()));
    table.read(first, std::span(rows).subspan(first));
  }
}

}  // namespace

MappedTrace::MappedTrace(const std::filesystem::path& path) {
  auto file = std::make_unique<const mtrace::MappedFile>(path);
  data_ = std::make_unique<Data>(file->bytes());
  data_->file = std::move(file);
}

MappedTrace::MappedTrace(std::span<const std::byte> bytes) : data_(std::make_unique<Data>(bytes)) {}

MappedTrace::~MappedTrace() = default;
MappedTrace::MappedTrace(MappedTrace&&) noexcept = default;
MappedTrace& MappedTrace::operator=(MappedTrace&&) noexcept = default;

std::string_view MappedTrace::producer() const {
  return data_->producer.rows() == 0 ? std::string_view() : data_->producer[0];
}
std::int64_t MappedTrace::end_ns() const { return data_->run.end_ns; }
TraceIndex MappedTrace::steps() const { return data_->run.steps; }
bool MappedTrace::has_dependencies() const { return data_->run.has_dependencies; }

std::size_t MappedTrace::string_count() const { return data_->strings.rows(); }
std::string_view MappedTrace::string(TraceIndex index) const { return data_->strings[index]; }

#define MILLRACE_TABLE(Row, name) \
  TraceTable<Row> MappedTrace::name() const { return TraceTable<Row>(data_->table(TableId::name)); }
MILLRACE_TABLE(TraceDevice, devices)
MILLRACE_TABLE(TraceStream, streams)
MILLRACE_TABLE(TraceEvent, events)
MILLRACE_TABLE(TraceMemory, memories)
MILLRACE_TABLE(TraceThread, threads)
MILLRACE_TABLE(TraceObject, signals)
MILLRACE_TABLE(TraceObject, mutexes)
MILLRACE_TABLE(TraceObject, flags)
MILLRACE_TABLE(TraceObject, graphs)
MILLRACE_TABLE(Operation, operations)
MILLRACE_TABLE(HostCall, calls)
MILLRACE_TABLE(TraceAccess, accesses)
MILLRACE_TABLE(Dependency, dependencies)
MILLRACE_TABLE(Blocked, blocked)
MILLRACE_TABLE(TraceResource, resources)
MILLRACE_TABLE(ResourceUse, uses)
#undef MILLRACE_TABLE

Trace MappedTrace::read() const {
  check_unknown_tables(data_->bytes, data_->directory);
  Trace trace;
  trace.producer = producer();
  trace.end_ns = end_ns();
  trace.steps = steps();
  trace.has_dependencies = has_dependencies();
  trace.strings.clear();
  trace.strings.reserve(std::min(string_count(), data_->bytes.size()));
  for (TraceIndex i = 0; i < string_count(); ++i) trace.strings.emplace_back(string(i));
  mtrace::for_each_table(trace, [&]<typename Row>(TableId id, std::vector<Row>& rows) {
    read_rows(TraceTable<Row>(data_->table(id)), data_->bytes.size(), rows);
  });
  const mtrace::TraceViolation violation = mtrace::check_whole(trace);
  if (!violation.what.text.empty()) data_->fail(violation);
  return trace;
}

template <typename Row>
std::size_t TraceTable<Row>::size() const {
  return reader_->rows();
}

template <typename Row>
Row TraceTable<Row>::operator[](std::size_t row) const {
  Row copy;
  read(row, std::span(&copy, 1));
  return copy;
}

template <typename Row>
void TraceTable<Row>::read(std::size_t first, std::span<Row> rows) const {
  reader_->read(first, rows.size(), std::as_writable_bytes(rows).data());
}

template <typename Row>
PackedColumn TraceTable<Row>::numbers(std::size_t field_offset, std::size_t block) const {
  return reader_->numbers(reader_->schema().field_at(field_offset), block);
}

template <typename Row>
std::uint32_t TraceTable<Row>::bias(std::size_t field_offset) const {
  return mtrace::bias_of(reader_->schema().field_at(field_offset).type);
}

template class TraceTable<TraceDevice>;
template class TraceTable<TraceStream>;
template class TraceTable<TraceEvent>;
template class TraceTable<TraceMemory>;
template class TraceTable<TraceThread>;
template class TraceTable<TraceObject>;
template class TraceTable<Operation>;
template class TraceTable<HostCall>;
template class TraceTable<TraceAccess>;
template class TraceTable<Dependency>;
template class TraceTable<Blocked>;
template class TraceTable<TraceResource>;
template class TraceTable<ResourceUse>;

}  // namespace millrace
