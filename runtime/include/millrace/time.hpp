// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Time in whole nanoseconds: points and durations are distinct types, and no decision ever uses a
/// floating-point number.

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace millrace {

/// A length of time in whole nanoseconds; may be negative (a difference of two points).
struct Duration {
  std::int64_t ns = 0;

  constexpr Duration() = default;
  constexpr explicit Duration(std::int64_t nanoseconds) : ns(nanoseconds) {}

  /// The longest that anything in a run may take: 2^60 ns, 36 years.
  static constexpr Duration longest() { return Duration{std::int64_t{1} << 60}; }

  /// Any `std::chrono` duration, e.g. `120us` or `1.5ms`; fractions of a nanosecond are cut off.
  template <typename Rep, typename Period>
  constexpr Duration(std::chrono::duration<Rep, Period> other)  // NOLINT
      : ns(std::chrono::duration_cast<std::chrono::nanoseconds>(other).count()) {}

  friend constexpr auto operator<=>(Duration, Duration) = default;  // NOLINT
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration{a.ns + b.ns}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return Duration{a.ns - b.ns}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return Duration{a.ns * n}; }
};

/// A point in time: nanoseconds since the start of the run (simulated) or of the trace (real).
struct Time {
  std::int64_t ns = 0;

  constexpr Time() = default;
  constexpr explicit Time(std::int64_t nanoseconds) : ns(nanoseconds) {}

  /// The last point that a run can reach and a trace can hold: 2^61 ns, 73 years. Within these
  /// bounds no sum or difference of times overflows.
  static constexpr Time latest() { return Time{std::int64_t{1} << 61}; }
  /// Later than every point that a run can reach.
  static constexpr Time never() { return Time{std::numeric_limits<std::int64_t>::max()}; }

  friend constexpr auto operator<=>(Time, Time) = default;  // NOLINT
  friend constexpr Time operator+(Time t, Duration d) { return Time{t.ns + d.ns}; }
  friend constexpr Time operator-(Time t, Duration d) { return Time{t.ns - d.ns}; }
  friend constexpr Duration operator-(Time a, Time b) { return Duration{a.ns - b.ns}; }
};

/// Writes a duration as people do, exactly: `0ns`, `750ns`, `12.5us`, `1.234567ms`, `-3us`.
std::string to_string(Duration duration);
/// The same for the time since the start.
std::string to_string(Time time);

}  // namespace millrace
