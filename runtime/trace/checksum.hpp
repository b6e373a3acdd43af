// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace millrace::mtrace {

/// CRC-32C (Castagnoli, as iSCSI and ext4 use it): finds every change of up to 32 neighbouring
/// bits.
std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept;

}  // namespace millrace::mtrace
