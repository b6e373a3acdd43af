// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the terminal can show.

#include "render/look.hpp"

#include <string>

namespace millrace::cli {

enum class Colour { automatic, always, never };

/// As given on the command line.
struct LookOptions {
  Colour colour = Colour::automatic;
  int width = 0;  ///< 0: the terminal's
  bool ascii = false;
  bool unicode = false;
  bool all = false;
  bool engines = false;
  bool queues = false;
  bool sms = false;
};

/// The look of standard output: colours when it is a terminal (and NO_COLOR is not set, TERM not
/// "dumb"), the terminal's width, else COLUMNS, else 100; ASCII where the locale is not UTF-8.
Look find_look(const LookOptions& options);

}  // namespace millrace::cli
