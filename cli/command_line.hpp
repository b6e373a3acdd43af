// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The command line of `millrace`.

namespace millrace::cli {

/// Does what the command line says and returns the exit code. Never throws.
int command_line(int argc, const char* const* argv);

}  // namespace millrace::cli
