// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Faults that a simulated run meets on purpose, so that programs can test their error paths.

#include <millrace/error.hpp>
#include <millrace/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace millrace::sim {

/// One operation that fails.
struct FailedOperation {
  std::string name;          ///< the operation's; empty: whatever it is called
  std::uint64_t number = 1;  ///< which of those, in order of enqueueing over the run, from 1 on
  Errc code = Errc::LaunchFailure;
  /// False: the operation takes its time, then the device has failed with `code`: sticky, until a
  /// reset. True: the call that enqueues it throws `code` and enqueues nothing, and all else goes
  /// on; nodes of a graph, which no call enqueues alone, fail as they do otherwise.
  bool at_call = false;

  friend bool operator==(const FailedOperation&, const FailedOperation&) = default;
};

/// A device that fails by itself, be it busy or not: what is unfinished never ends, every later
/// call answers `code`.
struct LostDevice {
  int device = 0;
  Time at{};
  Errc code = Errc::DevicesUnavailable;

  friend bool operator==(const LostDevice&, const LostDevice&) = default;
};

/// What can be slow.
enum class EngineKind : std::uint8_t {
  kernels,
  to_device,  ///< copies from host to device
  to_host,
  on_device,  ///< copies within or between devices, and fills
};

/// An engine whose operations take more time, or less.
struct SlowEngine {
  EngineKind engine = EngineKind::kernels;
  std::int64_t percent = 100;  ///< of the usual duration, 1 to 1,000,000
  int device = -1;             ///< -1: of every device

  friend bool operator==(const SlowEngine&, const SlowEngine&) = default;
};

/// All faults of a run; none by default.
struct Injection {
  std::vector<FailedOperation> failures;
  std::vector<LostDevice> lost;
  std::vector<SlowEngine> slow;
  /// The bytes that each device has; what does not fit is MemoryAllocation. The profile's where not
  /// given.
  std::optional<std::uint64_t> device_bytes;

  friend bool operator==(const Injection&, const Injection&) = default;
};

/// A fault as text, added to `to`; several words may be given one after another:
/// `fail:NAME:CODE` (its first operation of that name; `NAME#3` the third, `#3` the third of all),
/// `refuse:NAME:CODE` (at the call), `lose:DEVICE:TIME` (e.g. `lose:1:50us`),
/// `slow:ENGINE:FACTOR` (`kernels`, `to-device`, `to-host`, `on-device`; `ENGINE@1` on one device),
/// `memory:SIZE` (e.g. `memory:64MiB`). Throws Error{InvalidValue} saying what is wrong.
void add_injection(std::string_view text, Injection& to);

}  // namespace millrace::sim
