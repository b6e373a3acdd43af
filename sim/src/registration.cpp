// SPDX-License-Identifier: Apache-2.0
#include "profile.hpp"
#include "recorder.hpp"
#include "run.hpp"
#include "sim_backend.hpp"
#include "thread_hosts.hpp"

#include <millrace/backend.hpp>
#include <millrace/error.hpp>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

/// Referred to by whoever links the simulator, so that the linker keeps this file.
extern "C" void millrace_register_sim();

namespace millrace::sim {
namespace {

/// The machine outside of runs: it lasts as long as the process.
struct ProcessMachine {
  Recorder recorder{false};
  ThreadHosts hosts;
  std::shared_ptr<SimMachine> machine;
};

std::atomic<ThreadHosts*> hosts_of_process{nullptr};

int devices_from_environment() {
  const char* const text = std::getenv("MILLRACE_SIM_DEVICES");
  if (text == nullptr) return 1;
  const std::string_view value(text);
  int devices = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), devices);
  if (error != std::errc() || end != value.data() + value.size() || devices < 1 ||
      devices > most_devices) {
    throw Error(Errc::InvalidValue, "MILLRACE_SIM_DEVICES",
                "a number from 1 to 64 is expected, not '" + std::string(value) + "'", {});
  }
  return devices;
}

Profile profile_from_environment() {
  const char* const name = std::getenv("MILLRACE_SIM_PROFILE");
  return find_profile(name == nullptr ? "ideal" : name);
}

std::shared_ptr<Backend> make_process_machine() {
  auto process = std::make_shared<ProcessMachine>();
  process->machine =
      make_machine(profile_from_environment(), {.devices = devices_from_environment()},
                   process->recorder, process->hosts);
  process->hosts.drive(process->machine->clockwork());
  hosts_of_process = &process->hosts;
  SimMachine* const machine = process->machine.get();
  return {std::move(process), machine};
}

[[maybe_unused]] const bool registered_at_start = (millrace_register_sim(), true);

}  // namespace

ThreadHosts& process_hosts(const CallSite& site) {
  if (hosts_of_process == nullptr) static_cast<void>(backend_for("sim", site));
  return *hosts_of_process;
}

}  // namespace millrace::sim

void millrace_register_sim() {
  millrace::register_backend("sim", &millrace::sim::make_process_machine);
}
