// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The parser: recursive descent over one token, with every name resolved on the way.

#include "lexer.hpp"
#include "names.hpp"
#include "program.hpp"
#include "values.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::script {

/// How deep blocks may stand in each other.
inline constexpr std::size_t max_depth = 64;
/// How often loops, with those around them, may run their body.
inline constexpr std::uint64_t max_repeats = 1'000'000'000;
/// How many regions one operation may name in each of its lists.
inline constexpr std::size_t max_regions = 10'000;
/// As many devices as a simulated machine can have.
inline constexpr int max_devices = 64;

/// A set of kinds of things.
class Kinds {
 public:
  constexpr Kinds(std::initializer_list<ThingKind> kinds) {
    for (const ThingKind kind : kinds) bits_ |= 1U << static_cast<unsigned>(kind);
  }
  [[nodiscard]] constexpr bool has(ThingKind kind) const {
    return (bits_ >> static_cast<unsigned>(kind) & 1U) != 0;
  }

 private:
  unsigned bits_ = 0;
};

/// "a stream, an event or a graph".
std::string describe(Kinds kinds);

/// Whether this begins an operation of streams, or of the host.
bool is_stream_operation(Word word);
bool is_host_operation(Word word);

class Parser {
 public:
  Parser(std::string_view text, Script::Program& program);
  /// Fills the program or throws ScriptError.
  void parse();

 private:
  // Frame: lines, prefixes and blocks (parser.cpp).
  enum class BlockKind : std::uint8_t { thread, repeat, then_part, else_part };
  struct Block {
    BlockKind kind = BlockKind::thread;
    Index statement = 0;
    std::uint32_t line = 0;
    Names::Mark mark = 0;
    std::uint64_t repeats = 1;  ///< of the block around it
    Names::Branch branch;
  };
  void check_text() const;
  void statement();
  void stream_statement();
  void host_statement();
  void word_statement();
  [[nodiscard]] bool next_operation();
  void thread_block();
  void repeat_block();
  void if_block();
  void open_block(BlockKind kind, Index statement);
  void close_block();
  void begin_else(Block block);
  void leave_loop(const Block& block);

  // Declarations (parse_declarations.cpp).
  void declaration(Word word);
  void declare_profile();
  void declare_devices();
  void declare_buffers();
  void declare_streams();
  void declare_events();
  void declare_flags();
  Index declare(ThingKind kind);
  void check_new_name(ThingKind kind);
  bool option(Word word, bool& given);
  bool device_option(std::int32_t& device, bool& given);
  template <typename Kind>
  void finish_declaration(Kind declaration, Place place);
  void set_devices(Index first, std::int32_t device);

  // Operations of a stream (parse_stream.cpp).
  void stream_operation(Index stream);
  void kernel(Index stream, Place place);
  void call(Index stream, Place place);
  void copy(Index stream, Place place);
  void fill(Index stream, Place place);
  void event_operation(Index stream, Place place, bool wait);
  void flag_set(Index stream, Place place);
  void flag_await(Index stream, Place place);
  void capture(Index stream, Place place);
  void fault(Index stream, Place place);
  struct Clauses;
  bool access_clause(Clauses& clauses);
  bool shape_clause(Kernel& kernel, unsigned& seen);
  Regions keep_regions(const Clauses& clauses);
  bool cost_clause(Cost& cost);
  bool synchronous_clause(Index stream, bool& synchronous);
  Symbol operation_name();

  // Operations of the host (parse_host.cpp).
  void host_operation();
  void sync(Place place);
  void touch(Place place, bool write);
  void elapsed(Place place);
  void host_malloc(Place place);
  void signal(Place place, bool raise);
  void set_device(Place place);

  // Expectations (parse_expect.cpp).
  void expectation();
  [[nodiscard]] bool expects_order() const;
  [[nodiscard]] bool is_operation(Symbol name) const;
  void expect_order(Place place);
  void expect_finding(FindingKind kind, Place place);
  void expect_state(bool ready, Place place);
  void expect_error(Place place);
  void expect_time(Moment moment, Place place);
  void expect_elapsed(Place place);
  enum class Meaning : std::uint8_t { operation, access, memory, destroyable, event };
  OperationName operation_reference(Meaning meaning);
  void refer(Meaning meaning, Symbol name);
  void check_references() const;
  [[nodiscard]] bool exists(Meaning meaning, Symbol name) const;
  [[nodiscard]] std::string missing(Meaning meaning, Symbol name) const;

  // Names and values (parse_values.cpp).
  Index thing(Kinds kinds);
  Index given_thing(ThingKind kind);  ///< the name that an operation makes; see Names::give
  Region region();
  void bounds(Region& region, std::uint64_t bytes);
  std::vector<Region>& region_list(std::vector<Region>& list);
  std::int64_t integer(std::int64_t least, std::int64_t most);
  std::uint64_t size();
  std::int64_t duration(bool may_be_negative = false);
  Errc error_code();
  bool memory_kind(MemoryKind& kind);
  void require_kind_or_end();

  // Tokens and errors (parse_values.cpp).
  void advance() { token_ = lexer_.next(); }
  bool take(Word word) {
    if (!token_.is(word)) return false;
    advance();
    return true;
  }
  void require(TokenKind kind, std::string_view expected);
  void require_end();
  [[nodiscard]] Place here() const { return lexer_.place(token_); }
  template <typename Kind>
  Index add(const Kind& kind, Place place, Index stream = nothing) {
    program_.statements.push_back(Statement{kind, place.line, place.column, stream});
    return static_cast<Index>(program_.statements.size() - 1);
  }
  [[noreturn]] void fail(std::string_view expected, std::string_view remark = "") const;
  [[noreturn]] void fail_at(Place place, std::string message) const;
  [[noreturn]] void fail_word(std::string_view expected, std::initializer_list<Word> words) const;
  [[nodiscard]] std::string found() const;
  [[nodiscard]] std::string similar_thing(Kinds kinds, std::string_view word) const;

  struct Reference {
    Place place;
    Symbol name = 0;
    Meaning meaning = Meaning::operation;
  };

  std::string_view text_;
  Script::Program& program_;
  Words words_;
  Lexer lexer_;
  Names names_;
  Token token_;
  bool fresh_line_ = true;  ///< nothing stands before the token on its line
  std::vector<Block> blocks_;
  std::uint64_t repeats_ = 1;  ///< how often the place where we are is run
  std::vector<Reference> references_;
  std::vector<bool> is_operation_;       // by symbol: names of kernels and host functions
  bool reads_ = false, writes_ = false;  // the host touches memory somewhere
  bool profile_given_ = false, devices_given_ = false;
  std::vector<Region> scratch_[3];  // reads, writes and updates of the operation being read
};

}  // namespace millrace::script
