// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <charconv>

namespace millrace::script {
namespace {

/// N of `copyN` and `fillN`, 0 for other words.
std::uint64_t ordinal(std::string_view word, std::string_view stem) {
  if (!word.starts_with(stem)) return 0;
  word.remove_prefix(stem.size());
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  const bool plain = error == std::errc{} && end == word.data() + word.size() && word[0] != '0';
  return plain ? n : 0;
}

}  // namespace

void Parser::expectation() {
  const Place place = here();
  advance();
  if (expects_order()) {
    expect_order(place);
    return require_end();
  }
  switch (static_cast<Word>(token_.symbol)) {
    case Word::clean:
      advance();
      add(ExpectClean{}, place);
      break;
    case Word::deadlock:
      advance();
      add(ExpectFinding{FindingKind::deadlock, 0, {}, {}}, place);
      break;
    case Word::race:
      expect_finding(FindingKind::race, place);
      break;
    case Word::use_after_free:
      expect_finding(FindingKind::use_after_free, place);
      break;
    case Word::use_after_destroy:
      expect_finding(FindingKind::use_after_destroy, place);
      break;
    case Word::unrecorded_wait:
      expect_finding(FindingKind::unrecorded_wait, place);
      break;
    case Word::error:
      expect_error(place);
      break;
    case Word::ready:
      expect_state(true, place);
      break;
    case Word::pending:
      expect_state(false, place);
      break;
    case Word::start:
      expect_time(Moment::start, place);
      break;
    case Word::finish:
      expect_time(Moment::finish, place);
      break;
    case Word::end:
      expect_time(Moment::end, place);
      break;
    case Word::elapsed:
      expect_elapsed(place);
      break;
    default:
      fail_word("what to expect, such as 'clean', 'race A' or 'copy1 before use'",
                {Word::clean, Word::race, Word::use_after_free, Word::use_after_destroy,
                 Word::unrecorded_wait, Word::deadlock, Word::error, Word::ready, Word::pending,
                 Word::start, Word::finish, Word::end, Word::elapsed});
  }
  require_end();
}

/// `A before B` may begin with any name, also with one that begins another form.
bool Parser::expects_order() const {
  if (token_.kind == TokenKind::instance) return true;
  if (token_.kind != TokenKind::word) return false;
  const bool other_form = token_.symbol < symbol(Word::count);
  Lexer ahead = lexer_;
  const Token second = ahead.next();
  if (!second.is(Word::before) && !second.is(Word::unordered) && !second.is(Word::overlaps)) {
    return !other_form && is_operation(token_.symbol);
  }
  if (!other_form) return true;
  const Token third = ahead.next();
  const bool named = third.kind == TokenKind::word || third.kind == TokenKind::instance;
  return named && ahead.next().ends_statement();
}

/// Whether the text so far has an operation of that name.
bool Parser::is_operation(Symbol name) const {
  if (name < is_operation_.size() && is_operation_[name]) return true;
  const std::uint64_t copy = ordinal(words_.text(name), "copy");
  const std::uint64_t fill = ordinal(words_.text(name), "fill");
  return (copy != 0 && copy <= program_.copies) || (fill != 0 && fill <= program_.fills);
}

void Parser::expect_order(Place place) {
  ExpectOrder expected;
  expected.first = operation_reference(Meaning::operation);
  if (take(Word::before)) {
    expected.order = Order::before;
  } else if (take(Word::unordered)) {
    expected.order = Order::unordered;
  } else if (take(Word::overlaps)) {
    expected.order = Order::overlaps;
  } else {
    fail_word("'before', 'unordered' or 'overlaps'",
              {Word::before, Word::unordered, Word::overlaps});
  }
  expected.second = operation_reference(Meaning::operation);
  add(expected, place);
}

void Parser::expect_finding(FindingKind kind, Place place) {
  advance();
  if (token_.kind != TokenKind::word) {
    fail(kind == FindingKind::use_after_destroy ? "the name of a stream, an event or a graph"
         : kind == FindingKind::unrecorded_wait ? "the name of an event"
                                                : "the name of memory");
  }
  ExpectFinding expected;
  expected.kind = kind;
  expected.object = token_.symbol;
  refer(kind == FindingKind::use_after_destroy ? Meaning::destroyable
        : kind == FindingKind::unrecorded_wait ? Meaning::event
                                               : Meaning::memory,
        token_.symbol);
  advance();
  if (kind == FindingKind::race && take(Word::between)) {
    expected.first = operation_reference(Meaning::access);
    expected.second = operation_reference(Meaning::access);
  }
  add(expected, place);
}

void Parser::expect_error(Place place) {
  advance();
  const Errc code = error_code();
  names_.undo_last();
  add(ExpectError{code}, place);
}

void Parser::expect_state(bool ready, Place place) {
  advance();
  add(ExpectState{thing({ThingKind::stream, ThingKind::event}), ready}, place);
}

void Parser::expect_time(Moment moment, Place place) {
  advance();
  ExpectTime expected;
  expected.moment = moment;
  if (moment != Moment::end) expected.operation = operation_reference(Meaning::operation);
  require(TokenKind::equals, "'='");
  expected.ns = duration();
  add(expected, place);
}

void Parser::expect_elapsed(Place place) {
  advance();
  ExpectElapsed expected;
  expected.start = thing({ThingKind::event});
  expected.end = thing({ThingKind::event});
  require(TokenKind::equals, "'='");
  expected.ns = duration(true);
  add(expected, place);
}

OperationName Parser::operation_reference(Meaning meaning) {
  if (token_.kind != TokenKind::word && token_.kind != TokenKind::instance) {
    fail("the name of an operation");
  }
  if (token_.kind == TokenKind::instance && token_.instance == 0) {
    fail("an instance from 1 on", "NAME#1 is the first");
  }
  refer(meaning, token_.symbol);
  const OperationName name{token_.symbol, token_.instance};
  advance();
  return name;
}

void Parser::refer(Meaning meaning, Symbol name) { references_.push_back({here(), name, meaning}); }

void Parser::check_references() const {
  for (const Reference& reference : references_) {
    if (!exists(reference.meaning, reference.name)) {
      fail_at(reference.place, missing(reference.meaning, reference.name));
    }
  }
}

bool Parser::exists(Meaning meaning, Symbol name) const {
  const auto is_thing = [&](Kinds kinds) {
    const Index index = names_.find(name);
    if (index == nothing) return false;
    if (kinds.has(program_.things[index].kind)) return true;
    // Memory and graphs may have had one name after the other.
    for (const Thing& thing : program_.things) {
      if (thing.name == name && kinds.has(thing.kind)) return true;
    }
    return false;
  };
  switch (meaning) {
    case Meaning::memory:
      return is_thing({ThingKind::memory});
    case Meaning::event:
      return is_thing({ThingKind::event});
    case Meaning::destroyable:
      return is_thing({ThingKind::stream, ThingKind::event, ThingKind::graph});
    case Meaning::access:
      if ((reads_ && name == symbol(Word::read)) || (writes_ && name == symbol(Word::write))) {
        return true;
      }
      break;
    case Meaning::operation:
      break;
  }
  return is_operation(name);
}

std::string Parser::missing(Meaning meaning, Symbol name) const {
  const std::string_view word = words_.text(name);
  const std::string start = "found '" + std::string(word) + "', expected ";
  switch (meaning) {
    case Meaning::memory:
      return start + "memory of this script" + similar_thing({ThingKind::memory}, word);
    case Meaning::event:
      return start + "an event of this script" + similar_thing({ThingKind::event}, word);
    case Meaning::destroyable: {
      const Kinds kinds{ThingKind::stream, ThingKind::event, ThingKind::graph};
      return start + describe(kinds) + " of this script" + similar_thing(kinds, word);
    }
    case Meaning::access:
    case Meaning::operation:
      break;
  }
  Suggestion suggestion(word);
  for (Symbol symbol = 0; symbol < is_operation_.size(); ++symbol) {
    if (is_operation_[symbol]) suggestion.consider(words_.text(symbol));
  }
  for (const auto& [stem, count] : {std::pair{"copy", program_.copies}, {"fill", program_.fills}}) {
    for (Index n = 1; n <= count && n <= 100; ++n) suggestion.consider(stem + std::to_string(n));
  }
  return start + "an operation of this script" + suggestion.question();
}

}  // namespace millrace::script
