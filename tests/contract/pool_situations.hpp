// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// What the questions about memory pools are made of.

#include "truth.hpp"

#include <millrace/memory_pool.hpp>

#include <cstdint>
#include <string>

namespace millrace::contract {

inline constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
inline constexpr std::uint64_t block = 4 * mebi;
inline constexpr std::uint64_t everything = ~std::uint64_t{0};
inline constexpr ReusePolicy all_off{false, false, false};
inline constexpr ReusePolicy by_events{true, false, false};
inline constexpr ReusePolicy opportunistic{false, true, false};

inline MemoryPool pool_of(const Scene& scene, const PoolSettings& settings = {},
                          std::uint64_t largest_bytes = 0) {
  return MemoryPool({.device = scene.device, .settings = settings, .largest_bytes = largest_bytes});
}

inline Stream stream_of(const Scene& scene) { return Stream({.device = scene.device}); }

inline Buffer<char> allocate(const MemoryPool& pool, const Stream& stream,
                             std::uint64_t bytes = block) {
  return Buffer<char>(bytes, {.stream = stream, .pool = pool});
}

/// No bytes of this computer stand behind it, so that it can be as large as a device has them.
inline Allocation allocate_unbacked(const MemoryPool& pool, const Stream& stream,
                                    std::uint64_t bytes) {
  const CallSite site{"allocate", SourceLocation::current()};
  const MemoryDescription wanted{
      .bytes = bytes, .backed = false, .pool = pool.handle_for(stream.device(), site)};
  return stream.backend().allocate_async(stream.handle(), wanted, site);
}
inline void free_unbacked(const Allocation& memory, const Stream& stream) {
  stream.backend().free_async(stream.handle(), memory.memory, {"free", SourceLocation::current()});
}

inline std::string compare(const Buffer<char>& first, const Buffer<char>& second) {
  return first.address() == second.address() ? "reused" : "fresh";
}

/// In MiB where it is a whole number of them.
inline std::string in_mebi(std::uint64_t bytes) {
  return bytes % mebi == 0 ? std::to_string(bytes / mebi) : std::to_string(bytes) + "B";
}
inline std::string reserved(const MemoryPool& pool) { return in_mebi(pool.stats().reserved_bytes); }
inline std::string used(const MemoryPool& pool) { return in_mebi(pool.stats().used_bytes); }

inline void wait_by_event(const Scene& scene, const Stream& later, const Stream& earlier) {
  Event event = plain_event(scene);
  event.record(earlier);
  event.wait(later);
}

}  // namespace millrace::contract
