// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// From the text of a script to tokens, one at a time.

#include "words.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::script {

enum class TokenKind : std::uint8_t {
  end,  ///< of the text
  new_line,
  semicolon,
  word,
  hyphenated,  ///< words joined by '-': never a name
  instance,    ///< NAME#k
  number,      ///< digits with whatever stands against them, such as a unit
  colon,
  comma,
  arrow,
  dots,
  open_bracket,
  close_bracket,
  open_brace,
  close_brace,
  equals,
  equals_equals,
  at_least,
  ampersand,
  other,  ///< a character that means nothing here
};

struct Token {
  std::string_view text;
  std::uint32_t instance = 0;  ///< k of NAME#k; saturated
  Symbol symbol = 0;           ///< of a word, of the name of an instance
  TokenKind kind = TokenKind::end;

  [[nodiscard]] bool is(Word word) const {
    return (kind == TokenKind::word || kind == TokenKind::hyphenated) &&
           symbol == script::symbol(word);
  }
  [[nodiscard]] bool ends_statement() const {
    return kind == TokenKind::new_line || kind == TokenKind::semicolon || kind == TokenKind::end;
  }
};

inline bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

/// The token in words: "'kernel'", "the end of the line".
std::string describe(const Token& token);

/// A place in the text: line and column from 1, in bytes.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Reads tokens; a copy of a lexer looks ahead. The text is valid UTF-8.
class Lexer {
 public:
  Lexer(std::string_view text, Words& words);

  Token next();
  /// How file names are written: everything up to the next blank, ';' or '#', or up to the second
  /// of two quotes (`"`), which belong to the token.
  Token next_raw();
  /// Whether ':' is the next token; nothing is consumed.
  [[nodiscard]] bool colon_follows() const;
  /// Where a token of the line that was read last stands.
  [[nodiscard]] Place place(const Token& token) const;

 private:
  void skip_blanks();
  void skip_comment();
  Token word();
  Token number();
  Token line_end();
  Token symbol_token();
  Token make(TokenKind kind, std::size_t length);

  Words* words_;
  const char* at_;
  const char* end_;
  const char* line_begin_;
  std::uint32_t line_ = 1;
  bool line_ended_ = false;  ///< the next token begins a new line
};

/// The place of the first byte that is not UTF-8; `nullptr` when there is none.
const char* first_invalid_utf8(std::string_view text);

}  // namespace millrace::script
