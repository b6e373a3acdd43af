// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace millrace::json {

/// Appends the text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD each.
void append_quoted(std::string& out, std::string_view text);

/// Appends nanoseconds as microseconds with three decimals, exactly.
void append_microseconds(std::string& out, std::int64_t ns);

/// Writes JSON as it comes, and hands it to the stream in large pieces; the last one by `finish`.
/// Keys must need no escapes.
class Writer {
 public:
  explicit Writer(std::ostream& stream) : stream_(stream) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Each of them may stand as an element, or behind `key`.
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  /// Lets the next element begin on a new line.
  void new_line() { line_is_due_ = true; }

  void field(std::string_view name, std::string_view text);
  template <std::integral T>
  void field(std::string_view name, T number) {
    key(name);
    begin_value();
    buffer_ += std::to_string(number);
  }
  void microseconds(std::string_view name, std::int64_t ns);
  /// Ends the last line and hands over what is left.
  void finish();

 private:
  static constexpr std::size_t piece = std::size_t{1} << 16;

  void open(char bracket);
  void close(char bracket);
  void begin_value();
  void flush();

  std::ostream& stream_;
  std::string buffer_;
  bool comma_is_due_ = false;
  bool line_is_due_ = false;
};

}  // namespace millrace::json
