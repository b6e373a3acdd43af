// SPDX-License-Identifier: Apache-2.0
#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

using namespace millrace;
using namespace std::chrono_literals;  // style-ok: literals only

namespace {

/// What is written to standard error while it lives.
class CapturedError {
 public:
  CapturedError() : file_(std::tmpfile()), former_(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    dup2(fileno(file_), STDERR_FILENO);
  }
  ~CapturedError() {
    restore();
    std::fclose(file_);
  }
  CapturedError(const CapturedError&) = delete;
  CapturedError& operator=(const CapturedError&) = delete;

  std::string text() {
    restore();
    std::rewind(file_);
    std::array<char, 4096> bytes{};
    return {bytes.data(), std::fread(bytes.data(), 1, bytes.size(), file_)};
  }

 private:
  void restore() {
    if (former_ < 0) return;
    std::fflush(stderr);
    dup2(former_, STDERR_FILENO);
    close(former_);
    former_ = -1;
  }

  std::FILE* file_;
  int former_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("the watchdog names the host thread that blocks the operating-system thread, once") {
  CapturedError captured;
  sim::run({.watchdog = 20ms}, [] {
    sim::thread culprit("culprit", [] {
      sim::sleep_for(1us);
      std::this_thread::sleep_for(150ms);  // real time
    });
  });
  const std::string text = captured.text();
  INFO(text);
  CHECK(count(text, "millrace: watchdog: no progress") == 1);
  CHECK(has(text, "host thread 'culprit'"));
  CHECK(has(text, "last called the API at tests/sim/watchdog_tests.cpp:"));
  CHECK(has(text, "sim::mutex"));
}

TEST_CASE("the watchdog tells an operation's body from a host thread") {
  CapturedError captured;
  sim::run({.watchdog = 20ms}, [] {
    const Stream stream;
    stream.launch("slow", {}, [] { std::this_thread::sleep_for(100ms); });
    stream.synchronize();
  });
  CHECK(has(captured.text(), "the body of an operation"));
}

TEST_CASE("the watchdog keeps quiet about long runs that go on") {
  using Clock = std::chrono::steady_clock;
  CapturedError captured;
  Clock::duration longest_gap{};  // a loaded machine may really stop the thread for a while
  sim::run({.trace = false, .watchdog = 50ms}, [&] {
    const auto end = Clock::now() + 200ms;
    for (auto now = Clock::now(); now < end;) {
      sim::sleep_for(1us);
      const auto before = std::exchange(now, Clock::now());
      longest_gap = std::max(longest_gap, now - before);
    }
  });
  const std::string text = captured.text();
  INFO(text);
  CHECK((text.empty() || longest_gap > 25ms));
}

TEST_CASE("the watchdog does not watch when it is told so") {
  CapturedError captured;
  sim::run({.watchdog = Duration{0}}, [] { std::this_thread::sleep_for(20ms); });
  CHECK(captured.text().empty());
}
