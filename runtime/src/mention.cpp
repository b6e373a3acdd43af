// SPDX-License-Identifier: Apache-2.0
#include <millrace/mention.hpp>

namespace millrace {

std::string mention(std::string_view noun, Name name, SourceLocation made) {
  std::string text(noun);
  if (!name.empty()) text.append(" '").append(name.text()).append("'");
  if (made.line != 0) {
    text.append(" (made at ").append(made.file).append(":");
    text.append(std::to_string(made.line)).append(")");
  }
  return text;
}

}  // namespace millrace
