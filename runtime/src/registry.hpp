// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The device types that are linked.

#include <millrace/backend.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace millrace {

/// The calling thread's backend of a type: its run's, else the process's; null if there is no such
/// type. What a factory throws passes, and is tried again at the next call.
std::shared_ptr<Backend> find_backend(std::string_view type);

/// "no backend of type 'foo' is linked, only sim and cuda": why there is no such backend.
std::string no_backend_text(std::string_view type);

}  // namespace millrace
