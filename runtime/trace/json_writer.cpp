// SPDX-License-Identifier: Apache-2.0
#include "json_writer.hpp"

namespace millrace::json {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// The length of the UTF-8 sequence at the start, or 0 if there is none: cut short, overlong, a
/// surrogate, or beyond U+10FFFF.
std::size_t sequence_length(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte_at(text, 1);
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second >= 0xA0) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second >= 0x90) return 0;
  return length;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7F) {
    out += c;
  } else {
    constexpr std::string_view digits = "0123456789abcdef";
    out.append("\\u00").append({digits[byte / 16U], digits[byte % 16U]});
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      out += replacement;
    } else if (length == 1) {
      append_escaped(out, text.front());
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void append_microseconds(std::string& out, std::int64_t ns) {
  auto magnitude = static_cast<std::uint64_t>(ns);
  if (ns < 0) {
    out += '-';
    magnitude = 0 - magnitude;
  }
  const std::string decimals = std::to_string(magnitude % 1000);
  out += std::to_string(magnitude / 1000);
  out += '.';
  out.append(3 - decimals.size(), '0').append(decimals);
}

void Writer::begin_value() {
  if (comma_is_due_) buffer_ += ',';
  if (line_is_due_) buffer_ += '\n';
  line_is_due_ = false;
  comma_is_due_ = true;
}

void Writer::open(char bracket) {
  begin_value();
  buffer_ += bracket;
  comma_is_due_ = false;
}

void Writer::close(char bracket) {
  if (line_is_due_) buffer_ += '\n';
  line_is_due_ = false;
  buffer_ += bracket;
  comma_is_due_ = true;
  if (buffer_.size() >= piece) flush();
}

void Writer::key(std::string_view name) {
  begin_value();
  buffer_ += '"';
  buffer_ += name;
  buffer_ += "\":";
  comma_is_due_ = false;
}

void Writer::field(std::string_view name, std::string_view text) {
  key(name);
  begin_value();
  append_quoted(buffer_, text);
}

void Writer::microseconds(std::string_view name, std::int64_t ns) {
  key(name);
  begin_value();
  append_microseconds(buffer_, ns);
}

void Writer::finish() {
  buffer_ += '\n';
  flush();
}

void Writer::flush() {
  stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace millrace::json
