// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Orders that are an accident of how host threads took turns in this run.

#include "order.hpp"
#include "stamps.hpp"
#include "steps.hpp"

#include <millrace/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace millrace::checker {

/// What the host threads order among themselves is the order of their calls by program order, start
/// and join, and signals. Two calls that it leaves open may come the other way round in another
/// legal run, and then, of the same program,
///  - two operations that they put on one stream, or on the legacy and a blocking stream of one
///    device, change places,
///  - a wait, synchronization or query finds another record of its event, or none,
///  - the synchronization of a stream or device covers work or does not,
///  - a lock is taken in the other order.
/// Two steps are unordered in every run, not only in this one, if no path leads from one to the
/// other even when each of these may go the way that suits the path.
class Accidents {
 public:
  Accidents(const Steps& steps, const Stamps& stamps) : steps_(steps), stamps_(stamps) {}

  /// Whether another legal run may order the two steps, which this one does not.
  bool may_order(Step a, Step b);
  /// Whether the host threads order two calls, one way or the other; yes where one is not known.
  bool host_ordered(TraceIndex a, TraceIndex b);

 private:
  using Entries = std::span<const std::pair<std::size_t, Step>>;
  /// Steps by a key, in their order of issue.
  class Index {
   public:
    void add(std::size_t key, Step step) { entries_.emplace_back(key, step); }
    void sort();
    [[nodiscard]] Entries of(std::size_t key) const;

   private:
    std::vector<std::pair<std::size_t, Step>> entries_;
  };

  void prepare();
  void index_operation(TraceIndex operation);
  void index_call(TraceIndex call);
  bool reaches(Step from, Step to);
  void follow(Step step);
  void follow_operation(TraceIndex operation);
  void follow_record(TraceIndex record);
  void follow_call(TraceIndex call);
  void follow_open(TraceIndex call, const Index& index, std::size_t key);
  void visit(Step step);
  [[nodiscard]] static TraceIndex next_of(Entries entries, TraceIndex index);
  [[nodiscard]] std::size_t row(Step step) const;
  [[nodiscard]] TraceIndex call_of(Step step) const;
  [[nodiscard]] TraceIndex bound_record(Step wait) const;

  const Steps& steps_;
  const Stamps& stamps_;
  std::optional<Stamps> host_;
  bool several_threads_ = false;
  // What follows what, and who shares what.
  Index outgoing_;      // by row: dependencies
  Index on_stream_;     // by stream: operations
  Index by_thread_;     // by thread: calls
  Index enqueued_;      // by call: operations
  Index waits_;         // by event: waits, synchronizations, queries
  Index stream_syncs_;  // by stream
  Index device_syncs_;  // all under 0: which device it was is not known
  Index locks_;         // by mutex
  // One search.
  std::vector<std::uint32_t> reached_;  // by row: the last search that came there
  std::vector<Step> open_;
  std::uint32_t search_ = 0;
  std::size_t edges_left_ = 20'000'000;  // over all searches: after that the answer is "may"
};

}  // namespace millrace::checker
