// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// How messages speak of things.

#include <millrace/name.hpp>
#include <millrace/source_location.hpp>

#include <string>
#include <string_view>

namespace millrace {

/// "event 'done' (made at app.cpp:12)"; leaves out the name or the place where there is none.
std::string mention(std::string_view noun, Name name, SourceLocation made = {"", 0, 0});

}  // namespace millrace
