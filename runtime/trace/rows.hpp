// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schema.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace millrace::mtrace {

ElementType element_type(FieldType type);
/// What the file adds to the field of an index or a step, so that `none` is 0.
std::uint32_t bias_of(FieldType type);

/// One field of consecutive rows, as the numbers that the file keeps.
void gather(const Field& field, const std::byte* rows, std::size_t row_bytes,
            std::span<std::uint64_t> numbers);
/// The reverse; every number must be in range.
void scatter(const Field& field, std::span<const std::uint64_t> numbers, std::byte* rows,
             std::size_t row_bytes);

/// The first number that the field must not have; a Violation without text if there is none.
Violation check_range(const Field& field, std::span<const std::uint64_t> numbers,
                      const Sizes& sizes);
/// The first row that breaks a rule that ranges alone cannot say.
Violation check_rows(const Schema& schema, const std::byte* rows, std::size_t count,
                     const Sizes& sizes);

}  // namespace millrace::mtrace
