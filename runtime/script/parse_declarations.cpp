// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>
#include <limits>

namespace millrace::script {
namespace {

constexpr std::int64_t most_int = std::numeric_limits<std::int32_t>::max();

}  // namespace

void Parser::declaration(Word word) {
  if (!blocks_.empty()) fail("a statement of a block", "declarations stand outside blocks");
  switch (word) {
    case Word::device:
      return declare_profile();
    case Word::gpus:
      return declare_devices();
    case Word::buffer:
      return declare_buffers();
    case Word::stream:
      return declare_streams();
    case Word::event:
      return declare_events();
    default:
      return declare_flags();
  }
}

void Parser::declare_profile() {
  const Place place = here();
  if (profile_given_) fail("one 'device'", "the profile is given already");
  profile_given_ = true;
  token_ = lexer_.next_raw();
  std::string_view name = token_.text;
  if (token_.ends_statement() || name.empty()) fail("a profile: 'ideal', 'h200' or a file");
  if (name.starts_with('"')) {
    if (name.size() < 2 || !name.ends_with('"')) fail("a second '\"' on this line");
    name = name.substr(1, name.size() - 2);
    if (name.empty()) fail("a profile: 'ideal', 'h200' or a file");
  } else if (name.find('"') != std::string_view::npos) {
    fail("a profile with a quote on either side or on none");
  }
  if (std::any_of(name.begin(), name.end(), is_control)) {
    fail("a profile's name without control characters");
  }
  program_.profile = name;
  advance();
  require_end();
  add(UseProfile{}, place);
}

void Parser::declare_devices() {
  const Place place = here();
  if (devices_given_) fail("one 'gpus'", "the number of devices is given already");
  devices_given_ = true;
  advance();
  program_.devices = static_cast<int>(integer(1, max_devices));
  require_end();
  add(UseDevices{}, place);
}

void Parser::check_new_name(ThingKind kind) {
  if (token_.kind != TokenKind::word) fail("a name for the " + std::string(to_string(kind)));
  if (kind == ThingKind::stream && token_.is(Word::host)) {
    fail("another name", "'host:' is what the host does itself");
  }
  const bool synchronizable = kind == ThingKind::stream || kind == ThingKind::event;
  if (synchronizable && token_.is(Word::device)) {
    fail("another name", "'sync device' waits for the current device");
  }
  const Index index = names_.find(token_.symbol);
  if (index == nothing) return;
  const Thing& known = program_.things[index];
  const std::string what(to_string(known.kind));
  fail("a name that is free", known.line == 0
                                  ? "it is a " + what + " that always exists"
                                  : "it is the " + what + " of line " + std::to_string(known.line));
}

Index Parser::declare(ThingKind kind) {
  check_new_name(kind);
  const Index index = names_.declare({token_.symbol, kind, true, 0, 0, here().line});
  advance();
  return index;
}

void Parser::set_devices(Index first, std::int32_t device) {
  for (Index i = first; i < program_.things.size(); ++i) program_.things[i].device = device;
}

template <typename Kind>
void Parser::finish_declaration(Kind declaration, Place place) {
  require_end();
  declaration.count = static_cast<Index>(program_.things.size()) - declaration.first;
  program_.declarations.push_back(add(declaration, place));
}

/// Reads an option that may stand once: `given` remembers.
bool Parser::option(Word word, bool& given) {
  if (!token_.is(word)) return false;
  if (given) fail("each option once");
  given = true;
  advance();
  return true;
}

bool Parser::device_option(std::int32_t& device, bool& given) {
  if (!option(Word::on, given)) return false;
  device = static_cast<std::int32_t>(integer(0, most_int));
  return true;
}

void Parser::declare_buffers() {
  const Place place = here();
  advance();
  DeclareBuffers buffers;
  buffers.first = declare(ThingKind::memory);
  while (token_.kind == TokenKind::word) declare(ThingKind::memory);
  if (token_.kind != TokenKind::number) fail("a size or another name");
  buffers.bytes = size();
  bool kind_given = false;
  bool device_given = false;
  while (device_option(buffers.device, device_given) ||
         (!kind_given && (kind_given = memory_kind(buffers.kind)))) {
  }
  if (!kind_given && !device_given) require_kind_or_end();
  for (Index i = buffers.first; i < program_.things.size(); ++i) {
    program_.things[i].bytes = buffers.bytes;
  }
  set_devices(buffers.first, buffers.device);
  finish_declaration(buffers, place);
}

void Parser::declare_streams() {
  const Place place = here();
  advance();
  DeclareStreams streams;
  streams.first = declare(ThingKind::stream);
  const auto is_option = [this] {
    return token_.is(Word::blocking) || token_.is(Word::nonblocking) || token_.is(Word::priority) ||
           token_.is(Word::on);
  };
  while (token_.kind == TokenKind::word && !is_option()) declare(ThingKind::stream);
  bool kind_given = false;
  bool priority_given = false;
  bool device_given = false;
  for (bool more = true; more;) {
    streams.blocking = streams.blocking || token_.is(Word::blocking);
    more = option(Word::blocking, kind_given) || option(Word::nonblocking, kind_given) ||
           device_option(streams.device, device_given);
    if (!more && option(Word::priority, priority_given)) {
      streams.priority = static_cast<std::int32_t>(integer(-most_int, most_int));
      more = true;
    }
  }
  set_devices(streams.first, streams.device);
  finish_declaration(streams, place);
}

void Parser::declare_events() {
  const Place place = here();
  advance();
  DeclareEvents events;
  events.first = declare(ThingKind::event);
  const auto is_option = [this] {
    return token_.is(Word::timing) || token_.is(Word::blocking) || token_.is(Word::interprocess) ||
           token_.is(Word::on);
  };
  while (token_.kind == TokenKind::word && !is_option()) declare(ThingKind::event);
  bool device_given = false;
  while (option(Word::timing, events.timing) || option(Word::blocking, events.blocking) ||
         option(Word::interprocess, events.interprocess) ||
         device_option(events.device, device_given)) {
  }
  set_devices(events.first, events.device);
  finish_declaration(events, place);
}

void Parser::declare_flags() {
  const Place place = here();
  advance();
  DeclareFlags flags;
  flags.first = declare(ThingKind::flag);
  while (token_.kind == TokenKind::word) declare(ThingKind::flag);
  finish_declaration(flags, place);
}

}  // namespace millrace::script
