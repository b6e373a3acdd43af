// SPDX-License-Identifier: Apache-2.0
// Host threads.
#include "pair.hpp"

#include <mutex>

namespace millrace::test {

TEST_CASE("joining a thread does not wait for its device work") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    sim::thread worker([&] {
      w.s1.copy(w.pinned, w.a);
      if (fixed) w.s1.synchronize();
    });
    worker.join();
    host_reads(w.pinned);
  });
}

TEST_CASE("work of two threads on two streams") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    sim::thread worker([&] {
      w.s1.launch("fill", {.writes = {w.a}});
      w.e.record(w.s1);
    });
    worker.join();
    if (fixed) w.e.wait(w.s2);
    w.s2.launch("use", {.reads = {w.a}});
  });
}

TEST_CASE("a lock orders the calls, not the work") {
  check_pair({"race A"}, [](World& w, bool fixed) {
    sim::mutex lock("lock");
    const auto step = [&](const Stream& stream) {
      const std::lock_guard guard(lock);
      stream.launch("step", {.updates = {w.a}});
      if (fixed) stream.synchronize();
    };
    sim::thread worker([&] { step(w.s1); });
    step(w.s2);
  });
}

TEST_CASE("a notification orders the threads, not the work") {
  check_pair({"race pinned"}, [](World& w, bool fixed) {
    sim::mutex lock("lock");
    sim::condition_variable changed("changed");
    bool done = false;
    sim::thread worker([&] {
      w.s1.copy(w.pinned, w.a);
      if (fixed) w.s1.synchronize();
      const std::lock_guard guard(lock);
      done = true;
      changed.notify_one();
    });
    std::unique_lock guard(lock);
    changed.wait(guard, [&] { return done; });
    host_reads(w.pinned);
  });
}

TEST_CASE("a host function that takes the lock of the thread that waits for it") {
  check_pair({"deadlock"}, [](World& w, bool fixed) {
    sim::mutex lock("lock");
    w.s1.call("log", [&] { const std::lock_guard guard(lock); });
    if (fixed) w.s1.synchronize();
    const std::lock_guard guard(lock);
    if (!fixed) w.s1.synchronize();
  });
}

TEST_CASE("two locks in two orders, although nobody was stuck") {
  check_pair({"deadlock"}, [](World& /*w*/, bool fixed) {
    sim::mutex one("one");
    sim::mutex two("two");
    sim::thread worker([&] {
      const std::lock_guard outer(fixed ? one : two);
      const std::lock_guard inner(fixed ? two : one);
    });
    const std::lock_guard outer(one);
    const std::lock_guard inner(two);
  });
}

TEST_CASE("three locks in a circle, although nobody was stuck") {
  check_pair({"deadlock"}, [](World& /*w*/, bool fixed) {
    sim::mutex one("one");
    sim::mutex two("two");
    sim::mutex three("three");
    const auto both = [](sim::mutex& first, sim::mutex& second) {
      const std::lock_guard outer(first);
      const std::lock_guard inner(second);
    };
    sim::thread a([&] { both(one, two); });
    sim::thread b([&] { both(two, three); });
    fixed ? both(one, three) : both(three, one);
  });
}

}  // namespace millrace::test
