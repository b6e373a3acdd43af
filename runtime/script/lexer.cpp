// SPDX-License-Identifier: Apache-2.0
#include "lexer.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace millrace::script {
namespace {

enum CharacterClass : std::uint8_t { letter = 1, digit = 2, blank = 4 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned char c = 'a'; c <= 'z'; ++c) classes[c] = letter;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) classes[c] = letter;
  for (unsigned char c = '0'; c <= '9'; ++c) classes[c] = digit;
  classes['_'] = letter;
  classes[' '] = classes['\t'] = blank;
  return classes;
}
constexpr std::array<std::uint8_t, 256> classes = make_classes();

bool is(char c, int wanted) { return (classes[static_cast<unsigned char>(c)] & wanted) != 0; }

std::size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

std::string code_point_name(char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("the control character U+00") + digits[byte >> 4] + digits[byte & 15];
}

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "the end of the text";
    case TokenKind::new_line:
      return "the end of the line";
    case TokenKind::other:
      for (const char c : token.text) {
        if (is_control(c)) return code_point_name(c);
      }
      break;
    default:
      break;
  }
  constexpr std::size_t longest = 60;
  if (token.text.size() <= longest) return "'" + std::string(token.text) + "'";
  std::size_t cut = longest;
  while (cut > 0 && (static_cast<unsigned char>(token.text[cut]) & 0xC0) == 0x80) --cut;
  return "'" + std::string(token.text.substr(0, cut)) + "…'";
}

Lexer::Lexer(std::string_view text, Words& words)
    : words_(&words), at_(text.data()), end_(text.data() + text.size()), line_begin_(at_) {
  if (text.starts_with("\xEF\xBB\xBF")) line_begin_ = at_ += 3;  // a byte order mark says nothing
}

Place Lexer::place(const Token& token) const {
  return {line_, static_cast<std::uint32_t>(token.text.data() - line_begin_) + 1};
}

bool Lexer::colon_follows() const {
  const char* at = at_;
  while (at != end_ && is(*at, blank)) ++at;
  return at != end_ && *at == ':';
}

void Lexer::skip_comment() {
  while (at_ != end_ && *at_ != '\n') ++at_;
  if (at_ != end_ && at_[-1] == '\r') --at_;  // it belongs to the end of the line
}

void Lexer::skip_blanks() {
  if (line_ended_) {
    line_ended_ = false;
    ++line_;
    line_begin_ = at_;
  }
  while (at_ != end_ && is(*at_, blank)) ++at_;
  if (at_ != end_ && *at_ == '#') skip_comment();
}

Token Lexer::make(TokenKind kind, std::size_t length) {
  Token token;
  token.kind = kind;
  token.text = {at_, length};
  at_ += length;
  return token;
}

Token Lexer::next() {
  skip_blanks();
  if (at_ == end_) return make(TokenKind::end, 0);
  if (is(*at_, letter)) return word();
  if (is(*at_, digit)) return number();
  return symbol_token();
}

Token Lexer::next_raw() {
  skip_blanks();
  const auto stays = [](char c) {
    return !is(c, blank) && c != ';' && c != '#' && c != '\n' && c != '\r';
  };
  const char* last = at_;
  if (last != end_ && *last == '"') {
    do {
      ++last;
    } while (last != end_ && *last != '"' && *last != '\n' && *last != '\r');
    if (last != end_ && *last == '"') ++last;
  } else {
    while (last != end_ && stays(*last)) ++last;
  }
  if (last == at_) return next();
  return make(TokenKind::other, static_cast<std::size_t>(last - at_));
}

Token Lexer::word() {
  const char* last = at_ + 1;
  bool hyphens = false;
  while (last != end_) {
    if (is(*last, letter | digit)) {
      ++last;
    } else if (*last == '-' && last + 1 != end_ && is(last[1], letter)) {
      hyphens = true;
      last += 2;
    } else {
      break;
    }
  }
  Token token =
      make(hyphens ? TokenKind::hyphenated : TokenKind::word, static_cast<std::size_t>(last - at_));
  token.symbol = words_->intern(token.text);
  if (!hyphens && last != end_ && *last == '#' && last + 1 != end_ && is(last[1], digit)) {
    constexpr std::uint32_t most = ~std::uint32_t{0};
    std::uint64_t k = 0;
    for (++last; last != end_ && is(*last, digit); ++last) {
      k = k < most ? k * 10 + static_cast<std::uint64_t>(*last - '0') : k;
    }
    token.kind = TokenKind::instance;
    token.instance = k < most ? static_cast<std::uint32_t>(k) : most;
    token.text = {token.text.data(), static_cast<std::size_t>(last - token.text.data())};
    at_ = last;
  }
  return token;
}

Token Lexer::number() {
  const char* last = at_ + 1;
  if (*at_ == '-') ++last;
  while (last != end_ && is(*last, letter | digit)) ++last;
  if (last != end_ && *last == '.' && last + 1 != end_ && is(last[1], digit)) {
    ++last;
    while (last != end_ && is(*last, letter | digit)) ++last;
  }
  return make(TokenKind::number, static_cast<std::size_t>(last - at_));
}

Token Lexer::line_end() {
  const bool windows = *at_ == '\r';
  line_ended_ = true;
  return make(TokenKind::new_line, windows ? 2 : 1);
}

Token Lexer::symbol_token() {
  const char second = at_ + 1 != end_ ? at_[1] : '\0';
  switch (*at_) {
    case '\n':
      return line_end();
    case '\r':
      if (second == '\n') return line_end();
      break;
    case ';':
      return make(TokenKind::semicolon, 1);
    case ':':
      return make(TokenKind::colon, 1);
    case ',':
      return make(TokenKind::comma, 1);
    case '[':
      return make(TokenKind::open_bracket, 1);
    case ']':
      return make(TokenKind::close_bracket, 1);
    case '{':
      return make(TokenKind::open_brace, 1);
    case '}':
      return make(TokenKind::close_brace, 1);
    case '&':
      return make(TokenKind::ampersand, 1);
    case '=':
      return second == '=' ? make(TokenKind::equals_equals, 2) : make(TokenKind::equals, 1);
    case '>':
      if (second == '=') return make(TokenKind::at_least, 2);
      break;
    case '.':
      if (second == '.') return make(TokenKind::dots, 2);
      break;
    case '-':
      if (second == '>') return make(TokenKind::arrow, 2);
      if (is(second, digit)) return number();
      break;
    default:
      break;
  }
  const std::size_t length = utf8_length(*at_);
  return make(TokenKind::other, length);
}

const char* first_invalid_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  const auto continues = [end](const unsigned char* byte, unsigned low, unsigned high) {
    return byte < end && *byte >= low && *byte <= high;
  };
  while (at != end) {
    if (*at < 0x80) {
      ++at;
      constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080;
      for (std::uint64_t eight = 0; end - at >= 8; at += 8) {
        std::memcpy(&eight, at, 8);
        if ((eight & high_bits) != 0) break;
      }
      continue;
    }
    // The second byte's range rules out overlong forms, surrogates and what lies beyond Unicode.
    const unsigned lead = *at;
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    const int length = lead >= 0xC2 && lead <= 0xDF   ? 2
                       : lead >= 0xE0 && lead <= 0xEF ? 3
                       : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                      : 0;
    bool valid = length != 0 && continues(at + 1, low, high);
    for (int i = 2; valid && i < length; ++i) valid = continues(at + i, 0x80, 0xBF);
    if (!valid) return reinterpret_cast<const char*>(at);
    at += length;
  }
  return nullptr;
}

}  // namespace millrace::script
