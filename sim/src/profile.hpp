// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A device's timing and its rules of arbitration, as a `.profile` file states them. The default
/// values are those of `ideal`: nothing takes time but work itself, and nothing competes.

#include "size_table.hpp"

#include <millrace/time.hpp>
#include <millrace/trace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::sim {

/// What a host call costs the thread that makes it.
struct HostCosts {
  std::array<Duration, static_cast<std::size_t>(CallKind::try_lock) + 1> call{};
  Duration timed_record{};    ///< a record of an event with timing
  Duration copy_to_device{};  ///< asynchronous copies, by direction
  Duration copy_to_host{};
  Duration copy_on_device{};
  SizeTable staging{};           ///< a pageable copy to the device that is staged at the call
  Duration wake{};               ///< from the end of the work to the return of who waited for it
  Duration wake_after_record{};  ///< … where a record was the last
  SizeTable host_copy{};         ///< from host memory to host memory

  Duration& of(CallKind kind) { return call[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] Duration of(CallKind kind) const { return call[static_cast<std::size_t>(kind)]; }
};

/// How long it takes until an operation starts: `latency` from the end of its call on, where the
/// device was idle; `after_…` from the end of the operation before it on.
struct StartDelays {
  Duration kernel{}, copy{}, device_copy{}, fill{}, record{}, timed_record{};  // latency
  Duration host_function{};
  Duration kernel_after_kernel{}, kernel_after_timed_record{}, kernel_after_copy{};
  Duration kernel_after_host_function{}, kernel_in_graph{};
  Duration copy_after_copy{}, copy_after_timed_record{}, copy_after_other{};
  Duration fill_after_other{};
  Duration host_function_after_host_function{}, host_function_after_other{};
};

/// What a kind of transfer takes alone, by size.
struct TransferTime {
  SizeTable paired{};   ///< as a pair of timed events around it measures
  Duration overhead{};  ///< what of that is not the transfer's own
  /// Its own time; `otherwise` where nothing is said.
  [[nodiscard]] Duration of(std::uint64_t bytes, Duration otherwise) const;
  /// The part of it that has nothing to do with bandwidth.
  [[nodiscard]] Duration fixed() const;
};

struct Transfers {
  TransferTime to_device, to_host, on_device, between_devices, fill;
  SizeTable pageable{};                     ///< those that are not staged at the call
  std::uint64_t staging_bytes = ~0ULL;      ///< room for what is staged and not yet copied
  std::uint64_t inline_fill = 0;            ///< fills up to this size need no multiprocessor
  std::uint32_t device_copy_threads = 512;  ///< of the one block that a device copy or fill needs
  std::int64_t both_directions = 1000;  ///< time of a copy while one goes the other way, per mille
  std::int64_t beside_kernel = 1000;    ///< time of a copy while a kernel runs, per mille
};

// Policies: rules that nobody documents. The first of each is `h200`'s.
enum class EngineOrder : std::uint8_t { submission, readiness, priority };
enum class QueueAssignment : std::uint8_t { created, busy };
enum class DefaultStreamQueue : std::uint8_t { last, first, own };
enum class QueueMembers : std::uint8_t { compute, kernels, everything };
enum class RingScope : std::uint8_t { queue, stream };
enum class HeadOfLine : std::uint8_t { strict, passing };
enum class Placement : std::uint8_t { most_room, lowest_number };
enum class UrgentAtLimit : std::uint8_t { drain, next_place };

struct QueueRules {
  std::uint32_t count = 0;  ///< hardware queues; 0: one for each stream
  QueueAssignment assignment = QueueAssignment::created;
  DefaultStreamQueue default_streams = DefaultStreamQueue::last;
  QueueMembers members = QueueMembers::compute;
  std::uint32_t ring = 0;  ///< operations that fit before the host blocks; 0: no bound
  RingScope ring_scope = RingScope::queue;
};

struct MultiprocessorRules {
  std::uint32_t count = 132;
  std::uint32_t warps = 64;
  std::uint32_t blocks = 32;
  std::uint32_t registers = 65'536;
  std::uint32_t shared_bytes = 233'472;
  std::uint32_t shared_reserved = 1024;  ///< of each block
  std::uint32_t grids = 128;             ///< at most so many kernels at once
  HeadOfLine head_of_line = HeadOfLine::strict;
  Placement placement = Placement::most_room;
  UrgentAtLimit urgent_at_limit = UrgentAtLimit::drain;
};

struct Profile {
  std::string name = "ideal";
  bool device_model = false;  ///< whether anything on the device competes or takes time to start
  Duration default_operation{10'000};  ///< kernels, copies, fills and calls that name no cost
  Duration event_clock{1};             ///< the resolution of elapsed times
  Duration record{}, timed_record{};   ///< how long a record keeps its stream
  bool free_blocks = false;            ///< a plain free waits for the whole device
  std::uint64_t pool_chunk = 512;      ///< what memory pools reserve multiples of
  bool pageable_blocks = false;  ///< asynchronous copies with pageable memory wait as measured
  HostCosts host;
  StartDelays start;
  Transfers transfers;
  EngineOrder engine_order = EngineOrder::submission;
  QueueRules queues;
  MultiprocessorRules multiprocessors;
};

/// A profile by name, or by file where the name ends in `.profile`; a relative path counts from the
/// working directory. CUDA_DEVICE_MAX_CONNECTIONS (1 to 32) sets the number of hardware queues of a
/// profile that has any. Throws Error{InvalidValue} naming the profiles that there are, or the
/// file, the line and what was expected there.
Profile find_profile(const std::string& name);

/// Reads a profile's text; `origin` is what messages call it.
Profile parse_profile(std::string_view text, const std::string& origin);

/// Those that are built in.
struct BuiltInProfile {
  std::string_view name;
  std::string_view text;
};
const std::vector<BuiltInProfile>& built_in_profiles();

}  // namespace millrace::sim
