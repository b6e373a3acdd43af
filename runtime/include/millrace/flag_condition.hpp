// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// How a stream waits for a flag.

#include <cstdint>

namespace millrace {

/// When a wait for a flag with value `wanted` is over.
enum class FlagCondition : std::uint8_t {
  greater_or_equal,  ///< cyclically: the signed 32-bit difference flag - wanted is not negative
  equal,
  bits,  ///< flag and wanted have a bit in common
};

}  // namespace millrace
