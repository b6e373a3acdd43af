// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What somebody may have meant who typed something unknown.

#include <string>
#include <string_view>
#include <vector>

namespace millrace::cli {

/// The word nearest to `typed` if it is near enough to be meant; else empty. Of equally near ones
/// the first.
std::string closest(std::string_view typed, const std::vector<std::string>& words);

}  // namespace millrace::cli
