// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// How tables of a run grow.

#include <algorithm>
#include <cstddef>

namespace millrace::sim {

/// A new last row. A full table becomes four times as large rather than twice: in runs of millions
/// of operations page faults, which each copy of the table meets anew, cost more than all that is
/// written. Of what is not used the system gives no memory.
template <typename Table>
typename Table::value_type& grow(Table& table, const typename Table::value_type& row = {}) {
  constexpr std::size_t first = 64;
  if (table.size() == table.capacity()) table.reserve(std::max(first, 4 * table.size()));
  return table.emplace_back(row);
}

}  // namespace millrace::sim
