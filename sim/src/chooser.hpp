// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Where the choices of an explored run come from. Such a run knows no hurry: a host thread goes on
/// when it is chosen, devices do only what somebody needs, a query may be answered either way.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace millrace::sim {

/// What steps of host threads may have in common.
enum class Thing : std::uint8_t {
  stream,    ///< its queue
  event,     ///< its latest record
  device,    ///< what is enqueued there
  legacy,    ///< the order between the legacy stream and blocking ones
  progress,  ///< how much of a stream is done
  pool,      ///< which addresses are free
  memory,    ///< bytes that the host touches
  capture,   ///< what may be called meanwhile
  lock,
  signal,
  server,  ///< the turn of host functions of a device
};

/// How a step touches a thing. Two steps of different actors that touch it may change places when
/// both read or both add.
enum class Touch : std::uint8_t {
  read,
  add,
  write,
  release,  ///< orders what took the thing before what takes it later; itself in nobody's way
};

/// Who can take the next step: a host thread by its index, or a host function that can start.
struct Actor {
  std::uint64_t key = 0;

  static constexpr std::uint64_t function_bit = std::uint64_t{1} << 63U;
  static constexpr Actor thread(std::uint32_t index) { return {index}; }
  /// Host functions are told apart by the engine's number of the operation.
  static constexpr Actor function(std::uint64_t serial) { return {serial | function_bit}; }
  [[nodiscard]] constexpr bool is_function() const { return (key & function_bit) != 0; }
  [[nodiscard]] constexpr std::uint64_t serial() const { return key & ~function_bit; }
  friend constexpr bool operator==(Actor, Actor) = default;
};

class Chooser {
 public:
  virtual ~Chooser() = default;

  static constexpr std::size_t no_one = std::numeric_limits<std::size_t>::max();
  /// Who goes on, up to its next call; `no_one` gives the run up. There is at least one.
  virtual std::size_t choose(std::span<const Actor> actors) = 0;
  /// Whether a query whose work may be done or not finds it done.
  virtual bool finds_done() = 0;
  /// The step that was chosen last does this.
  virtual void touch(Thing thing, std::uint64_t id, Touch how) = 0;
  /// That host thread reports something that it saw.
  virtual void observe(std::uint32_t thread, std::string_view text) = 0;
};

}  // namespace millrace::sim
