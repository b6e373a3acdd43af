// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// How the command writes for people: width, colours, and which characters the terminal has.

#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::cli {

/// What a rendering may use. Renderings depend on it and on the trace alone.
struct Look {
  int width = 100;      ///< columns
  bool colour = false;  ///< 256 colours by escape sequences
  bool ascii = false;   ///< no characters beyond ASCII
  bool all = false;     ///< every row and every operation, however many
  // Rows for what a device's operations compete for:
  bool engines = false;  ///< copy engines
  bool queues = false;   ///< hardware queues
  bool sms = false;      ///< multiprocessors
};

inline constexpr int narrowest = 40;  ///< columns that every rendering needs

/// Colours of a piece of text: numbers of the 256-colour table; -1 is the terminal's own.
struct Paint {
  std::int16_t foreground = -1;
  std::int16_t background = -1;
  bool bold = false;
  bool faint = false;

  friend constexpr bool operator==(const Paint&, const Paint&) = default;
};

/// What colours mean, in one place. Each meaning also has a word or a shape of its own.
namespace paints {
inline constexpr Paint plain{};
inline constexpr Paint faint{.faint = true};
inline constexpr Paint heading{.bold = true};
inline constexpr Paint good{.foreground = 74,
                            .bold = true};  // blue, for eyes that mix red and green
inline constexpr Paint bad{.foreground = 208, .bold = true};  // vermilion
inline constexpr Paint waiting{.foreground = 245};
inline constexpr Paint mark{.foreground = 178};
}  // namespace paints

/// The text in its colours, or as it is where there are none.
std::string painted(std::string_view text, const Paint& paint, const Look& look);

/// The escape sequence that switches to `paint` from the terminal's own colours.
std::string begin_paint(const Paint& paint);
inline constexpr std::string_view end_paint = "\x1b[0m";

}  // namespace millrace::cli
