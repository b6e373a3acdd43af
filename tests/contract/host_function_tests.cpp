// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <string>

namespace millrace::contract {
namespace {

TEST_CASE("host functions of one stream run in order") {
  on_every_backend([] {
    const Stream stream;
    std::string order;
    for (int i = 0; i < 8; ++i) {
      stream.call("f", [&order, i] { order += std::to_string(i); });
    }
    stream.synchronize();
    CHECK(order == "01234567");
  });
}

TEST_CASE("a host function holds the later work of its stream") {
  on_every_backend([] {
    const Stream stream;
    const Gate gate{stream};
    const Event event = stream.record_event();
    settle();
    CHECK_FALSE(event.query());
  });
}

TEST_CASE("host functions of one device are served one at a time") {
  on_every_backend([] {
    const Stream first;
    const Stream second;
    bool ran = false;
    Gate gate{first};
    second.call("f", [&] { ran = true; });
    settle();
    CHECK_FALSE(ran);
    gate.open();
    second.synchronize();
    CHECK(ran);
  });
}

TEST_CASE("kernels of other streams go on while a host function runs") {
  on_every_backend([] {
    const Stream first;
    const Stream second;
    bool ran = false;
    const Gate gate{first};
    second.launch("k", {}, [&] { ran = true; });
    second.synchronize();
    CHECK(ran);
  });
}

TEST_CASE("any call inside a host function or a kernel's body is NotPermitted") {
  on_every_backend([] {
    const Stream stream;
    Errc in_function = Errc::Success;
    Errc in_kernel = Errc::Success;
    stream.call("f", [&] { in_function = code_of([&] { static_cast<void>(stream.query()); }); });
    stream.launch("k", {}, [&] { in_kernel = code_of([] { Stream{}; }); });
    stream.synchronize();
    CHECK(in_function == Errc::NotPermitted);
    CHECK(in_kernel == Errc::NotPermitted);
    CHECK(stream.query());
  });
}

TEST_CASE("enqueueing a host function does not wait for it, however many there are") {
  on_every_backend([] {
    const Stream stream;
    int ran = 0;
    Gate gate{stream};
    CHECK_FALSE(blocks(gate, [&] {
      for (int i = 0; i < 20'000; ++i) stream.call("f", [&] { ++ran; });
    }));
    stream.synchronize();
    CHECK(ran == 20'000);
  });
}

TEST_CASE("what a host function holds is released after it has run") {
  on_every_backend([] {
    const auto watched = std::make_shared<int>(0);
    const Stream stream;
    stream.call("f", [watched] { ++*watched; });
    stream.synchronize();
    settle();
    CHECK(*watched == 1);
    CHECK(watched.use_count() == 1);
  });
}

TEST_CASE("an exception of a host function or of a kernel's body reaches the caller of the run") {
  for (World* const in : worlds()) {
    const auto thrown_by = [in](const std::function<void(const Stream&)>& enqueue) {
      in->run(1, [&] {
        const Stream stream;
        enqueue(stream);
        stream.synchronize();
      });
    };
    CHECK_THROWS_AS(thrown_by([](const Stream& stream) {
                      stream.call("f", [] { throw std::runtime_error("out"); });
                    }),
                    std::runtime_error);
    CHECK_THROWS_AS(thrown_by([](const Stream& stream) {
                      stream.launch("k", {}, [] { throw std::out_of_range("out"); });
                    }),
                    std::out_of_range);
  }
}

}  // namespace
}  // namespace millrace::contract
