// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Flags: 32-bit words that streams set and wait for, as with CUDA's stream memory operations.

#include <millrace/device.hpp>
#include <millrace/flag_condition.hpp>
#include <millrace/name.hpp>

#include <memory>
#include <optional>
#include <string>

namespace millrace {

struct FlagOptions {
  std::optional<Device> device{};  ///< the current device when not given
  Name name{};                     ///< what reports call it
};

/// A 32-bit word, 0 at the start, that Stream::set_flag writes and Stream::await_flag waits for, on
/// every device of its device's type. Copies share it, there is no empty one; when the last one
/// goes, operations on it that are enqueued still complete.
class Flag {
 public:
  explicit Flag(SourceLocation where = SourceLocation::current());
  explicit Flag(const FlagOptions& options, SourceLocation where = SourceLocation::current());

  /// "flag 'ready' (made at app.cpp:12)"
  [[nodiscard]] std::string mention() const;

  /// For those who implement backends and tools: what `device`'s backend calls it. Throws
  /// Error{InvalidResourceHandle} when it belongs to another backend.
  [[nodiscard]] Handle handle_for(const Device& device, const CallSite& site) const;

  friend bool operator==(const Flag& a, const Flag& b) noexcept { return a.state_ == b.state_; }

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace millrace
