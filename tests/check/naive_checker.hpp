// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The checker as a beginner would write it: a graph of begins and ends, its transitive closure,
/// all pairs of accesses, byte by byte. It shares nothing with the real one but the trace.

#include <millrace/check.hpp>
#include <millrace/trace.hpp>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::test {

/// What is compared of a finding.
struct NaiveFinding {
  FindingKind kind = FindingKind::race;
  std::string object;
  std::pair<bool, TraceIndex> first;  // is a call, index
  std::pair<bool, TraceIndex> second;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t count = 0;

  friend auto operator<=>(const NaiveFinding&, const NaiveFinding&) = default;
};

/// Reads traces of at most `most_nodes` begins and ends, and memory of at most 64 bytes.
class NaiveChecker {
 public:
  static constexpr std::size_t most_nodes = 256;

  explicit NaiveChecker(const Trace& trace);

  [[nodiscard]] bool before(Step a, Step b) const;
  /// Races and uses after free, those of one kind, object and pair of places as one.
  [[nodiscard]] std::set<NaiveFinding> conflicts() const;
  /// Whether the trace can be of a run: each await was satisfied by something that came before.
  [[nodiscard]] bool is_possible() const { return possible_; }
  static bool can_read(const Trace& trace) {
    return 2 * (trace.operations.size() + trace.calls.size()) <= most_nodes;
  }

 private:
  using Nodes = std::bitset<most_nodes>;
  using Bytes = std::bitset<64>;
  struct Access {
    Step step{};
    TraceIndex memory = none;
    Bytes reads;
    Bytes writes;
    bool allocates = false;
    bool frees = false;
    std::size_t start = 0;          // the node after which it may begin
    std::vector<std::size_t> over;  // nodes each of which comes after it
  };
  using Relation = std::vector<Nodes>;  // by node: what comes before it

  [[nodiscard]] std::size_t begin(Step step) const;
  [[nodiscard]] std::size_t end(Step step) const { return begin(step) + 1; }
  [[nodiscard]] bool happened(Step step) const;
  [[nodiscard]] TraceIndex sequence(Step step) const;
  [[nodiscard]] std::size_t goes_out(Step step) const {
    return step.is_call ? begin(step) : end(step);
  }
  [[nodiscard]] std::size_t comes_in(Step step) const {
    return step.is_call ? end(step) : begin(step);
  }

  void edge(std::size_t from, std::size_t to) { edges_.push_back({from, to}); }
  void add_plain_edges();
  void add_stream_edges(TraceIndex operation);
  void add_dependencies();
  [[nodiscard]] bool is_guaranteed(Step await) const;
  [[nodiscard]] Relation closure(
      const std::vector<std::pair<std::size_t, std::size_t>>& more) const;
  [[nodiscard]] Relation pass(const Relation* previous) const;
  [[nodiscard]] Nodes guarantee(Step await, const Relation& now, const Relation* previous) const;
  [[nodiscard]] Nodes matched(Step await, const Relation& now) const;
  [[nodiscard]] std::optional<Nodes> knows(Step await, Step source, const Relation& now,
                                           const Relation* previous) const;
  [[nodiscard]] bool satisfies(std::uint64_t value, Step await) const;

  void collect_accesses(Step step);
  [[nodiscard]] bool ordered(const Access& a, const Access& b) const;
  [[nodiscard]] std::optional<FindingKind> judge(const Access& a, const Access& b) const;
  [[nodiscard]] static Bytes common(const Access& a, const Access& b, FindingKind kind);
  [[nodiscard]] std::string place(Step step) const;

  const Trace& trace_;
  std::vector<Step> steps_;  // that happened, in their order
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
  Relation past_;
  mutable bool possible_ = true;
  std::vector<Access> accesses_;
};

}  // namespace millrace::test
