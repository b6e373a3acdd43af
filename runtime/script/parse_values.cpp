// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <array>

namespace millrace::script {
namespace {

constexpr std::array all_kinds{ThingKind::stream, ThingKind::event, ThingKind::flag,
                               ThingKind::memory, ThingKind::graph, ThingKind::thread};

std::string with_article(ThingKind kind) {
  switch (kind) {
    case ThingKind::event:
      return "an event";
    case ThingKind::memory:
      return "memory";
    default:
      return "a " + std::string(to_string(kind));
  }
}

/// Suggestions are for people who wait: they look at so many names at most.
constexpr std::size_t max_candidates = 10'000;

}  // namespace

std::string describe(Kinds kinds) {
  std::vector<std::string> words;
  for (const ThingKind kind : all_kinds) {
    if (kinds.has(kind)) words.push_back(with_article(kind));
  }
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

void Parser::fail_at(Place place, std::string message) const {
  throw ScriptError(program_.file, place.line, place.column, std::move(message));
}

std::string Parser::found() const {
  if (token_.kind == TokenKind::word) {
    if (const Index index = names_.find(token_.symbol); index != nothing) {
      return "the " + std::string(to_string(program_.things[index].kind)) + " " + describe(token_);
    }
  }
  return describe(token_);
}

void Parser::fail(std::string_view expected, std::string_view remark) const {
  std::string message = "found " + describe(token_) + ", expected ";
  message += expected;
  if (!remark.empty()) message.append(": ").append(remark);
  fail_at(here(), std::move(message));
}

void Parser::fail_word(std::string_view expected, std::initializer_list<Word> words) const {
  std::string message = "found " + describe(token_) + ", expected ";
  message += expected;
  if (token_.kind == TokenKind::word || token_.kind == TokenKind::hyphenated) {
    Suggestion suggestion(token_.text);
    for (const Word word : words) suggestion.consider(to_string(word));
    message += suggestion.question();
  }
  fail_at(here(), std::move(message));
}

void Parser::require(TokenKind kind, std::string_view expected) {
  if (token_.kind != kind) fail(expected);
  advance();
}

void Parser::require_end() {
  if (token_.ends_statement()) return;
  if (token_.kind == TokenKind::close_brace) {
    fail("the end of the statement", "'}' stands on a line of its own");
  }
  if (token_.kind == TokenKind::word && is_unit(token_.text)) {
    fail("the end of the statement", "a unit follows its number without a blank");
  }
  fail("the end of the statement");
}

std::string Parser::similar_thing(Kinds kinds, std::string_view word) const {
  Suggestion suggestion(word);
  std::size_t considered = 0;
  for (const Thing& thing : program_.things) {
    if (!kinds.has(thing.kind)) continue;
    suggestion.consider(words_.text(thing.name));
    if (++considered == max_candidates) break;
  }
  return suggestion.question();
}

Index Parser::thing(Kinds kinds) {
  if (token_.kind == TokenKind::instance) {
    fail(describe(kinds), "only operations have instances; a comment needs a blank before '#'");
  }
  if (token_.kind != TokenKind::word) fail(describe(kinds));
  const Index index = names_.find(token_.symbol);
  if (index == nothing) {
    fail_at(here(), "found the unknown name '" + std::string(token_.text) + "', expected " +
                        describe(kinds) + similar_thing(kinds, token_.text));
  }
  if (!kinds.has(program_.things[index].kind)) {
    fail_at(here(), "found " + found() + ", expected " + describe(kinds) +
                        similar_thing(kinds, token_.text));
  }
  advance();
  return index;
}

Index Parser::given_thing(ThingKind kind) {
  if (token_.kind != TokenKind::word) fail("a name for the " + std::string(to_string(kind)));
  const Index index = names_.find(token_.symbol);
  if (index != nothing) {
    const Thing& known = program_.things[index];
    const bool again = known.kind == ThingKind::memory || known.kind == ThingKind::graph;
    if (!again || names_.lives(index)) check_new_name(kind);
  }
  const Place place = here();
  const Symbol name = token_.symbol;
  advance();
  // A kernel's or another operation's name is of another space: only things can clash.
  return names_.give({name, kind, false, 0, 0, place.line}, place);
}

Region Parser::region() {
  Region region;
  region.memory = thing({ThingKind::memory});
  const std::uint64_t bytes = program_.things[region.memory].bytes;
  region.end = bytes;
  if (token_.kind == TokenKind::open_bracket) {
    advance();
    bounds(region, bytes);
    require(TokenKind::close_bracket, "']'");
  }
  return region;
}

void Parser::bounds(Region& region, std::uint64_t bytes) {
  const auto check = [&](Place place, std::uint64_t offset) {
    if (offset <= bytes) return;
    fail_at(place, "found the offset " + size_text(offset) + ", expected at most " +
                       size_text(bytes) + ", the size of '" +
                       std::string(words_.text(program_.things[region.memory].name)) + "'");
  };
  region.whole = false;
  Place place = here();
  region.begin = size();
  check(place, region.begin);
  require(TokenKind::dots, "'..'");
  if (token_.kind == TokenKind::number) {
    place = here();
    region.open = false;
    region.end = size();
    check(place, region.end);
    if (region.end < region.begin) {
      fail_at(place, "found a range that ends at " + size_text(region.end) +
                         ", expected at least " + size_text(region.begin) + ", where it begins");
    }
  }
  if (!take(Word::pitch)) return;
  place = here();
  region.pitch = size();
  if (region.pitch == 0) fail_at(place, "found a pitch of 0, expected at least 1");
  if (!take(Word::width)) fail("'width'");
  place = here();
  region.width = size();
  if (region.width > region.pitch) {
    fail_at(place, "found the width " + size_text(region.width) + ", expected at most " +
                       size_text(region.pitch) + ", the pitch");
  }
}

std::vector<Region>& Parser::region_list(std::vector<Region>& list) {
  list.clear();
  list.push_back(region());
  while (token_.kind == TokenKind::comma) {
    advance();
    if (list.size() == max_regions) {
      fail("the end of the list", "it has at most " + std::to_string(max_regions) + " regions");
    }
    list.push_back(region());
  }
  return list;
}

std::int64_t Parser::integer(std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (token_.kind != TokenKind::number) fail("a whole number");
  if (const Problem problem = read_integer(token_.text, least, most, value)) fail(*problem);
  advance();
  return value;
}

std::uint64_t Parser::size() {
  std::uint64_t bytes = 0;
  if (token_.kind != TokenKind::number) fail("a size");
  if (const Problem problem = read_size(token_.text, bytes)) fail(*problem);
  advance();
  return bytes;
}

std::int64_t Parser::duration(bool may_be_negative) {
  std::int64_t ns = 0;
  if (token_.kind != TokenKind::number) fail("a duration");
  if (const Problem problem = read_duration(token_.text, may_be_negative, ns)) fail(*problem);
  advance();
  return ns;
}

Errc Parser::error_code() {
  constexpr std::string_view expected = "the name of a CUDA error without 'cudaError'";
  if (token_.kind != TokenKind::word) fail(expected);
  const auto code = errc_from_name(token_.text);
  if (code && *code != Errc::Success) {
    advance();
    return *code;
  }
  std::string_view name = token_.text;
  if (name.starts_with("cudaError")) name.remove_prefix(std::string_view("cudaError").size());
  Suggestion suggestion(name);
#define MILLRACE_X(error, number) \
  if ((number) != 0) suggestion.consider(#error);
  MILLRACE_ERROR_CODES(MILLRACE_X)
#undef MILLRACE_X
  fail_at(here(), "found " + describe(token_) + ", expected " + std::string(expected) +
                      suggestion.question());
}

bool Parser::memory_kind(MemoryKind& kind) {
  if (token_.kind != TokenKind::word) return false;
  switch (static_cast<Word>(token_.symbol)) {
    case Word::device:
      kind = MemoryKind::device;
      break;
    case Word::pinned:
      kind = MemoryKind::pinned;
      break;
    case Word::pageable:
      kind = MemoryKind::pageable;
      break;
    case Word::managed:
      kind = MemoryKind::managed;
      break;
    default:
      return false;
  }
  advance();
  return true;
}

void Parser::require_kind_or_end() {
  if (token_.ends_statement() || (token_.kind == TokenKind::word && is_unit(token_.text))) {
    return require_end();
  }
  fail_word("'device', 'pinned', 'pageable', 'managed' or the end of the statement",
            {Word::device, Word::pinned, Word::pageable, Word::managed});
}

}  // namespace millrace::script
