// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"
#include "program.hpp"

#include <millrace/script.hpp>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace millrace {

ScriptError::ScriptError(std::string_view file, std::uint32_t line, std::uint32_t column,
                         std::string message)
    : std::runtime_error(std::string(file) + ":" + std::to_string(line) + ":" +
                         std::to_string(column) + ": " + message),
      line_(line),
      column_(column),
      message_(std::move(message)) {}

Script Script::parse(std::string_view text, std::string_view file) {
  auto program = std::make_shared<Program>();
  program->file = file;
  program->file_name = Name(file);
  script::Parser(text, *program).parse();
  return Script(std::move(program));
}

Script Script::load(const std::filesystem::path& file) {
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), file.string()); };
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail();
  std::string text;
  char chunk[1 << 16];
  while (stream.read(chunk, sizeof chunk) || stream.gcount() != 0) {
    text.append(chunk, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad() || errno == EISDIR) fail();
  return parse(text, file.string());
}

std::string_view Script::file() const { return program_->file; }
std::string_view Script::profile() const { return program_->profile; }
int Script::device_count() const { return program_->devices; }

}  // namespace millrace
