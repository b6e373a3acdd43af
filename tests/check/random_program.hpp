// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Small programs at random, right and wrong ones, of everything that the checker knows.

#include "../support/trace_builder.hpp"

#include <millrace/trace.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace millrace::test {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed);

  /// The program's trace, its steps in an order that its dependencies allow.
  [[nodiscard]] Trace trace() const { return builder_.build_shuffled(seed_); }

 private:
  struct Thread {
    TraceIndex index = 0;
    bool stuck = false;  // awaits a raise that has not come yet
    bool joined = false;
  };
  struct Set {
    TraceIndex flag = 0;
    std::uint32_t value = 0;
    TraceIndex operation = 0;
  };

  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <typename T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  void make_cast();
  void step();
  void choose_thread();
  void device_work();
  void host_work();
  void order();
  void memory_life();
  void signals();
  void flags();
  void locks();
  void graph();
  void threads();
  void mistakes();
  void add_accesses(TraceBuilder::Op operation);
  TraceAccess region(TraceIndex memory, AccessMode mode);

  std::uint64_t seed_;
  std::mt19937_64 random_;
  TraceBuilder builder_;
  bool few_places_ = false;
  std::vector<TraceIndex> streams_;
  std::vector<TraceIndex> events_;
  std::vector<TraceIndex> buffers_;
  std::vector<TraceIndex> temporary_;  // memory that was allocated by the program
  std::vector<TraceIndex> signals_;
  std::vector<TraceIndex> flags_;
  std::vector<Set> sets_;
  TraceIndex mutex_ = 0;
  std::vector<Thread> threads_;
  std::vector<std::vector<std::size_t>> waiting_;  // by signal: threads
  std::vector<std::size_t> raised_;                // by signal: raises that are left
};

}  // namespace millrace::test
