// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A script, parsed: flat lists of small statements in which every name is resolved.

#include "words.hpp"

#include <millrace/access.hpp>
#include <millrace/backend.hpp>
#include <millrace/check.hpp>
#include <millrace/error.hpp>
#include <millrace/name.hpp>
#include <millrace/script.hpp>
#include <millrace/time.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace millrace::script {

using Index = std::uint32_t;
inline constexpr Index nothing = ~Index{0};

enum class ThingKind : std::uint8_t { stream, event, flag, memory, graph, thread };

/// "stream", "event" …
std::string_view to_string(ThingKind kind);

/// What a name of the one space of names stands for. A name of memory or of a graph that is given
/// again after it was freed is still the same thing: at any time it has one current handle.
struct Thing {
  Symbol name = 0;
  ThingKind kind = ThingKind::stream;
  bool declared = true;     ///< exists from the start: made by a declaration
  std::int32_t device = 0;  ///< of streams, events and declared memory
  std::uint64_t bytes = 0;  ///< of memory: as it was given last
  std::uint32_t line = 0;   ///< where it was given first
};

/// The two streams that always exist come first among the things.
inline constexpr Index legacy_thing = 0;
inline constexpr Index perthread_thing = 1;

struct Region {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;    ///< where it is `open`, as large as the memory was in the text
  std::uint64_t pitch = 0;  ///< 0: contiguous
  std::uint64_t width = 0;
  Index memory = nothing;
  bool open = true;   ///< up to the end of the memory, however large it is when it is used
  bool whole = true;  ///< written without brackets
};

/// Which regions a kernel or host function touches: those from `first` on, in this order.
struct Regions {
  Index first = 0;
  std::uint16_t reads = 0;
  std::uint16_t writes = 0;
  std::uint16_t updates = 0;
};

/// A duration that may be left out: then the profile decides.
struct Cost {
  std::int64_t ns = -1;
  [[nodiscard]] bool given() const { return ns >= 0; }
};

/// An operation in an expectation: its k-th instance, or the last one.
struct OperationName {
  Symbol name = 0;
  std::uint32_t instance = 0;  ///< 0: the last
};

// Declarations. Things of one declaration stand next to each other.
struct UseProfile {};
struct UseDevices {};
struct DeclareBuffers {
  std::uint64_t bytes = 0;
  Index first = 0, count = 0;
  std::int32_t device = 0;
  MemoryKind kind = MemoryKind::device;
};
struct DeclareStreams {
  Index first = 0, count = 0;
  std::int32_t device = 0;
  std::int32_t priority = 0;
  bool blocking = false;
};
struct DeclareEvents {
  Index first = 0, count = 0;
  std::int32_t device = 0;
  bool timing = false, blocking = false, interprocess = false;
};
struct DeclareFlags {
  Index first = 0, count = 0;
};

// Operations of a stream.
struct Kernel {
  Symbol name = 0;
  Regions regions;
  std::uint32_t blocks = 1, threads = 256;
  Cost cost;
};
struct Call {
  Symbol name = 0;
  Regions regions;
  Cost cost;
};
struct Copy {
  std::uint64_t bytes = 0;  ///< where `sized`
  Cost cost;
  Index regions = 0;  ///< source, then destination
  Index ordinal = 0;  ///< N of copyN
  bool sized = false, synchronous = false;
};
struct Fill {
  Cost cost;
  Index region = 0;
  Index ordinal = 0;
  bool synchronous = false;
};
struct Record {
  Index event = 0;
  bool external = false;
};
struct Wait {
  Index event = 0;
  bool external = false;
};
struct Alloc {
  std::uint64_t bytes = 0;
  Index memory = 0;
};
struct FreeInOrder {
  Index memory = 0;
};
struct SetFlag {
  Index flag = 0;
  std::uint32_t value = 0;
};
struct AwaitFlag {
  Index flag = 0;
  std::uint32_t value = 0;
  FlagCondition condition = FlagCondition::greater_or_equal;
};
struct Begin {
  CaptureMode mode = CaptureMode::global;
};
struct End {
  Index graph = 0;
};
struct Launch {
  Index graph = 0;
};
struct Fault {
  Errc code = Errc::IllegalAddress;
};

// Operations of the host.
struct Sync {
  Index thing = nothing;
};  ///< nothing: the current device
struct Query {
  Index thing = 0;
};
struct Poll {
  Index thing = 0;
};
struct Touch {
  Index first = 0;
  std::uint16_t count = 0;
  bool write = false;
};
struct Work {
  std::int64_t ns = 0;
};
struct Elapsed {
  Index start = 0, end = 0;
};
struct Malloc {
  std::uint64_t bytes = 0;
  Index memory = 0;
  MemoryKind kind = MemoryKind::device;
};
struct Free {
  Index memory = 0;
};
struct Destroy {
  Index thing = 0;
};
struct Raise {
  Symbol signal = 0;
};
struct Await {
  Symbol signal = 0;
};
struct SetDevice {
  std::int32_t device = 0;
};
struct Reset {};
struct Join {
  Index thread = 0;
};

// Blocks: the statements behind them up to `end`.
struct Thread {
  Index thread = 0, end = 0;
};
struct Repeat {
  std::uint32_t count = 0;
  Index end = 0;
};
struct If {
  Index thing = 0, otherwise = 0, end = 0;
};  ///< `otherwise`: where the else part begins

// Expectations.
struct ExpectClean {};
struct ExpectFinding {
  FindingKind kind = FindingKind::race;
  Symbol object = 0;
  OperationName first, second;  ///< of a race; no names: any two
};
struct ExpectError {
  Errc code = Errc::InvalidValue;
};
struct ExpectState {
  Index thing = 0;
  bool ready = true;
};
enum class Order : std::uint8_t { before, unordered, overlaps };
struct ExpectOrder {
  Order order = Order::before;
  OperationName first, second;
};
enum class Moment : std::uint8_t { start, finish, end };
struct ExpectTime {
  std::int64_t ns = 0;
  Moment moment = Moment::end;
  OperationName operation;
};
struct ExpectElapsed {
  std::int64_t ns = 0;
  Index start = 0, end = 0;
};

using StatementKind =
    std::variant<UseProfile, UseDevices, DeclareBuffers, DeclareStreams, DeclareEvents,
                 DeclareFlags, Kernel, Call, Copy, Fill, Record, Wait, Alloc, FreeInOrder, SetFlag,
                 AwaitFlag, Begin, End, Launch, Fault, Sync, Query, Poll, Touch, Work, Elapsed,
                 Malloc, Free, Destroy, Raise, Await, SetDevice, Reset, Join, Thread, Repeat, If,
                 ExpectClean, ExpectFinding, ExpectError, ExpectState, ExpectOrder, ExpectTime,
                 ExpectElapsed>;

struct Statement {
  StatementKind kind;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Index stream = nothing;  ///< whose operation it is

  template <typename Kind>
  [[nodiscard]] const Kind* as() const {
    return std::get_if<Kind>(&kind);
  }
  [[nodiscard]] bool is_expectation() const;
};

/// `# allow KIND OBJECT`: such findings may be there or not.
struct Allowed {
  FindingKind kind = FindingKind::race;
  std::string object;  ///< empty for a deadlock
};

/// What the comments of a text allow: lines of their own that say so and nothing else. Others are
/// comments like any.
std::vector<Allowed> allowed_by_comments(std::string_view text);

/// Where the statements that stand behind a statement's own block go on.
Index after(const std::vector<Statement>& statements, Index statement);

/// How a statement is written; of a block, its first line.
std::string to_text(const Script::Program& program, const Statement& statement);

}  // namespace millrace::script

namespace millrace {

struct Script::Program {
  std::string file;
  Name file_name;
  std::string profile = "ideal";
  int devices = 1;
  std::vector<script::Statement> statements;
  std::vector<script::Allowed> allowed;
  std::vector<script::Index> declarations;  ///< the statements that make something from the start
  std::vector<script::Region> regions;
  std::vector<script::Thing> things;
  script::Index copies = 0;  ///< how many copies and fills stand in the text
  script::Index fills = 0;

  [[nodiscard]] std::string_view word(script::Symbol symbol) const {
    return {word_text_.data() + word_ends_[symbol], word_ends_[symbol + 1] - word_ends_[symbol]};
  }
  [[nodiscard]] std::string_view name_of(script::Index thing) const {
    return word(things[thing].name);
  }
  void keep_words(const script::Words& words);

  /// What names are called in the process, made at their first use, which is a run.
  struct Names {
    std::vector<Name> words;
    std::vector<Name> copies;
    std::vector<Name> fills;
  };
  [[nodiscard]] const Names& names() const;

 private:
  std::string word_text_;
  std::vector<std::size_t> word_ends_{0};
  mutable std::once_flag named_;
  mutable Names names_;
};

}  // namespace millrace
