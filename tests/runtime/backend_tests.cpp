// SPDX-License-Identifier: Apache-2.0
#include "../support/fake_backend.hpp"

#include <millrace/backend.hpp>
#include <millrace/device.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>
#include <thread>
#include <vector>

namespace millrace {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using test::FakeBackend;
using test::FakeRun;

constexpr CallSite site{"here", {"app.cpp", 7, 0}, false};

int made = 0;
std::shared_ptr<Backend> make_registered() {
  ++made;
  return std::make_shared<FakeBackend>(2, "registered");
}
std::shared_ptr<Backend> make_other() { return std::make_shared<FakeBackend>(9, "registered"); }

bool works = false;
std::shared_ptr<Backend> make_unreliable() {
  if (!works) throw std::runtime_error("no driver");
  return std::make_shared<FakeBackend>(1, "unreliable");
}

TEST_CASE("a registered backend is made once, at its first use, whoever asks") {
  register_backend("registered", make_registered);
  register_backend("registered", make_other);
  CHECK(made == 0);
  std::vector<std::shared_ptr<Backend>> seen(4);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (auto& backend : seen) {
    threads.emplace_back([&backend] { backend = backend_for("registered", site); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made == 1);
  for (const auto& backend : seen) CHECK(backend == seen.front());
  CHECK(device_count("registered") == 2);
}

TEST_CASE("a backend that cannot start offers no device and is tried again") {
  register_backend("unreliable", make_unreliable);
  CHECK(device_count("unreliable") == 0);
  CHECK_THROWS_AS(backend_for("unreliable", site), std::runtime_error);
  works = true;
  CHECK(device_count("unreliable") == 1);
}

TEST_CASE("a type that is not linked is an error that names those that are") {
  register_backend("registered", make_registered);
  CHECK_THROWS_MATCHES(
      backend_for("tpu", site), Error,
      MessageMatches(ContainsSubstring("here: InvalidDevice: no backend of type 'tpu' is linked") &&
                     ContainsSubstring("registered") && ContainsSubstring("(app.cpp:7)")));
  CHECK(device_count("tpu") == 0);
}

TEST_CASE("a run's backend takes the place of the process's, on its host threads only") {
  register_backend("fake", [] { return std::shared_ptr<Backend>(new FakeBackend(3)); });
  const auto process = backend_for("fake", site);
  {
    const FakeRun run;
    CHECK(backend_for("fake", site) == run.backend);
    CHECK(device_count("fake") == 1);
    std::shared_ptr<Backend> elsewhere;
    std::thread([&] { elsewhere = backend_for("fake", site); }).join();
    CHECK(elsewhere == process);
  }
  CHECK(backend_for("fake", site) == process);
}

template <typename Call>
void check_not_supported(const char* capability, Call call) {
  CHECK_THROWS_MATCHES(
      call(), Error,
      MessageMatches(ContainsSubstring("here: NotSupported: ") && ContainsSubstring(capability) &&
                     ContainsSubstring("is not supported by backend fake")));
}

TEST_CASE("a capability that a backend lacks says so and names itself") {
  FakeBackend fake;
  Backend& backend = fake;
  check_not_supported("fault", [&] { backend.fault(1, Errc::IllegalAddress, site); });
  check_not_supported("stream-ordered memory", [&] { backend.allocate_async(1, {}, site); });
  check_not_supported("stream-ordered memory", [&] { backend.free_async(1, 2, site); });
  check_not_supported("free memory", [&] { backend.memory_info(0, site); });
  check_not_supported("memory pools", [&] { backend.create_memory_pool({}, site); });
  check_not_supported("memory pools", [&] { backend.default_memory_pool(0, site); });
  check_not_supported("memory pools", [&] { backend.current_memory_pool(0, site); });
  check_not_supported("memory pools", [&] { backend.set_memory_pool(1, site); });
  check_not_supported("memory pools", [&] { backend.memory_pool_info(1, site); });
  check_not_supported("memory pools", [&] { backend.configure_memory_pool(1, {}, site); });
  check_not_supported("memory pools", [&] { backend.reset_memory_pool_peaks(1, site); });
  check_not_supported("memory pools", [&] { backend.trim_memory_pool(1, 0, site); });
  check_not_supported("flags", [&] { backend.create_flag("f", site); });
  check_not_supported("flags", [&] { backend.set_flag(1, 2, 3, site); });
  check_not_supported("flags", [&] { backend.await_flag(1, 2, FlagCondition::equal, 3, site); });
  check_not_supported("graph capture",
                      [&] { backend.begin_capture(1, CaptureMode::global, site); });
  check_not_supported("graph capture", [&] { backend.end_capture(1, "g", site); });
  check_not_supported("graph", [&] { backend.launch_graph(1, 2, site); });
  check_not_supported("graph", [&] { backend.destroy_graph(2, site); });
}

}  // namespace
}  // namespace millrace
