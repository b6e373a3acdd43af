// SPDX-License-Identifier: Apache-2.0
// Which blocks pools give, when they give memory back, what they say of themselves, and what wrong
// frees answer.

#include "pool_situations.hpp"

namespace millrace::contract {
namespace {

Truths blocks() {
  return {
      {"pool.block.smaller",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> first = allocate(pool, s.stream);
         first.free(s.stream);
         return compare(first, allocate(pool, s.stream, mebi));
       }},
      {"pool.block.split",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> first = allocate(pool, s.stream);
         first.free(s.stream);
         const Buffer<char> left = allocate(pool, s.stream, mebi);
         const Buffer<char> right = allocate(pool, s.stream, mebi);
         return join({std::to_string((left.address() - first.address()) / 1024),
                      std::to_string((right.address() - first.address()) / 1024)});
       }},
      {"pool.block.merged",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> left = allocate(pool, s.stream, mebi);
         const Buffer<char> right = allocate(pool, s.stream, mebi);
         left.free(s.stream);
         right.free(s.stream);
         return compare(left, allocate(pool, s.stream, 2 * mebi));
       }},
      {"pool.block.smallest-apart",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> first = allocate(pool, s.stream, 1);
         const Buffer<char> second = allocate(pool, s.stream, 1);
         return join({std::to_string(second.address() - first.address()), used(pool)});
       }},
      {"pool.block.best-fit",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> large = allocate(pool, s.stream, 8 * mebi);
         const Buffer<char> wall = allocate(pool, s.stream, mebi);
         const Buffer<char> small = allocate(pool, s.stream, 2 * mebi);
         const Buffer<char> end = allocate(pool, s.stream, mebi);
         large.free(s.stream);
         small.free(s.stream);
         const Buffer<char> got = allocate(pool, s.stream, 2 * mebi);
         if (got.address() == small.address()) return "smallest";
         return got.address() == large.address() ? "first" : "other";
       }},
      {"pool.block.of-two-equal",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> first = allocate(pool, s.stream);
         const Buffer<char> wall = allocate(pool, s.stream, mebi);
         const Buffer<char> second = allocate(pool, s.stream);
         const Buffer<char> end = allocate(pool, s.stream, mebi);
         second.free(s.stream);
         first.free(s.stream);
         return compare(first, allocate(pool, s.stream)) == "reused" ? "lower" : "higher";
       }},
      {"pool.block.same-stream-before-completed-other",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> other = allocate(pool, s.other);
         const Buffer<char> own = allocate(pool, s.stream);
         other.free(s.other);
         settle();
         const Gate gate(s.stream);
         own.free(s.stream);
         const Buffer<char> got = allocate(pool, s.stream);
         if (got.address() == own.address()) return "own";
         return got.address() == other.address() ? "other" : "fresh";
       }},
  };
}

/// Two blocks beside each other, freed on two streams; whether a block of both can be had.
template <typename Between>
std::string merged_of_two_streams(const Scene& scene, Between between) {
  const MemoryPool pool = pool_of(scene, {.release_threshold = everything});
  const Buffer<char> left = allocate(pool, scene.stream, 16 * mebi);
  const Buffer<char> right = allocate(pool, scene.other, 16 * mebi);
  left.free(scene.stream);
  right.free(scene.other);
  between();
  const std::string answered = compare(left, allocate(pool, scene.stream, 32 * mebi));
  return join({answered, reserved(pool)});
}

Truths merged_blocks() {
  return {
      {"pool.block.merged-of-two-streams",
       [](Scene& s) { return merged_of_two_streams(s, [] { settle(); }); }},
      {"pool.block.merged-of-two-streams-synchronized",
       [](Scene& s) { return merged_of_two_streams(s, [&] { s.device.synchronize(); }); }},
  };
}

/// What a pool has reserved before and after a host thread did something, all being freed.
template <typename Synchronize>
std::string after_free(const Scene& scene, std::uint64_t threshold, Synchronize synchronize) {
  const MemoryPool pool = pool_of(scene, {.release_threshold = threshold});
  allocate(pool, scene.stream, 100 * mebi).free(scene.stream);
  settle();
  const std::string before = reserved(pool);
  synchronize();
  return join({before, reserved(pool)});
}

/// Multiples of what a pool reserves at a time, which no documentation says.
Truths reservation() {
  Truths all{
      {"pool.reserved.granularity",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> small = allocate(pool, s.stream, mebi);
         const std::string first = reserved(pool);
         const Buffer<char> large = allocate(pool, s.stream, 40 * mebi);
         return join({first, reserved(pool), used(pool)});
       }},
      {"pool.release.stream-synchronize",
       [](Scene& s) { return after_free(s, 0, [&] { s.stream.synchronize(); }); }},
      {"pool.release.event-synchronize",
       [](Scene& s) {
         return after_free(s, 0, [&] {
           Event event = plain_event(s);
           event.record(s.stream);
           event.synchronize();
         });
       }},
      {"pool.release.device-synchronize",
       [](Scene& s) { return after_free(s, 0, [&] { s.device.synchronize(); }); }},
      {"pool.release.stream-query",
       [](Scene& s) { return after_free(s, 0, [&] { static_cast<void>(s.stream.query()); }); }},
      {"pool.release.other-stream-synchronize",
       [](Scene& s) { return after_free(s, 0, [&] { s.other.synchronize(); }); }},
      {"pool.release.threshold-64",
       [](Scene& s) { return after_free(s, 64 * mebi, [&] { s.device.synchronize(); }); }},
      {"pool.release.threshold-all",
       [](Scene& s) { return after_free(s, everything, [&] { s.device.synchronize(); }); }},
      {"pool.release.part-in-use",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> large = allocate(pool, s.stream, 100 * mebi);
         const Buffer<char> small = allocate(pool, s.stream, mebi);
         const std::string before = reserved(pool);
         large.free(s.stream);
         s.device.synchronize();
         return join({before, reserved(pool), used(pool)});
       }},
      {"pool.used",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> data = allocate(pool, s.stream, 10 * mebi);
         const std::string before = used(pool);
         Gate gate(s.stream);
         data.free(s.stream);
         const std::string pending = used(pool);
         gate.open();
         s.device.synchronize();
         return join({before, pending, used(pool), in_mebi(pool.stats().peak_used_bytes),
                      in_mebi(pool.stats().peak_reserved_bytes)});
       }},
      {"pool.trim",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s, {.release_threshold = everything});
         const Buffer<char> a = allocate(pool, s.stream, 100 * mebi);
         const Buffer<char> b = allocate(pool, s.stream, 100 * mebi);
         a.free(s.stream);
         s.stream.synchronize();
         const std::string before = reserved(pool);
         pool.trim_to(150 * mebi);
         const std::string trimmed = reserved(pool);
         b.free(s.stream);
         s.stream.synchronize();
         pool.trim_to(64 * mebi);
         const std::string more = reserved(pool);
         pool.trim_to(0);
         return join({before, trimmed, more, reserved(pool)});
       }},
      {"pool.trim.pending",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         const Buffer<char> a = allocate(pool, s.stream, 100 * mebi);
         const Gate gate(s.stream);
         a.free(s.stream);
         pool.trim_to(0);
         return reserved(pool);
       }},
      {"pool.trim.finished-not-synchronized",
       [](Scene& s) {
         const MemoryPool pool = pool_of(s);
         allocate(pool, s.stream, 100 * mebi).free(s.stream);
         settle();
         pool.trim_to(0);
         return reserved(pool);
       }},
  };
  for (Truth& truth : all) truth.only_measured = true;
  return all;
}

Truths attributes() {
  return {
      {"pool.defaults",
       [](Scene& s) {
         const PoolSettings settings = default_memory_pool(s.device).settings();
         return join({std::to_string(int{settings.reuse.follow_event_dependencies}),
                      std::to_string(int{settings.reuse.allow_opportunistic}),
                      std::to_string(int{settings.reuse.allow_internal_dependencies}),
                      std::to_string(settings.release_threshold)});
       }},
      {"pool.destroy.default",
       [](Scene& s) {
         const CallSite site{"destroy", SourceLocation::current()};
         Backend& backend = s.device.backend();
         const Handle pool = backend.default_memory_pool(s.device.index(), site);
         return answer([&] { backend.destroy_memory_pool(pool, site); });
       }},
      {"pool.destroyed-with-memory-in-use",
       [](Scene& s) {
         const Buffer<char> data = allocate(pool_of(s), s.stream);
         const std::string filled = answer([&] { s.stream.fill(data, 0); });
         const std::string freed = answer([&] { data.free(s.stream); });
         return join({filled, freed, answer([&] { s.stream.synchronize(); })});
       }},
  };
}

Truths frees() {
  return {
      {"free.twice.async",
       [](Scene& s) {
         const Buffer<char> data(block, {.stream = s.stream});
         data.free(s.stream);
         const std::string again = answer([&] { data.free(s.stream); });
         return join({again, answer([&] { s.stream.synchronize(); })});
       }},
      {"free.twice.plain-after-async",
       [](Scene& s) {
         const Buffer<char> data(block, {.stream = s.stream});
         data.free(s.stream);
         return answer([&] { data.free(); });
       }},
      {"free.twice.plain",
       [](Scene& s) {
         const Buffer<char> data(block, {.device = s.device});
         data.free();
         return answer([&] { data.free(); });
       }},
      {"free.twice.async-after-plain",
       [](Scene& s) {
         const Buffer<char> data(block, {.device = s.device});
         data.free();
         return answer([&] { data.free(s.stream); });
       }},
      {"free.async.host-pointer", [](Scene& s) { return answer([&] { s.host.free(s.stream); }); }},
      {"free.async.pinned",
       [](Scene& s) {
         const Buffer<char> data(64, MemoryKind::pinned, s.device);
         return answer([&] { data.free(s.stream); });
       }},
      {"malloc.reuses-address",
       [](Scene& s) {
         const Buffer<char> first(block, {.device = s.device});
         first.free();
         return compare(first, Buffer<char>(block, {.device = s.device}));
       }},
      {"malloc.async-freed-plain-memory",
       [](Scene& s) {
         const Buffer<char> first(block, {.device = s.device});
         first.free(s.stream);
         s.stream.synchronize();
         return compare(first, Buffer<char>(block, {.stream = s.stream}));
       }},
      {"mallocAsync.zero",
       [](Scene& s) {
         std::string null = "address";
         const std::string made = answer([&] {
           if (Buffer<char>(0, {.stream = s.stream}).address() == 0) null = "null";
         });
         return join({made, null});
       }},
      {"mallocAsync.other-stream-event-dependency",
       [](Scene& s) {
         const Buffer<char> first(block, {.stream = s.stream});
         first.free(s.stream);
         wait_by_event(s, s.other, s.stream);
         return compare(first, Buffer<char>(block, {.stream = s.other}));
       }},
      {"mallocAsync.other-stream-opportunistic",
       [](Scene& s) {
         const Buffer<char> first(block, {.stream = s.stream});
         first.free(s.stream);
         settle();
         return compare(first, Buffer<char>(block, {.stream = s.other}));
       }},
  };
}

}  // namespace

Truths pool_truths() {
  Truths all;
  for (const Truths& some : {blocks(), merged_blocks(), reservation(), attributes(), frees()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace millrace::contract
