// SPDX-License-Identifier: Apache-2.0
#include "render/shapes.hpp"

namespace millrace::cli {
namespace {

constexpr Shapes unicode_shapes{
    .left = "▐",
    .right = "▌",
    .wait = "╌",
    .wait_for_ever = "∞",
    .record = "◆",
    .held_nothing = "◇",
    .instant = "▾",
    .call = "╷",
    .calls = "┃",
    .failed = "✗",
    .finding = "!",
    .body = {"█", "▓", "▒", "▚", "▬", "━", "─"},
    .density = {"▁", "▂", "▃", "▄", "▅", "▆", "▇"},
};

constexpr Shapes ascii_shapes{
    .left = "[",
    .right = "]",
    .wait = ".",
    .wait_for_ever = "!",
    .record = "^",
    .held_nothing = "'",
    .instant = "*",
    .call = "|",
    .calls = "H",
    .failed = "X",
    .finding = "!",
    .body = {"#", "=", "~", "%", "+", "-", "-"},
    .density = {"_", ",", ":", "o", "O", "8", "M"},
};

/// Colours that stay apart for colour-blind eyes and carry black text.
constexpr std::array<std::int16_t, 6> kernel_colours{75, 222, 117, 216, 147, 187};

std::int16_t kernel_colour(std::string_view name) {
  std::uint32_t hash = 2166136261U;  // FNV-1a: one name, one colour, in every run
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return kernel_colours[(hash >> 8) % kernel_colours.size()];
}

std::int16_t copy_colour(Direction direction) {
  switch (direction) {
    case Direction::to_device:
      return 78;
    case Direction::to_host:
      return 176;
    case Direction::between_devices:
      return 141;
    case Direction::on_device:
    case Direction::other:
      break;
  }
  return 214;
}

}  // namespace

const Shapes& shapes(bool ascii) { return ascii ? ascii_shapes : unicode_shapes; }

Paint paint_of(const Trace& trace, const Span& span) {
  if (span.shape == Shape::waiting) return span.for_ever ? paints::bad : paints::waiting;
  if (span.failed) return paints::bad;
  if (span.shape == Shape::host_work) return {.foreground = 250};
  if (span.shape == Shape::host_call) return {.foreground = 244};
  const Operation& o = trace.operations[span.step.index];
  switch (span.shape) {
    case Shape::kernel:
      return {.foreground = kernel_colour(trace.string(o.name))};
    case Shape::copy:
      return {.foreground = copy_colour(direction(trace, o))};
    case Shape::host_function:
      return {.foreground = 137};
    default:
      return {.foreground = 103};
  }
}

}  // namespace millrace::cli
