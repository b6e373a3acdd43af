// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace millrace::script {

Parser::Parser(std::string_view text, Script::Program& program)
    : text_(text), program_(program), lexer_(text, words_), names_(program.things) {
  names_.declare({symbol(Word::legacy), ThingKind::stream});
  names_.declare({symbol(Word::perthread), ThingKind::stream});
}

void Parser::parse() {
  check_text();
  constexpr std::size_t bytes_a_statement = 32;
  constexpr std::size_t enough = 1 << 20;  // more than that may be comments
  program_.statements.reserve(std::min(text_.size() / bytes_a_statement, enough));
  advance();
  while (token_.kind != TokenKind::end) statement();
  if (!blocks_.empty()) {
    fail("'}' for the block of line " + std::to_string(blocks_.back().line));
  }
  check_references();
  program_.keep_words(words_);
  program_.allowed = allowed_by_comments(text_);
}

void Parser::check_text() const {
  if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    fail_at({},
            "the text has " + std::to_string(text_.size()) + " bytes, expected less than 4 GiB");
  }
  const char* const bad = first_invalid_utf8(text_);
  if (bad == nullptr) return;
  Place place;
  const char* line_begin = text_.data();
  for (const char* c = text_.data(); c != bad; ++c) {
    if (*c != '\n') continue;
    ++place.line;
    line_begin = c + 1;
  }
  place.column = static_cast<std::uint32_t>(bad - line_begin) + 1;
  fail_at(place, "found a byte that is no UTF-8, expected UTF-8 text");
}

void Parser::statement() {
  switch (token_.kind) {
    case TokenKind::new_line:
      advance();
      fresh_line_ = true;
      return;
    case TokenKind::semicolon:
      advance();
      break;
    case TokenKind::close_brace:
      close_block();
      break;
    case TokenKind::word:
    case TokenKind::instance:
      if (!lexer_.colon_follows()) {
        word_statement();
      } else if (token_.is(Word::host)) {
        host_statement();
      } else {
        stream_statement();
      }
      break;
    default:
      fail("a statement");
  }
  fresh_line_ = false;
}

void Parser::stream_statement() {
  const Index stream = thing({ThingKind::stream});
  advance();  // the colon
  do {
    names_.settle();
    stream_operation(stream);
  } while (next_operation());
}

void Parser::host_statement() {
  advance();
  advance();  // the colon
  do {
    names_.settle();
    host_operation();
  } while (next_operation());
}

bool Parser::next_operation() {
  require_end();
  if (token_.kind != TokenKind::semicolon) return false;
  advance();
  if (token_.kind != TokenKind::word || lexer_.colon_follows()) return false;
  switch (static_cast<Word>(token_.symbol)) {
    case Word::expect:
    case Word::gpus:
    case Word::buffer:
    case Word::stream:
    case Word::event:
    case Word::flag:
    case Word::thread:
    case Word::repeat:
    case Word::if_word:
      return false;
    default:
      return true;
  }
}

void Parser::word_statement() {
  const auto word = static_cast<Word>(token_.symbol);
  if (token_.kind == TokenKind::word && word == Word::expect) return expectation();
  names_.settle();
  if (token_.kind == TokenKind::word) {
    switch (word) {
      case Word::device:
      case Word::gpus:
      case Word::buffer:
      case Word::stream:
      case Word::event:
      case Word::flag:
        return declaration(word);
      case Word::thread:
        return thread_block();
      case Word::repeat:
        return repeat_block();
      case Word::if_word:
        return if_block();
      case Word::else_word:
        fail("a statement", "'else' stands behind the '}' of an if, on its line");
      default:
        break;
    }
  }
  if (const Index thing = names_.find(token_.symbol);
      thing != nothing && program_.things[thing].kind == ThingKind::stream) {
    fail("a statement", "work for a stream is written '" + std::string(token_.text) + ": …'");
  }
  if (token_.kind == TokenKind::word && (is_stream_operation(word) || is_host_operation(word))) {
    fail("a statement", "operations stand behind 'STREAM:' or 'host:'");
  }
  fail_word("a statement", {Word::device, Word::gpus, Word::buffer, Word::stream, Word::event,
                            Word::flag, Word::thread, Word::repeat, Word::if_word, Word::expect});
}

void Parser::thread_block() {
  const Place place = here();
  advance();
  const Index thread = declare(ThingKind::thread);
  open_block(BlockKind::thread, add(Thread{thread, 0}, place));
}

void Parser::repeat_block() {
  const Place place = here();
  advance();
  const Token number = token_;
  const auto count = integer(0, static_cast<std::int64_t>(max_repeats));
  const auto times = static_cast<std::uint64_t>(count);
  if (times != 0 && repeats_ > max_repeats / times) {
    fail_at(lexer_.place(number), "found loops in each other that run " +
                                      std::to_string(repeats_ * times) +
                                      " times, expected at most " + std::to_string(max_repeats));
  }
  const Index statement = add(Repeat{static_cast<std::uint32_t>(times), 0}, place);
  open_block(BlockKind::repeat, statement);
  if (times != 0) repeats_ *= times;
}

void Parser::if_block() {
  const Place place = here();
  advance();
  if (!take(Word::query)) fail_word("'query'", {Word::query});
  const Index asked = thing({ThingKind::stream, ThingKind::event});
  open_block(BlockKind::then_part, add(If{asked, 0, 0}, place));
}

void Parser::open_block(BlockKind kind, Index statement) {
  if (blocks_.size() == max_depth) {
    fail_at({program_.statements[statement].line, program_.statements[statement].column},
            "found blocks in each other deeper than " + std::to_string(max_depth) +
                ", expected no more");
  }
  const std::uint32_t line = here().line;
  require(TokenKind::open_brace, "'{'");
  if (token_.kind != TokenKind::new_line && token_.kind != TokenKind::end) {
    fail("the end of the line", "what the block does stands on lines of its own");
  }
  names_.settle();
  blocks_.push_back({kind, statement, line, names_.mark(), repeats_, {}});
}

void Parser::close_block() {
  if (blocks_.empty()) fail("a statement", "no block is open");
  if (!fresh_line_) fail("the end of the line", "'}' stands on a line of its own");
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  const auto end = static_cast<Index>(program_.statements.size());
  StatementKind& opened = program_.statements[block.statement].kind;
  advance();
  if (block.kind == BlockKind::then_part && token_.is(Word::else_word)) {
    std::get<If>(opened).otherwise = end;
    return begin_else(std::move(block));
  }
  switch (block.kind) {
    case BlockKind::thread:
      std::get<Thread>(opened).end = end;
      break;
    case BlockKind::repeat:
      std::get<Repeat>(opened).end = end;
      leave_loop(block);
      break;
    case BlockKind::then_part:
      std::get<If>(opened).otherwise = std::get<If>(opened).end = end;
      block.branch = names_.set_aside(block.mark);
      names_.merge(block.branch, names_.mark());
      break;
    case BlockKind::else_part:
      std::get<If>(opened).end = end;
      names_.merge(block.branch, block.mark);
      break;
  }
  repeats_ = block.repeats;
  names_.settle();
  if (token_.kind != TokenKind::new_line && token_.kind != TokenKind::end) {
    fail("the end of the line", "'}' stands on a line of its own");
  }
}

void Parser::begin_else(Block block) {
  advance();
  require(TokenKind::open_brace, "'{'");
  if (token_.kind != TokenKind::new_line && token_.kind != TokenKind::end) {
    fail("the end of the line", "what the block does stands on lines of its own");
  }
  block.kind = BlockKind::else_part;
  block.branch = names_.set_aside(block.mark);
  block.mark = names_.mark();
  names_.settle();
  blocks_.push_back(std::move(block));
}

void Parser::leave_loop(const Block& block) {
  if (std::get<Repeat>(program_.statements[block.statement].kind).count < 2) return;
  const auto clash = names_.clash_in_loop(block.mark);
  if (!clash) return;
  const std::string name(words_.text(program_.things[clash->thing].name));
  fail_at(clash->place, "found '" + name + "', expected a name that is free: '" + name +
                            "' still lives when this loop comes round to it again");
}

}  // namespace millrace::script
