// SPDX-License-Identifier: Apache-2.0
// When a pool hands out a freed block again, and what it answers when it has none.

#include "pool_situations.hpp"

namespace millrace::contract {
namespace {

/// A block freed on a busy stream, asked for on another one after `between`.
template <typename Between>
std::string other_stream(const Scene& scene, const PoolSettings& settings, Between between) {
  const MemoryPool pool = pool_of(scene, settings);
  const Stream freeing = stream_of(scene);
  const Stream asking = stream_of(scene);
  const Buffer<char> first = allocate(pool, freeing);
  Gate gate(freeing);
  first.free(freeing);
  between(freeing, asking, gate);
  return compare(first, allocate(pool, asking));
}

/// The same, and the pool keeps what it has.
template <typename Between>
std::string kept(const Scene& scene, const ReusePolicy& reuse, Between between) {
  return other_stream(scene, {.reuse = reuse, .release_threshold = everything}, between);
}

// What happens between the free and the allocation.
const auto nothing = [](const Stream&, const Stream&, Gate&) {};
const auto finished = [](const Stream& freeing, const Stream&, Gate& gate) {
  gate.open();
  settle();
  while (!freeing.query()) {
  }
};
const auto elapsed = [](const Stream&, const Stream&, Gate& gate) {
  gate.open();
  settle();
};
const auto synchronized = [](const Stream& freeing, const Stream&, Gate& gate) {
  gate.open();
  freeing.synchronize();
};

Truths by_one_stream() {
  return {
      {"pool.reuse.same-stream-pending",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> first = allocate(pool, s.stream);
         const Gate gate(s.stream);
         first.free(s.stream);
         return compare(first, allocate(pool, s.stream));
       }},
      {"pool.reuse.same-stream-all-off",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s, {.reuse = all_off});
         const Buffer<char> first = allocate(pool, s.stream);
         first.free(s.stream);
         return compare(first, allocate(pool, s.stream));
       }},
      {"pool.reuse.other-stream-pending", [](Scene& s) { return other_stream(s, {}, nothing); }},
  };
}

Truths by_order() {
  return {
      {"pool.reuse.event",
       [](Scene& s) {
         return other_stream(s, {.reuse = by_events},
                             [&](const Stream& freeing, const Stream& asking, Gate&) {
                               wait_by_event(s, asking, freeing);
                             });
       }},
      {"pool.reuse.event-off",
       [](Scene& s) {
         return other_stream(s, {.reuse = all_off},
                             [&](const Stream& freeing, const Stream& asking, Gate&) {
                               wait_by_event(s, asking, freeing);
                             });
       }},
      {"pool.reuse.event-recorded-before-free",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s, {.reuse = by_events});
         const Buffer<char> first = allocate(pool, s.stream);
         const Gate gate(s.stream);
         wait_by_event(s, s.other, s.stream);
         first.free(s.stream);
         return compare(first, allocate(pool, s.other));
       }},
      {"pool.reuse.event-over-third-stream",
       [](Scene& s) {
         const Stream third = stream_of(s);
         return other_stream(s, {.reuse = by_events},
                             [&](const Stream& freeing, const Stream& asking, Gate&) {
                               wait_by_event(s, third, freeing);
                               wait_by_event(s, asking, third);
                             });
       }},
      {"pool.reuse.event-allocated-before-free",
       [](Scene& s) {
         return other_stream(s, {.reuse = by_events},
                             [&](const Stream& freeing, const Stream& asking, Gate&) {
                               wait_by_event(s, asking, freeing);
                               asking.launch("empty");
                               wait_by_event(s, asking, asking);
                             });
       }},
      {"pool.reuse.legacy-after-blocking",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s, {.reuse = by_events});
         const Buffer<char> first = allocate(pool, s.blocking);
         const Gate gate(s.blocking);
         first.free(s.blocking);
         return compare(first, allocate(pool, s.legacy()));
       }},
      {"pool.reuse.blocking-after-legacy",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s, {.reuse = by_events});
         const Buffer<char> first = allocate(pool, s.legacy());
         const Gate gate(s.legacy());
         first.free(s.legacy());
         return compare(first, allocate(pool, s.blocking));
       }},
  };
}

Truths by_completion() {
  return {
      {"pool.reuse.opportunistic-queried",
       [](Scene& s) { return kept(s, opportunistic, finished); }},
      {"pool.reuse.opportunistic-time-passed",
       [](Scene& s) { return kept(s, opportunistic, elapsed); }},
      {"pool.reuse.opportunistic-synchronized",
       [](Scene& s) { return kept(s, opportunistic, synchronized); }},
      {"pool.reuse.opportunistic-off-queried", [](Scene& s) { return kept(s, all_off, finished); }},
      {"pool.reuse.opportunistic-off-time-passed",
       [](Scene& s) { return kept(s, all_off, elapsed); }},
      {"pool.reuse.opportunistic-off-synchronized",
       [](Scene& s) { return kept(s, all_off, synchronized); }},
      {"pool.reuse.opportunistic-off-event-synchronized",
       [](Scene& s) {
         return kept(s, all_off, [&](const Stream& freeing, const Stream&, Gate& gate) {
           Event event = plain_event(s);
           event.record(freeing);
           gate.open();
           event.synchronize();
         });
       }},
      {"pool.reuse.opportunistic-off-follower-synchronized",
       [](Scene& s) {
         return kept(s, all_off, [&](const Stream& freeing, const Stream&, Gate& gate) {
           const Stream follower = stream_of(s);
           wait_by_event(s, follower, freeing);
           gate.open();
           follower.synchronize();
         });
       }},
      {"pool.reuse.opportunistic-off-device-synchronized",
       [](Scene& s) {
         return kept(s, all_off, [&](const Stream&, const Stream&, Gate& gate) {
           gate.open();
           s.device.synchronize();
         });
       }},
  };
}

/// A pool of one block: freed on a busy stream, asked for on another one.
std::string full_pool(const Scene& scene, const ReusePolicy& reuse) {
  const MemoryPool pool = pool_of(scene, {.reuse = reuse}, 32 * mebi);
  const Stream freeing = stream_of(scene);
  const Stream asking = stream_of(scene);
  const Buffer<char> first = allocate(pool, freeing, 32 * mebi);
  const Gate gate(freeing);
  first.free(freeing);
  try {
    const Buffer<char> second = allocate(pool, asking, 32 * mebi);
    return join({compare(first, second), asking.query() ? "runs" : "waits"});
  } catch (const Error& error) {
    return std::string(to_string(error.code()));
  }
}

/// A pool keeps three fifths of the device for later uses; what `allocate` then answers for as
/// much.
template <typename Allocate>
std::string after_cached(const Scene& scene, Allocate allocate) {
  const MemoryPool pool = pool_of(scene, {.release_threshold = everything});
  const std::uint64_t most = scene.device.memory_info().free_bytes / 5 * 3;
  free_unbacked(allocate_unbacked(pool, scene.stream, most), scene.stream);
  scene.device.synchronize();
  const std::string answered = answer([&] { allocate(most); });
  return join({answered, reserved(pool) == "0" ? "given back" : "kept"});
}

Truths at_the_limit() {
  return {
      {"pool.full.internal",
       [](Scene& s) {
         return full_pool(s, {false, false, true});
       }},
      {"pool.full.internal-off",
       [](Scene& s) {
         return full_pool(s, {true, true, false});
       }},
      {"pool.full.live",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s, {}, 32 * mebi);
         const Buffer<char> live = allocate(pool, s.stream, 32 * mebi);
         return answer([&] { allocate(pool, s.stream); });
       }},
      {"pool.full.larger",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s, {}, 32 * mebi);
         return answer([&] { allocate(pool, s.stream, 64 * mebi); });
       }},
      {"malloc.while-pool-caches",
       [](Scene& s) {
         return after_cached(s, [&](std::uint64_t bytes) {
           const CallSite site{"malloc", SourceLocation::current()};
           Backend& backend = s.device.backend();
           backend.free(backend.allocate({.bytes = bytes, .backed = false}, site).memory, site);
         });
       }},
      {"pool.allocate-while-other-pool-caches",
       [](Scene& s) {
         return after_cached(s, [&](std::uint64_t bytes) {
           const MemoryPool other = pool_of(s);
           free_unbacked(allocate_unbacked(other, s.stream, bytes), s.stream);
           s.device.synchronize();
         });
       }},
      {"pool.allocate.huge",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const std::string made =
             answer([&] { allocate_unbacked(pool, s.stream, std::uint64_t{1} << 50); });
         const std::string seen(to_string(last_error()));
         return join({made, seen, answer([&] { s.stream.synchronize(); })});
       }},
  };
}

}  // namespace

Truths reuse_truths() {
  Truths all;
  for (const Truths& some : {by_one_stream(), by_order(), by_completion(), at_the_limit()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace millrace::contract
