// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>
#include <limits>

namespace millrace::script {
namespace {

constexpr std::initializer_list<Word> operations{
    Word::sync,  Word::query,   Word::poll,   Word::read,  Word::write,
    Word::work,  Word::elapsed, Word::malloc, Word::free,  Word::destroy,
    Word::raise, Word::await,   Word::device, Word::reset, Word::join};

}  // namespace

bool is_host_operation(Word word) {
  return std::find(operations.begin(), operations.end(), word) != operations.end();
}

void Parser::host_operation() {
  const Place place = here();
  const Kinds waitable{ThingKind::stream, ThingKind::event};
  if (token_.kind != TokenKind::word) fail("an operation of the host");
  switch (static_cast<Word>(token_.symbol)) {
    case Word::sync:
      return sync(place);
    case Word::query:
      advance();
      add(Query{thing(waitable)}, place);
      return;
    case Word::poll:
      advance();
      add(Poll{thing(waitable)}, place);
      return;
    case Word::read:
      return touch(place, false);
    case Word::write:
      return touch(place, true);
    case Word::work:
      advance();
      add(Work{duration()}, place);
      return;
    case Word::elapsed:
      return elapsed(place);
    case Word::malloc:
      return host_malloc(place);
    case Word::free: {
      advance();
      const Index memory = thing({ThingKind::memory});
      names_.release(memory);
      add(Free{memory}, place);
      return;
    }
    case Word::destroy: {
      advance();
      const Index destroyed = thing({ThingKind::stream, ThingKind::event, ThingKind::graph});
      if (program_.things[destroyed].kind == ThingKind::graph) names_.release(destroyed);
      add(Destroy{destroyed}, place);
      return;
    }
    case Word::raise:
      return signal(place, true);
    case Word::await:
      return signal(place, false);
    case Word::device:
      return set_device(place);
    case Word::reset:
      advance();
      add(Reset{}, place);
      return;
    case Word::join:
      advance();
      add(Join{thing({ThingKind::thread})}, place);
      return;
    case Word::thread:
    case Word::repeat:
    case Word::if_word:
      fail("an operation of the host", "a block is written without 'host:'");
    default:
      break;
  }
  if (is_stream_operation(static_cast<Word>(token_.symbol))) {
    fail("an operation of the host", "this one is a stream's, written behind 'STREAM:'");
  }
  fail_word("an operation of the host", operations);
}

void Parser::sync(Place place) {
  advance();
  if (take(Word::device)) {
    add(Sync{nothing}, place);
    return;
  }
  if (token_.kind != TokenKind::word) fail("a stream, an event or 'device'");
  add(Sync{thing({ThingKind::stream, ThingKind::event})}, place);
}

void Parser::touch(Place place, bool write) {
  advance();
  Touch touch;
  touch.first = static_cast<Index>(program_.regions.size());
  touch.write = write;
  (write ? writes_ : reads_) = true;
  const std::vector<Region>& list = region_list(scratch_[0]);
  touch.count = static_cast<std::uint16_t>(list.size());
  program_.regions.insert(program_.regions.end(), list.begin(), list.end());
  add(touch, place);
}

void Parser::elapsed(Place place) {
  advance();
  Elapsed elapsed;
  elapsed.start = thing({ThingKind::event});
  elapsed.end = thing({ThingKind::event});
  add(elapsed, place);
}

void Parser::host_malloc(Place place) {
  advance();
  Malloc malloc;
  malloc.memory = given_thing(ThingKind::memory);
  malloc.bytes = program_.things[malloc.memory].bytes = size();
  if (!memory_kind(malloc.kind)) require_kind_or_end();
  add(malloc, place);
}

void Parser::signal(Place place, bool raise) {
  advance();
  if (token_.kind != TokenKind::word) fail("the name of a signal");
  const Symbol name = token_.symbol;
  advance();
  if (raise) {
    add(Raise{name}, place);
    return;
  }
  if (token_.kind == TokenKind::at_least || token_.kind == TokenKind::equals_equals ||
      token_.kind == TokenKind::ampersand) {
    fail("the end of the statement", "the host awaits signals, streams await flags");
  }
  add(Await{name}, place);
}

void Parser::set_device(Place place) {
  advance();
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  add(SetDevice{static_cast<std::int32_t>(integer(-most, most))}, place);
}

}  // namespace millrace::script
