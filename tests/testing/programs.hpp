// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Programs that tests of the test kit run.

#include <millrace/millrace.hpp>

#include <chrono>
#include <mutex>

namespace millrace::test {

/// `upload` fills a buffer on one stream and `use` reads it on another: ordered by an event, or not
/// at all.
inline sim::Report upload_and_use(bool ordered, const sim::Options& options = {}) {
  using namespace std::chrono_literals;  // style-ok: literals only
  return sim::run(options, [ordered] {
    const Buffer<float> numbers(1024, {.name = "numbers"});
    const Stream producer({.name = "producer"});
    const Stream consumer({.name = "consumer"});
    producer.launch("upload", {.cost = 120us, .writes = {numbers}});
    if (ordered) consumer.wait_event(producer.record_event());
    consumer.launch("use", {.cost = 80us, .reads = {numbers}});
    current_device().synchronize();
  });
}

/// The host waits to be notified, and nobody is there to do it.
inline sim::Report deadlock() {
  return sim::run([] {
    sim::mutex lock("lock");
    sim::condition_variable ready("ready");
    std::unique_lock held(lock);
    ready.wait(held);
  });
}

}  // namespace millrace::test
