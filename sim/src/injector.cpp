// SPDX-License-Identifier: Apache-2.0
#include "injector.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace millrace::sim {
namespace {

constexpr std::int64_t most_percent = 1'000'000;

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(Errc::InvalidValue, "sim::run", "options.inject: " + reason, {});
}

void check_device(int device, int devices, std::string_view what) {
  if (device >= 0 && device < devices) return;
  refuse(std::string(what) + " device " + std::to_string(device) + ", and the machine has " +
         std::to_string(devices));
}

bool takes(EngineKind engine, Path path) {
  switch (engine) {
    case EngineKind::kernels:
      return path == Path::kernel;
    case EngineKind::to_device:
      return path == Path::to_device;
    case EngineKind::to_host:
      return path == Path::to_host;
    case EngineKind::on_device:
      return path == Path::on_device || path == Path::fill || path == Path::inline_fill;
  }
  return false;
}

}  // namespace

void check(const Injection& injection, int devices) {
  for (const FailedOperation& failed : injection.failures) {
    if (failed.number == 0) refuse("operations count from 1 on, not from 0");
    if (failed.code == Errc::Success || failed.code == Errc::NotReady) {
      refuse(std::string(to_string(failed.code)) + " is no failure");
    }
  }
  for (const LostDevice& lost : injection.lost) {
    check_device(lost.device, devices, "cannot lose");
    if (lost.at < Time{}) refuse("a device cannot be lost before the run begins");
    if (lost.code == Errc::Success || lost.code == Errc::NotReady) {
      refuse(std::string(to_string(lost.code)) + " is no failure");
    }
  }
  for (const SlowEngine& slow : injection.slow) {
    if (slow.device != -1) check_device(slow.device, devices, "cannot slow down");
    if (slow.percent < 1 || slow.percent > most_percent) {
      refuse("an engine's percentage is 1 to " + std::to_string(most_percent));
    }
  }
}

Injector::Injector(const Injection& injection) : slow_(injection.slow) {
  for (const FailedOperation& failed : injection.failures) failures_.push_back({failed});
}

const FailedOperation* Injector::enqueued(std::string_view name) {
  const FailedOperation* hit = nullptr;
  for (Counted& counted : failures_) {
    if (!counted.what.name.empty() && counted.what.name != name) continue;
    if (++counted.seen == counted.what.number && hit == nullptr) hit = &counted.what;
  }
  return hit;
}

Duration Injector::slowed(Duration duration, Path path, int device) const {
  for (const SlowEngine& slow : slow_) {
    if (!takes(slow.engine, path) || (slow.device != -1 && slow.device != device)) continue;
    const std::int64_t longest = std::numeric_limits<std::int64_t>::max() / most_percent;
    duration = Duration{std::min(duration.ns, longest) * slow.percent / 100};
  }
  return duration;
}

}  // namespace millrace::sim
