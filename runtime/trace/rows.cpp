// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <cstring>
#include <string>
#include <type_traits>

namespace millrace::mtrace {
namespace {

/// The member of a row as the number that the file keeps.
template <FieldType type>
std::uint64_t get(const std::byte* member) {
  const auto as = [member]<typename T>(T value) {
    std::memcpy(&value, member, sizeof value);
    return value;
  };
  if constexpr (type == FieldType::u8) return as(std::uint8_t{});
  if constexpr (type == FieldType::u16) return as(std::uint16_t{});
  if constexpr (type == FieldType::u32) return as(std::uint32_t{});
  if constexpr (type == FieldType::u64) return as(std::uint64_t{});
  if constexpr (type == FieldType::i32) return static_cast<std::uint64_t>(as(std::int32_t{}));
  if constexpr (type == FieldType::i64) return static_cast<std::uint64_t>(as(std::int64_t{}));
  if constexpr (type == FieldType::index) return as(TraceIndex{}) + 1U;
  if constexpr (type == FieldType::step) {
    const Step step = as(Step{});
    return (std::uint64_t{step.index + 1} << 1) | (step.is_call ? 1U : 0U);
  }
}

template <FieldType type>
void put(std::uint64_t number, std::byte* member) {
  const auto write = [member](auto value) { std::memcpy(member, &value, sizeof value); };
  if constexpr (type == FieldType::u8) write(static_cast<std::uint8_t>(number));
  if constexpr (type == FieldType::u16) write(static_cast<std::uint16_t>(number));
  if constexpr (type == FieldType::u32) write(static_cast<std::uint32_t>(number));
  if constexpr (type == FieldType::i32) write(static_cast<std::int32_t>(number));
  if constexpr (type == FieldType::u64 || type == FieldType::i64) write(number);
  if constexpr (type == FieldType::index) write(static_cast<TraceIndex>(number) - 1U);
  if constexpr (type == FieldType::step) {
    write(Step{static_cast<TraceIndex>(number >> 1) - 1U, (number & 1) != 0});
  }
}

/// Calls `function` with the field's type as a constant, so that loops need not look at it.
template <typename Function>
void with_type(FieldType type, Function function) {
  const auto call = [&]<FieldType t>() { function(std::integral_constant<FieldType, t>{}); };
  switch (type) {
    case FieldType::u8:
      return call.template operator()<FieldType::u8>();
    case FieldType::u16:
      return call.template operator()<FieldType::u16>();
    case FieldType::u32:
      return call.template operator()<FieldType::u32>();
    case FieldType::u64:
      return call.template operator()<FieldType::u64>();
    case FieldType::i32:
      return call.template operator()<FieldType::i32>();
    case FieldType::i64:
      return call.template operator()<FieldType::i64>();
    case FieldType::index:
      return call.template operator()<FieldType::index>();
    case FieldType::step:
      return call.template operator()<FieldType::step>();
  }
}

/// The numbers least, least + 1, … least + extent; modulo 2^64, so that least may be negative.
struct Range {
  std::uint64_t least;
  std::uint64_t extent;

  [[nodiscard]] bool has(std::uint64_t number) const { return number - least <= extent; }
};

Range range_of(const Field& field, const Sizes& sizes) {
  if (field.type != FieldType::index) {
    const auto least = static_cast<std::uint64_t>(field.least);
    return Range{least, field.greatest - least};
  }
  const std::uint64_t count = sizes[field.target];
  return field.optional ? Range{0, count} : Range{1, count - 1};
}

bool is_step(std::uint64_t number, const Sizes& sizes) {
  const TableId table = (number & 1) != 0 ? TableId::calls : TableId::operations;
  return (number >> 1) <= sizes[table];
}

/// Index of the first number out of range, or how many there are.
std::size_t find_outside(const Field& field, std::span<const std::uint64_t> numbers,
                         const Sizes& sizes) {
  std::size_t i = 0;
  if (field.type == FieldType::step) {
    while (i < numbers.size() && is_step(numbers[i], sizes)) ++i;
    return i;
  }
  const bool must_refer = field.type == FieldType::index && !field.optional;
  if (must_refer && sizes[field.target] == 0) return 0;
  const Range range = range_of(field, sizes);
  while (i < numbers.size() && range.has(numbers[i])) ++i;
  return i;
}

std::string explain_index(std::uint64_t number, std::string_view table, std::uint64_t count) {
  if (number == 0) return "refers to nothing, and must refer to one of the " + std::string(table);
  return "refers to number " + std::to_string(number - 1) + " of the " + std::string(table) +
         ", but there are " + std::to_string(count);
}

std::string explain(const Field& field, std::uint64_t number, const Sizes& sizes) {
  if (field.type == FieldType::index) {
    return explain_index(number, name_of(field.target), sizes[field.target]);
  }
  if (field.type == FieldType::step) {
    const TableId table = (number & 1) != 0 ? TableId::calls : TableId::operations;
    return explain_index(number >> 1, name_of(table), sizes[table]);
  }
  const bool is_signed = element_type(field.type) == ElementType::signed_number;
  const std::string value =
      is_signed ? std::to_string(static_cast<std::int64_t>(number)) : std::to_string(number);
  return "is " + value + ", and must be from " + std::to_string(field.least) + " to " +
         std::to_string(field.greatest);
}

}  // namespace

ElementType element_type(FieldType type) {
  switch (type) {
    case FieldType::index:
      return ElementType::index;
    case FieldType::step:
      return ElementType::step;
    case FieldType::i32:
    case FieldType::i64:
      return ElementType::signed_number;
    default:
      return ElementType::unsigned_number;
  }
}

std::uint32_t bias_of(FieldType type) {
  return type == FieldType::index || type == FieldType::step ? 1 : 0;
}

void gather(const Field& field, const std::byte* rows, std::size_t row_bytes,
            std::span<std::uint64_t> numbers) {
  const std::byte* member = rows + field.offset;
  with_type(field.type, [&](auto type) {
    for (std::uint64_t& number : numbers) {
      number = get<type()>(member);
      member += row_bytes;
    }
  });
}

void scatter(const Field& field, std::span<const std::uint64_t> numbers, std::byte* rows,
             std::size_t row_bytes) {
  std::byte* member = rows + field.offset;
  with_type(field.type, [&](auto type) {
    for (const std::uint64_t number : numbers) {
      put<type()>(number, member);
      member += row_bytes;
    }
  });
}

Violation check_range(const Field& field, std::span<const std::uint64_t> numbers,
                      const Sizes& sizes) {
  const std::size_t row = find_outside(field, numbers, sizes);
  if (row == numbers.size()) return Violation{};
  return Violation{row, field.name, explain(field, numbers[row], sizes)};
}

Violation check_rows(const Schema& schema, const std::byte* rows, std::size_t count,
                     const Sizes& sizes) {
  if (schema.check == nullptr) return Violation{};
  for (std::size_t row = 0; row < count; ++row) {
    const BrokenRule broken = schema.check(rows + row * schema.row_bytes, sizes);
    if (broken.text != nullptr) return Violation{row, broken.field, broken.text};
  }
  return Violation{};
}

}  // namespace millrace::mtrace
