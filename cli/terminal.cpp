// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace millrace::cli {
namespace {

constexpr int widest = 1000;
constexpr int usual_width = 100;

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  int columns = 0;
  const std::string_view text = environment("COLUMNS");
  std::from_chars(text.data(), text.data() + text.size(), columns);
  return columns > 0 ? columns : usual_width;
}

/// By the names of the locale, not by the C library: containers often lack the locale that they
/// name.
bool is_utf8_locale() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(environment(name));
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

bool wants_colour(Colour colour) {
  if (colour != Colour::automatic) return colour == Colour::always;
  return ::isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty() &&
         environment("TERM") != "dumb";
}

}  // namespace

Look find_look(const LookOptions& options) {
  const int width = options.width > 0 ? options.width : terminal_width();
  return {.width = std::clamp(width, narrowest, widest),
          .colour = wants_colour(options.colour),
          .ascii = options.ascii || (!options.unicode && !is_utf8_locale()),
          .all = options.all,
          .engines = options.engines,
          .queues = options.queues,
          .sms = options.sms};
}

}  // namespace millrace::cli
