// SPDX-License-Identifier: Apache-2.0
// What calls and captures do to each other, beyond the lines of the measured tables.

#include "capture_situations.hpp"

#include <catch2/catch_test_macros.hpp>

namespace millrace::contract {
namespace {

constexpr CaptureMode modes[] = {CaptureMode::global, CaptureMode::thread_local_mode,
                                 CaptureMode::relaxed};

TEST_CASE("freeing is as unsafe as allocating") {
  for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned}) {
    for (const CaptureMode mode : modes) {
      on_every_backend([&] {
        Scene s;
        const Buffer<char> buffer = s.memory(kind);
        CHECK(beside(s.stream, mode, [&] { s.free(buffer); }) ==
              (mode == CaptureMode::relaxed ? passes : breaks));
      });
    }
  }
}

TEST_CASE("work on other streams is no matter of a capture, on the legacy one beside a free one") {
  for (const CaptureMode mode : modes) {
    on_every_backend([&] {
      Scene s;
      CHECK(beside(s.stream, mode, [&] { work(s.other); }) == passes);
      CHECK(beside(s.stream, mode, [&] { work(s.legacy()); }) == passes);
      CHECK(beside(s.stream, mode, [&] { s.other.record_event(s.done); }) == passes);
    });
  }
}

TEST_CASE("an event that no device knows yet is asked for as unsafely as others") {
  on_every_backend([] {
    Scene s;
    const Event unbound;
    CHECK(beside(s.stream, CaptureMode::global, [&] { return unbound.query(); }) == breaks);
    const Event another;
    CHECK(beside(s.stream, CaptureMode::global, [&] { another.synchronize(); }) == breaks);
    CHECK(beside(s.stream, CaptureMode::relaxed, [&] { return unbound.query(); }) == passes);
  });
}

TEST_CASE("the end of a mode guard's scope restores the former mode") {
  on_every_backend([] {
    Scene s;
    { const CaptureModeGuard guard(CaptureMode::relaxed, s.device); }
    CHECK(beside(s.stream, CaptureMode::global,
                 [&] { static_cast<void>(s.memory(MemoryKind::device)); }) == breaks);
  });
}

}  // namespace
}  // namespace millrace::contract
