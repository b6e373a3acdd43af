// SPDX-License-Identifier: Apache-2.0
// Random sequences of API calls, valid and not: each call returns or throws Error; nothing crashes,
// hangs or leaks (the sanitizer build says so), and a run repeated gives the same trace.

#include <millrace/millrace.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace millrace;

/// How many sequences; MILLRACE_TEST_SEQUENCES for more or fewer than the usual.
std::uint64_t sequences() {
  const char* const text = std::getenv("MILLRACE_TEST_SEQUENCES");
  return text == nullptr ? 100'000 : std::strtoull(text, nullptr, 10);
}

/// One program, made by its seed. Works on the Backend, which takes stale and foreign handles that
/// the public types cannot even hold.
class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {}

  void run() {
    const Device device("sim:0");
    backend_ = device.shared_backend();
    streams_ = {0, backend_->legacy_stream(0), backend_->per_thread_stream(0)};
    const std::uint64_t length = 1 + pick(40);
    for (std::uint64_t i = 0; i < length; ++i) {
      try {
        step();
      } catch (const Error& error) {
        if (error.code() == Errc::Success) throw;
      }
    }
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  bool chance(std::uint64_t in) { return pick(in) == 0; }

  Handle any(const std::vector<Handle>& handles) {
    if (handles.empty() || chance(40)) return random_();  // garbage
    return handles[pick(handles.size())];
  }
  Handle stream() { return chance(50) ? any(events_) : any(streams_); }
  Handle event() { return chance(50) ? any(streams_) : any(events_); }
  int device() { return chance(30) ? static_cast<int>(pick(5)) - 1 : static_cast<int>(pick(2)); }

  Access region() {
    const std::uint64_t begin = pick(80);
    Access made{any(memories_), begin, begin + pick(80)};
    if (chance(6)) {
      made.pitch = pick(20);
      made.width = pick(20);
    }
    return made;
  }
  Duration cost() { return Duration{static_cast<std::int64_t>(pick(4) * 1000)}; }
  Task body() {
    if (chance(2)) return nullptr;
    return [] {
      try {
        current_device().synchronize();  // refused inside a body
      } catch (const Error&) {
        return;
      }
      std::abort();
    };
  }

  void step() {
    switch (pick(6)) {
      case 0:
        return make();
      case 1:
        return look();
      case 2:
        return order();
      case 3:
        return capture();
      default:
        return work();
    }
  }

  void make() {
    switch (pick(9)) {
      case 0:
      case 1:
        streams_.push_back(backend_->create_stream(
            {.device = device(), .priority = static_cast<int>(pick(9)) - 7, .blocking = chance(2)},
            site_));
        break;
      case 2:
      case 3:
        events_.push_back(backend_->create_event(
            {.device = device(), .timing = chance(2), .interprocess = chance(4)}, site_));
        break;
      case 4:
      case 5:
        memories_.push_back(backend_
                                ->allocate({.device = device(),
                                            .kind = static_cast<MemoryKind>(pick(4)),
                                            .bytes = pick(200),
                                            .backed = chance(2)},
                                           site_)
                                .memory);
        break;
      case 6:
        backend_->destroy_stream(stream(), site_);
        break;
      case 7:
        backend_->destroy_event(event(), site_);
        break;
      default:
        backend_->free(any(memories_), site_);
        break;
    }
  }

  void look() {
    switch (pick(8)) {
      case 0:
        static_cast<void>(backend_->query_stream(stream(), site_));
        break;
      case 1:
        static_cast<void>(backend_->query_event(event(), site_));
        break;
      case 2:
        backend_->synchronize_stream(stream(), site_);
        break;
      case 3:
        backend_->synchronize_event(event(), site_);
        break;
      case 4:
        backend_->synchronize_device(device(), site_);
        break;
      case 5:
        static_cast<void>(backend_->elapsed_time(event(), event(), site_));
        break;
      case 6:
        if (chance(2)) {
          backend_->host_access({region()}, {}, site_);
        } else {
          backend_->host_access({}, {region()}, site_);
        }
        break;
      default:
        if (chance(3)) {
          backend_->reset_device(device(), site_);
        } else {
          sim::sleep_for(cost());
        }
    }
  }

  void order() {
    if (chance(2)) {
      backend_->record_event(event(), stream(), chance(10), site_);
    } else {
      backend_->wait_event(stream(), event(), chance(10), site_);
    }
  }

  void work() {
    switch (pick(8)) {
      case 0:
      case 1:
        backend_->launch(stream(), "kernel",
                         {.grid = {static_cast<std::uint32_t>(pick(3))},
                          .block = {static_cast<std::uint32_t>(pick(1100))},
                          .cost = cost(),
                          .reads = {region()},
                          .updates = {region(), region()}},
                         body(), site_);
        break;
      case 2:
        backend_->call(stream(), "call", {.cost = cost(), .writes = {region()}}, body(), site_);
        break;
      case 3:
      case 4:
        backend_->copy(stream(), region(), region(), {.cost = cost(), .synchronous = chance(3)},
                       site_);
        break;
      case 5:
        backend_->fill(stream(), region(), 7, {.synchronous = chance(3)}, site_);
        break;
      case 6:
        if (chance(20)) backend_->fault(stream(), Errc::IllegalAddress, site_);
        memories_.push_back(
            backend_->allocate_async(stream(), {.bytes = pick(100), .backed = chance(2)}, site_)
                .memory);
        break;
      default:
        backend_->free_async(stream(), any(memories_), site_);
        break;
    }
  }

  void capture() {
    switch (pick(6)) {
      case 0:
      case 1:
        backend_->begin_capture(stream(), static_cast<CaptureMode>(pick(3)), site_);
        break;
      case 2:
      case 3:
        graphs_.push_back(backend_->end_capture(stream(), "graph", site_));
        break;
      case 4:
        backend_->launch_graph(stream(), any(graphs_), site_);
        break;
      default:
        backend_->destroy_graph(any(graphs_), site_);
        break;
    }
  }

  std::mt19937_64 random_;
  std::shared_ptr<Backend> backend_;
  CallSite site_{"random", SourceLocation::current()};
  std::vector<Handle> streams_;
  std::vector<Handle> events_;
  std::vector<Handle> memories_;
  std::vector<Handle> graphs_;
};

sim::Report simulate(std::uint64_t seed) {
  const sim::Options options{.profile = seed % 3 == 0 ? "h200" : "ideal", .devices = 2};
  return sim::run(options, [&] { Program(seed).run(); });
}

}  // namespace

TEST_CASE("no sequence of calls, valid or not, crashes, hangs or differs when repeated") {
  for (std::uint64_t seed = 1; seed <= sequences(); ++seed) {
    const sim::Report report = simulate(seed);
    if (seed % 16 != 0) continue;
    INFO("seed " << seed);
    REQUIRE(simulate(seed).trace == report.trace);
  }
}
