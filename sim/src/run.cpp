// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include "fiber_hosts.hpp"
#include "injector.hpp"
#include "profile.hpp"
#include "recorder.hpp"
#include "sim_backend.hpp"
#include "watchdog.hpp"

#include <millrace/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::sim {
namespace {

Time latest(const Options& options) {
  if (options.max_time == Duration{0}) return Time::latest();
  return std::min(Time{} + options.max_time, Time::latest());
}

/// A run's machine with all that it refers to: streams that the program keeps keep it whole.
struct RunMachine {
  RunMachine(const Options& options, const Profile& profile, Chooser* chooser)
      : recorder(options.trace),
        hosts(recorder, latest(options), chooser),
        machine(make_machine(profile,
                             {.devices = options.devices,
                              .max_operations = options.max_operations,
                              .inject = options.inject},
                             recorder, hosts)) {}

  Recorder recorder;
  FiberHosts hosts;
  std::shared_ptr<SimMachine> machine;
};

/// Closes the machine, however its run ends.
class Closing {
 public:
  explicit Closing(SimMachine& machine) : machine_(machine) {}
  ~Closing() { machine_.close(); }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;

 private:
  SimMachine& machine_;
};

// Replay tokens: what identifies the program and the version, then the seed.

class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    add(std::uint64_t{0x100});  // so that texts do not run into one another
  }
  void add(std::uint64_t value) {  // FNV-1a, a word at a time
    hash_ = (hash_ ^ value) * 0x100'0000'01b3U;
  }
  [[nodiscard]] std::uint64_t value() const { return hash_ ^ (hash_ >> 32U); }

 private:
  std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325U;
};

std::string replay_token(const Options& options, const Trace& trace) {
  Fingerprint program;
  program.add("1");  // raised when equal programs begin to give other traces
  program.add(options.profile);
  program.add(static_cast<std::uint64_t>(options.devices));
  if (options.inject != Injection{}) program.add("faults injected");
  if (!trace.calls.empty()) {
    const HostCall& first = trace.calls.front();
    program.add(trace.string(first.file));
    program.add(first.line);
  }
  constexpr std::uint64_t thirty_bits = (std::uint64_t{1} << 30U) - 1;
  return "mr1-" + crockford(program.value() & thirty_bits) + "-" + crockford(options.seed);
}

/// What can be said of a deadlock without a trace.
Finding untraced_deadlock(const FiberHosts& hosts) {
  Finding finding;
  finding.kind = FindingKind::deadlock;
  finding.explanation = "nothing can go on: " + hosts.blocked_text() +
                        "; with the trace on the report names calls and operations";
  return finding;
}

Report report_of(const Options& options, const FiberHosts& hosts, Time end, Trace&& trace) {
  Report report;
  report.end_time = end;
  report.trace = std::move(trace);
  report.trace.end_ns = end.ns;
  report.trace.producer =
      "millrace sim, profile " + options.profile + ", seed " + std::to_string(options.seed);
  if (options.inject != Injection{}) report.trace.producer += ", faults injected";
  report.replay = replay_token(options, report.trace);
  if (!options.trace && hosts.deadlocked()) report.findings.push_back(untraced_deadlock(hosts));
  return report;
}

/// To the run's end; returns when that was.
Time perform(const std::shared_ptr<RunMachine>& run, const Options& options,
             const std::function<void(Backend&)>& body) {
  SimMachine& machine = *run->machine;
  const Closing closing(machine);
  const WatchdogScope watchdog(run->hosts.progress(), options.watchdog);
  run->hosts.run({run, &machine}, [&] { body(machine); });
  return std::max(run->hosts.end(), machine.end_of_work());
}

}  // namespace

std::string crockford(std::uint64_t value) {
  constexpr std::string_view digits = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string text;
  do {
    text.insert(text.begin(), digits[value % 32]);
    value /= 32;
  } while (value != 0);
  return text;
}

void check(const Options& options, const char* call) {
  const auto refuse = [call](Errc code, const std::string& reason) {
    throw Error(code, call, reason, {});
  };
  if (FiberHosts::of_this_thread() != nullptr) {
    refuse(Errc::NotPermitted, "runs do not nest, and this one would begin inside another");
  }
  if (options.devices < 1 || options.devices > most_devices) {
    refuse(Errc::InvalidValue,
           "options.devices is " + std::to_string(options.devices) + ", not 1 to 64");
  }
  if (options.max_time < Duration{0}) refuse(Errc::InvalidValue, "options.max_time is negative");
  if (options.watchdog < Duration{0}) refuse(Errc::InvalidValue, "options.watchdog is negative");
  check(options.inject, options.devices);
}

Report run_unchecked(const Options& options, const std::function<void(Backend&)>& body) {
  check(options, "sim::run");
  const Profile profile = find_profile(options.profile);
  const auto run = std::make_shared<RunMachine>(options, profile, nullptr);
  const Time end = perform(run, options, body);
  return report_of(options, run->hosts, end, std::move(run->recorder.trace()));
}

Executed execute(const Options& options, const Profile& profile, Chooser& chooser,
                 const std::function<void(Backend&)>& body) {
  const auto run = std::make_shared<RunMachine>(options, profile, &chooser);
  Executed done;
  done.end_time = perform(run, options, body);
  done.trace = std::move(run->recorder.trace());
  done.trace.end_ns = done.end_time.ns;
  if (!options.trace && run->hosts.deadlocked()) {
    done.findings.push_back(untraced_deadlock(run->hosts));
  }
  return done;
}

Report run(const Options& options, const std::function<void()>& body) {
  if (!body) throw Error(Errc::InvalidValue, "sim::run", "there is no body", {});
  Report report = run_unchecked(options, [&](Backend&) { body(); });
  if (options.trace) report.findings = millrace::check(report.trace);
  return report;
}

Report run(const std::function<void()>& body) { return run(Options{}, body); }

}  // namespace millrace::sim
