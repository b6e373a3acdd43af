// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>
#include <limits>

namespace millrace::script {
namespace {

constexpr std::int64_t most_u32 = std::numeric_limits<std::uint32_t>::max();

/// Which clauses of an operation were read already.
enum Seen : unsigned { reads = 1, writes = 2, updates = 4, cost = 8, blocks = 16, threads = 32 };

constexpr std::initializer_list<Word> operations{
    Word::kernel, Word::copy, Word::fill,  Word::call,  Word::record, Word::wait,   Word::alloc,
    Word::free,   Word::set,  Word::await, Word::begin, Word::end,    Word::launch, Word::fault};

}  // namespace

bool is_stream_operation(Word word) {
  return std::find(operations.begin(), operations.end(), word) != operations.end();
}

struct Parser::Clauses {
  unsigned seen = 0;
  Cost cost;
  const std::vector<Region>* lists[3] = {};
};

void Parser::stream_operation(Index stream) {
  const Place place = here();
  if (token_.kind == TokenKind::word) {
    switch (static_cast<Word>(token_.symbol)) {
      case Word::kernel:
        return kernel(stream, place);
      case Word::call:
        return call(stream, place);
      case Word::copy:
        return copy(stream, place);
      case Word::fill:
        return fill(stream, place);
      case Word::record:
        return event_operation(stream, place, false);
      case Word::wait:
        return event_operation(stream, place, true);
      case Word::set:
        return flag_set(stream, place);
      case Word::await:
        return flag_await(stream, place);
      case Word::alloc: {
        advance();
        const Index memory = given_thing(ThingKind::memory);
        const std::uint64_t bytes = program_.things[memory].bytes = size();
        add(Alloc{bytes, memory}, place, stream);
        return;
      }
      case Word::free: {
        advance();
        const Index memory = thing({ThingKind::memory});
        names_.release(memory);
        add(FreeInOrder{memory}, place, stream);
        return;
      }
      case Word::begin:
      case Word::end:
      case Word::launch:
        return capture(stream, place);
      case Word::fault:
        return fault(stream, place);
      default:
        break;
    }
  }
  if (token_.kind == TokenKind::word && is_host_operation(static_cast<Word>(token_.symbol))) {
    fail("an operation of a stream", "this one is the host's, written behind 'host:'");
  }
  fail_word("an operation of a stream", operations);
}

Symbol Parser::operation_name() {
  if (token_.kind == TokenKind::instance) {
    fail("a name", "instances are counted, not named; a comment needs a blank before '#'");
  }
  if (token_.kind != TokenKind::word) fail("a name for the operation");
  const Symbol name = token_.symbol;
  if (name >= is_operation_.size()) is_operation_.resize(std::size_t{words_.size()} * 2);
  is_operation_[name] = true;
  advance();
  return name;
}

bool Parser::access_clause(Clauses& clauses) {
  const unsigned which = token_.is(Word::reads) ? 0 : token_.is(Word::writes) ? 1 : 2;
  if (which == 2 && !token_.is(Word::updates)) return false;
  if ((clauses.seen & 1U << which) != 0) {
    fail("this word once", "several regions are written with commas between them");
  }
  clauses.seen |= 1U << which;
  advance();
  clauses.lists[which] = &region_list(scratch_[which]);
  return true;
}

Regions Parser::keep_regions(const Clauses& clauses) {
  Regions regions;
  regions.first = static_cast<Index>(program_.regions.size());
  const auto keep = [&](const std::vector<Region>* list) {
    if (list == nullptr) return std::uint16_t{0};
    program_.regions.insert(program_.regions.end(), list->begin(), list->end());
    return static_cast<std::uint16_t>(list->size());
  };
  regions.reads = keep(clauses.lists[0]);
  regions.writes = keep(clauses.lists[1]);
  regions.updates = keep(clauses.lists[2]);
  return regions;
}

bool Parser::cost_clause(Cost& given) {
  if (!token_.is(Word::for_word)) return false;
  if (given.given()) fail("'for' once");
  advance();
  given.ns = duration();
  return true;
}

bool Parser::shape_clause(Kernel& kernel, unsigned& seen) {
  const bool is_blocks = token_.is(Word::blocks);
  if (!is_blocks && !token_.is(Word::threads)) return false;
  const unsigned which = is_blocks ? Seen::blocks : Seen::threads;
  if ((seen & which) != 0) fail("this word once");
  seen |= which;
  advance();
  (is_blocks ? kernel.blocks : kernel.threads) = static_cast<std::uint32_t>(integer(0, most_u32));
  return true;
}

void Parser::kernel(Index stream, Place place) {
  advance();
  Kernel kernel;
  Clauses clauses;
  kernel.name = operation_name();
  while (access_clause(clauses) || cost_clause(kernel.cost) || shape_clause(kernel, clauses.seen)) {
  }
  if (!token_.ends_statement()) {
    fail_word(
        "'reads', 'writes', 'updates', 'for', 'blocks', 'threads' or the end of the statement",
        {Word::reads, Word::writes, Word::updates, Word::for_word, Word::blocks, Word::threads});
  }
  kernel.regions = keep_regions(clauses);
  add(kernel, place, stream);
}

void Parser::call(Index stream, Place place) {
  advance();
  Call call;
  Clauses clauses;
  call.name = operation_name();
  while (access_clause(clauses) || cost_clause(call.cost)) {
  }
  if (!token_.ends_statement()) {
    fail_word("'reads', 'writes', 'updates', 'for' or the end of the statement",
              {Word::reads, Word::writes, Word::updates, Word::for_word});
  }
  call.regions = keep_regions(clauses);
  add(call, place, stream);
}

bool Parser::synchronous_clause(Index stream, bool& synchronous) {
  if (!token_.is(Word::sync)) return false;
  if (synchronous) fail("'sync' once");
  if (stream != legacy_thing && stream != perthread_thing) {
    fail("the end of the statement",
         "the synchronous forms exist only on 'legacy' and 'perthread'");
  }
  synchronous = true;
  advance();
  return true;
}

void Parser::copy(Index stream, Place place) {
  advance();
  Copy copy;
  copy.regions = static_cast<Index>(program_.regions.size());
  program_.regions.push_back(region());
  require(TokenKind::arrow, "'->'");
  program_.regions.push_back(region());
  if (token_.kind == TokenKind::number) {
    copy.bytes = size();
    copy.sized = true;
  }
  while (cost_clause(copy.cost) || synchronous_clause(stream, copy.synchronous)) {
  }
  copy.ordinal = ++program_.copies;
  add(copy, place, stream);
}

void Parser::fill(Index stream, Place place) {
  advance();
  Fill fill;
  fill.region = static_cast<Index>(program_.regions.size());
  program_.regions.push_back(region());
  while (cost_clause(fill.cost) || synchronous_clause(stream, fill.synchronous)) {
  }
  fill.ordinal = ++program_.fills;
  add(fill, place, stream);
}

void Parser::event_operation(Index stream, Place place, bool wait) {
  advance();
  const Index event = thing({ThingKind::event});
  const bool external = take(Word::external);
  if (!token_.ends_statement()) {
    fail_word("'external' or the end of the statement", {Word::external});
  }
  if (wait) {
    add(Wait{event, external}, place, stream);
  } else {
    add(Record{event, external}, place, stream);
  }
}

void Parser::flag_set(Index stream, Place place) {
  advance();
  const Index flag = thing({ThingKind::flag});
  require(TokenKind::equals, "'='");
  add(SetFlag{flag, static_cast<std::uint32_t>(integer(0, most_u32))}, place, stream);
}

void Parser::flag_await(Index stream, Place place) {
  advance();
  AwaitFlag await;
  await.flag = thing({ThingKind::flag});
  switch (token_.kind) {
    case TokenKind::at_least:
      await.condition = FlagCondition::greater_or_equal;
      break;
    case TokenKind::equals_equals:
      await.condition = FlagCondition::equal;
      break;
    case TokenKind::ampersand:
      await.condition = FlagCondition::bits;
      break;
    default:
      fail("'>=', '==' or '&'");
  }
  advance();
  await.value = static_cast<std::uint32_t>(integer(0, most_u32));
  add(await, place, stream);
}

void Parser::capture(Index stream, Place place) {
  const auto word = static_cast<Word>(token_.symbol);
  advance();
  if (word == Word::end) {
    add(End{given_thing(ThingKind::graph)}, place, stream);
    return;
  }
  if (word == Word::launch) {
    add(Launch{thing({ThingKind::graph})}, place, stream);
    return;
  }
  Begin begin;
  if (take(Word::threadlocal)) {
    begin.mode = CaptureMode::thread_local_mode;
  } else if (take(Word::relaxed)) {
    begin.mode = CaptureMode::relaxed;
  } else if (!take(Word::global) && !token_.ends_statement()) {
    fail_word("'global', 'threadlocal', 'relaxed' or the end of the statement",
              {Word::global, Word::threadlocal, Word::relaxed});
  }
  add(begin, place, stream);
}

void Parser::fault(Index stream, Place place) {
  advance();
  add(Fault{error_code()}, place, stream);
}

}  // namespace millrace::script
