// SPDX-License-Identifier: Apache-2.0
//
// Any text is either refused with a place in it, or a script whose plain form is the same script.
#include <millrace/script.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using millrace::Script;
using millrace::ScriptError;

void require(bool holds, const char* what, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

void check_place(const ScriptError& error, std::string_view text) {
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  require(error.line() >= 1 && error.line() <= lines, "the error's line is not in the text", text);
  require(error.column() >= 1 && error.column() <= text.size() + 1,
          "the error's column is not in the text", text);
  require(!error.message().empty(), "the error says nothing", text);
}

void check_plain_form(const Script& script, std::string_view text) {
  const std::string plain = script.to_text();
  try {
    const Script again = Script::parse(plain);
    require(again.to_text() == plain, "the plain form is another script", text);
    require(again.profile() == script.profile() && again.device_count() == script.device_count(),
            "the plain form is for another machine", text);
  } catch (const ScriptError& error) {
    std::fprintf(stderr, "%s\n%s", error.what(), plain.c_str());
    require(false, "the plain form cannot be read", text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check_plain_form(Script::parse(text), text);
  } catch (const ScriptError& error) {
    check_place(error, text);
  }
  return 0;
}
