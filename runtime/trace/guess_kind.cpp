// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include <algorithm>
#include <array>

namespace millrace::mtrace {
namespace {

struct Signature {
  std::string_view bytes;
  std::string_view kind;
};

constexpr std::array signatures{
    Signature{"\x1f\x8b", "gzip (Kineto and Chrome traces often are)"},
    Signature{"\x28\xb5\x2f\xfd", "zstd"},
    Signature{"PK\x03\x04", "a zip archive"},
    Signature{"SQLite format 3", "an SQLite database (perhaps exported by Nsight Systems)"},
    Signature{"\x7f"
              "ELF",
              "a program"},
    Signature{"{", "JSON (perhaps a Chrome or Kineto trace)"},
    Signature{"[", "JSON (perhaps a Chrome trace)"},
};

bool is_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 ? byte != 0x7F : byte == '\n' || byte == '\r' || byte == '\t';
}

std::string first_bytes(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (const char c : text.substr(0, 4)) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {' ', digits[byte / 16], digits[byte % 16]};
  }
  return "something else (it begins with" + hex + ")";
}

/// Without a byte order mark and blanks in front.
std::string_view trimmed(std::string_view text) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

}  // namespace

std::string guess_kind(std::span<const std::byte> file) {
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string_view start = all.substr(0, 64);
  const std::string_view text = trimmed(start);
  for (const Signature& signature : signatures) {
    const bool found = start.substr(0, signature.bytes.size()) == signature.bytes ||
                       text.substr(0, signature.bytes.size()) == signature.bytes;
    if (found) return std::string(signature.kind);
  }
  if (std::all_of(start.begin(), start.end(), is_text)) return "text (perhaps a .mill script)";
  return first_bytes(start);
}

}  // namespace millrace::mtrace
