// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Memory pools: where buffers that are made in a stream's order take their memory from.

#include <millrace/device.hpp>
#include <millrace/name.hpp>
#include <millrace/pool_settings.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace millrace {

struct MemoryPoolOptions {
  std::optional<Device> device{};   ///< the current device when not given
  PoolSettings settings{};          ///< as a new CUDA pool's when not given
  std::uint64_t largest_bytes = 0;  ///< it never reserves more; 0: all that the device has
  Name name{};                      ///< what reports call it
};

/// A pool of device memory. Copies share it, there is no empty one, and the last to go destroys it,
/// which returns at once: buffers made of it live on.
///
/// Every member that takes `where` throws Error{InvalidResourceHandle} when its run is over or its
/// device was reset.
class MemoryPool {
 public:
  explicit MemoryPool(SourceLocation where = SourceLocation::current());
  explicit MemoryPool(const MemoryPoolOptions& options,
                      SourceLocation where = SourceLocation::current());

  [[nodiscard]] PoolSettings settings(SourceLocation where = SourceLocation::current()) const;
  void set_settings(const PoolSettings& settings,
                    SourceLocation where = SourceLocation::current()) const;
  [[nodiscard]] PoolStats stats(SourceLocation where = SourceLocation::current()) const;
  /// Peaks count from what is reserved and used now.
  void reset_peak_stats(SourceLocation where = SourceLocation::current()) const;
  /// Gives memory back to the device until at most `bytes_to_keep` are reserved, or nothing more
  /// can be: what is in use stays, and what was freed until a host thread synchronizes with that.
  void trim_to(std::uint64_t bytes_to_keep, SourceLocation where = SourceLocation::current()) const;

  [[nodiscard]] Device device() const noexcept;
  /// "pool 'scratch' (made at app.cpp:12)"
  [[nodiscard]] std::string mention() const;

  /// For those who implement backends and tools: what `device`'s backend calls it. Throws
  /// Error{InvalidValue} when it belongs to another backend.
  [[nodiscard]] Handle handle_for(const Device& device, const CallSite& site) const;

  friend bool operator==(const MemoryPool& a, const MemoryPool& b) noexcept;

 private:
  struct State;
  explicit MemoryPool(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
  friend MemoryPool default_memory_pool(const Device& device, SourceLocation where);
  friend MemoryPool current_memory_pool(const Device& device, SourceLocation where);

  std::shared_ptr<const State> state_;
};

/// The pool that each device has from the start, and that nobody destroys.
MemoryPool default_memory_pool(const Device& device,
                               SourceLocation where = SourceLocation::current());
MemoryPool default_memory_pool(SourceLocation where = SourceLocation::current());

/// The pool that buffers made in the order of a device's streams take their memory from unless they
/// name another one: the default pool, or the one that was set. Keeps no pool alive.
MemoryPool current_memory_pool(const Device& device,
                               SourceLocation where = SourceLocation::current());
MemoryPool current_memory_pool(SourceLocation where = SourceLocation::current());
/// Makes it the current one of its device, for all host threads, until another one is set or it is
/// destroyed: then the default pool is current again.
void set_memory_pool(const MemoryPool& pool, SourceLocation where = SourceLocation::current());

}  // namespace millrace
