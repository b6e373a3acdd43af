// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Looking into a native trace file without reading all of it: for traces larger than memory, and
/// for tools that show a part of one.

#include <millrace/trace.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

namespace millrace {

/// Rows of a table are kept in blocks of this many; only the last block has fewer.
inline constexpr std::size_t trace_block_rows = 8192;

/// Numbers in the file, each in `width` bits: what is left of it when the line through `base` with
/// `slope` is taken away. Any of them can be read without the ones before.
class PackedColumn {
 public:
  PackedColumn() = default;
  /// `data` must stay readable for 8 bytes more than the numbers take; `width` at most 56, or 64.
  PackedColumn(const std::byte* data, std::size_t size, std::uint64_t base, std::uint64_t slope,
               unsigned width)
      : data_(data),
        size_(size),
        base_(base),
        slope_(slope),
        mask_(width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1),
        width_(width) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
    return base_ + slope_ * i + residual(i);
  }
  /// Where the i-th number begins.
  [[nodiscard]] const std::byte* address(std::size_t i) const { return data_ + i * width_ / 8; }

 private:
  [[nodiscard]] std::uint64_t residual(std::size_t i) const {
    if (width_ == 0) return 0;
    std::uint64_t word = 0;
    std::memcpy(&word, address(i), sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return (word >> (i * width_ % 8)) & mask_;
  }

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t slope_ = 0;
  std::uint64_t mask_ = 0;
  unsigned width_ = 0;
};

/// One field of the rows of one block.
template <typename T>
class TraceColumn {
 public:
  /// `offset` is what the file adds to the field: 1 to an index, so that `none` is 0.
  TraceColumn(const PackedColumn& numbers, std::uint32_t offset)
      : numbers_(numbers), offset_(offset) {}

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] T operator[](std::size_t i) const {
    const std::uint64_t number = numbers_[i];
    if constexpr (std::is_same_v<T, Step>) {
      return Step{static_cast<TraceIndex>(number >> 1) - offset_, (number & 1) != 0};
    } else {
      return static_cast<T>(number - offset_);
    }
  }

 private:
  PackedColumn numbers_;
  std::uint32_t offset_;
};

namespace mtrace {
class TableReader;
}

/// One table of a MappedTrace, and no longer valid than that. A block is verified when something in
/// it is first asked for: each function below may throw TraceFileError.
template <typename Row>
class TraceTable {
 public:
  explicit TraceTable(const mtrace::TableReader& reader) : reader_(&reader) {}

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t block_count() const {
    return (size() + trace_block_rows - 1) / trace_block_rows;
  }
  /// A row. Throws std::out_of_range if there is none.
  [[nodiscard]] Row operator[](std::size_t row) const;
  /// Copies the rows from `first` on. Throws std::out_of_range unless all of them exist.
  void read(std::size_t first, std::span<Row> rows) const;
  /// One field of each row of a block, e.g. `column(&Operation::start_ns, 0)`. Blocks and rows in
  /// them are not checked to exist.
  template <typename T>
  [[nodiscard]] TraceColumn<T> column(T Row::*field, std::size_t block) const {
    static const Row row{};
    const auto* begin = reinterpret_cast<const std::byte*>(&row);
    const auto* member = reinterpret_cast<const std::byte*>(&(row.*field));
    const auto offset = static_cast<std::size_t>(member - begin);
    return TraceColumn<T>(numbers(offset, block), bias(offset));
  }

 private:
  [[nodiscard]] PackedColumn numbers(std::size_t field_offset, std::size_t block) const;
  [[nodiscard]] std::uint32_t bias(std::size_t field_offset) const;

  const mtrace::TableReader* reader_;
};

/// A native trace file, mapped into memory and verified block by block as it is used. Opening it
/// reads only its directory, whatever the file's size. Safe from several threads at once.
/// The file must not be changed or cut while it is open.
class MappedTrace {
 public:
  /// Throws TraceFileError for damage found by now, std::system_error when it cannot be opened.
  explicit MappedTrace(const std::filesystem::path& path);
  /// The same for bytes that the caller keeps.
  explicit MappedTrace(std::span<const std::byte> bytes);
  ~MappedTrace();
  MappedTrace(MappedTrace&&) noexcept;
  MappedTrace& operator=(MappedTrace&&) noexcept;

  [[nodiscard]] std::string_view producer() const;
  [[nodiscard]] std::int64_t end_ns() const;
  [[nodiscard]] TraceIndex steps() const;
  [[nodiscard]] bool has_dependencies() const;

  [[nodiscard]] std::size_t string_count() const;
  /// A string, in the file itself; `index` must be less than `string_count()`.
  [[nodiscard]] std::string_view string(TraceIndex index) const;

  [[nodiscard]] TraceTable<TraceDevice> devices() const;
  [[nodiscard]] TraceTable<TraceStream> streams() const;
  [[nodiscard]] TraceTable<TraceEvent> events() const;
  [[nodiscard]] TraceTable<TraceMemory> memories() const;
  [[nodiscard]] TraceTable<TraceThread> threads() const;
  [[nodiscard]] TraceTable<TraceObject> signals() const;
  [[nodiscard]] TraceTable<TraceObject> mutexes() const;
  [[nodiscard]] TraceTable<TraceObject> flags() const;
  [[nodiscard]] TraceTable<TraceObject> graphs() const;
  [[nodiscard]] TraceTable<Operation> operations() const;
  [[nodiscard]] TraceTable<HostCall> calls() const;
  [[nodiscard]] TraceTable<TraceAccess> accesses() const;
  [[nodiscard]] TraceTable<Dependency> dependencies() const;
  [[nodiscard]] TraceTable<Blocked> blocked() const;
  [[nodiscard]] TraceTable<TraceResource> resources() const;
  [[nodiscard]] TraceTable<ResourceUse> uses() const;

  /// All of it, verified, the blocks that no table of this version holds included.
  [[nodiscard]] Trace read() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace millrace
