// SPDX-License-Identifier: Apache-2.0
#include "render/look.hpp"

namespace millrace::cli {

std::string begin_paint(const Paint& paint) {
  std::string codes;
  const auto add = [&codes](const std::string& code) {
    codes += codes.empty() ? code : ";" + code;
  };
  if (paint.bold) add("1");
  if (paint.faint) add("2");
  if (paint.foreground >= 0) add("38;5;" + std::to_string(paint.foreground));
  if (paint.background >= 0) add("48;5;" + std::to_string(paint.background));
  return codes.empty() ? codes : "\x1b[" + codes + "m";
}

std::string painted(std::string_view text, const Paint& paint, const Look& look) {
  if (!look.colour || paint == paints::plain || text.empty()) return std::string(text);
  return begin_paint(paint) + std::string(text) + std::string(end_paint);
}

}  // namespace millrace::cli
