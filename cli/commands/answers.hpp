// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Answers that are found in any order and given in theirs.

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace::cli {

struct Answer {
  std::string output;   ///< for standard output
  std::string message;  ///< for standard error
  int exit_code = 0;
};

/// A place for each answer. Safe from any thread.
class Answers {
 public:
  explicit Answers(std::size_t n) : places_(n) {}

  void put(std::size_t index, Answer answer) {
    {
      const std::lock_guard lock(mutex_);
      places_[index] = std::move(answer);
    }
    arrived_.notify_all();
  }

  /// Waits for the answer and gives it away.
  Answer take(std::size_t index) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return places_[index].has_value(); });
    Answer answer = std::move(*places_[index]);
    places_[index].reset();
    return answer;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::optional<Answer>> places_;
};

}  // namespace millrace::cli
